"""A worker: one state of the search, the kernels that move it, and exact answers where they ask for them.

Theory: "Branch and bound covers every admissible graph", "What is never trusted".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from ..arithmetic.decide import Decider
from ..model.arrays import IntArray
from ..model.graph import Pair
from ..problem.layout import Compiled, Problem
from .deadline import LONG_PASS, Alarm
from .intervals.rounding import evaluate_root, rounding_slacks
from .jit.by_address import Bundle
from .linear.workspace import make_nested, make_workspace
from .pairwise.coarse import make_coarse
from .pairwise.tables import MOST_FLIPS, PairwiseTables, applies_to, make_idle_tables, make_tables
from .state.degrees import count_open
from .state.state import FRESH, LIMIT, NODES, PAIR_MARK, STOP, UNDECIDED, Options, State, make_state, with_longer_trails
from .strategies.fork_kernels import enumerate_forks, evaluate_sets, start_at
from .strategies.orbit_kernels import enumerate_orbits
from .symmetry.automorphisms import Symmetries, find_symmetries, no_symmetries
from .trace import Trace
from .tree.codes import CANDIDATE, PAUSED, STOPPED, TRAIL_FULL
from .tree.node_loop import run, set_out

# work between two looks at the clock: some 10 to 50 ms
QUOTA = 20_000
# the same for forks, which begin with some ms of tables
FORK_QUOTA = 6 * QUOTA
# numbers of one copy of all rows up to which trails have room for several
SHORT_TRAIL = 1 << 22
# pairs whose screening may take longer than that
MANY_PAIRS = 60


def make_root(p: Problem, budget: int, most: int) -> State:
    """A state at the root; `most` is how many flips a box may have to rank."""
    rows = (p.T + 1) * p.n
    few = rows * p.D < SHORT_TRAIL  # else they begin with one row each, and become longer where that is asked for
    state = make_state(p, max((min(budget, 10) + 6) * rows if few else rows, 1024), most, budget)
    state.tally[LIMIT] = min(budget, p.pair_u.size)
    state.tally[UNDECIDED] = p.pair_u.size
    state.tally[FRESH] = 1
    np.add.at(state.open_slots, p.pair_v, 1)
    two = p.pair_slot[:, 1] >= 0
    np.add.at(state.open_slots, p.pair_u[two], 1)
    count_open(p, state)
    return state


class Worker:
    """Searches a tree of decisions; `attack` and `limit` hold what is known so far.

    Invariant: every admissible graph with at most `limit` flips that the worker has left behind keeps the claim.
    """

    _idle: ClassVar[Bundle | None] = None  # tables of interplay for those that do not screen: nobody looks at them

    def __init__(
        self,
        compiled: Compiled,
        budget: int,
        options: Mapping[str, bool],
        on_attack: Callable[[list[Pair]], None] | None = None,
        trace: Trace | None = None,
        alarm: Alarm | None = None,
        later: bool = False,
    ) -> None:
        """With `later`, somebody calls `prepare` before the first move."""
        self.compiled, self.alarm = compiled, alarm or Alarm()
        self._on_attack, self.trace = on_attack, trace
        self.decider = Decider(compiled.query.network, compiled.query.graph)
        p = compiled.problem
        self.options = Options(**{name: int(options[name]) for name in Options._fields})._replace(
            lines_tighten=0, lines_nested=0, interplay=0
        )
        self.budget = budget
        # where interplay searches from the root on, and for more than the two flips that it looks at together
        self.uses_symmetries = options["interplay_symmetries"] and 2 < budget <= MOST_FLIPS
        self.most = budget if options["budget_boxes"] else len(compiled.pairs)
        self.state = make_root(p, budget, self.most)
        if p.slot_source.size * p.D * p.T > LONG_PASS:
            self.alarm.watch(self.state.tally)
        if trace is not None:
            trace.pairs = compiled.pairs
            self.state = trace.attach(self.state)
        self._problem, self._state = Bundle(p), Bundle(self.state)
        if Worker._idle is None:
            Worker._idle = Bundle(make_idle_tables(p))
        self._pairwise = Worker._idle
        self._coarse: Bundle | None = None  # made where forks are looked at
        evaluate_root(self._problem, self._state, self.options)
        self._prepared = False
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.exact_checks = 0
        if not later:
            self.prepare()

    def prepare(self) -> None:
        """What a search needs, and looks for attacks do not: bounds of the root, with rounding, and room for lines."""
        if self._prepared:
            return
        self._prepared = True
        linear = make_workspace(self.compiled.problem, self.state.scratch.shape[1], used=bool(self.options.lines))
        self._linear = Bundle(linear)
        self._nested = self._innermost = self._linear  # no pass inside another yet
        if not rounding_slacks(self._problem, self._state, self.options):
            # nothing can be bounded: every grounding is decided exactly, and no bound is trusted
            self.state.boxes[:] = np.nan
            self.options = self.options._replace(lines=0)

    def follow(self, options: Options) -> None:
        """From here on, search with these; without interplay where the system has no room for its tables."""
        if options.lines_nested:
            p, linear = self.compiled.problem, self._linear.bundle
            self._nested, self._innermost = Bundle(make_nested(linear, p)), Bundle(make_nested(linear, p))
        if options.interplay:
            p = self.compiled.problem
            alike = find_symmetries(self.compiled) if self.uses_symmetries else no_symmetries(p)
            try:
                self._pairwise = Bundle(make_tables(p, self.state.slack, self.budget, True, alike))
            except MemoryError:
                options = options._replace(interplay=0)
            if p.pair_u.size > MANY_PAIRS:
                self.alarm.watch(self.state.tally)
        self.options = options

    def can_screen(self) -> bool:
        """Whether interplay bounds what this worker searches."""
        bounded = bool(np.isfinite(self.state.error).all())
        return bounded and applies_to(self.compiled.problem, self.budget)

    @property
    def limit(self) -> int:
        return int(self.state.tally[LIMIT])

    @property
    def nodes(self) -> int:
        return int(self.state.tally[NODES])

    def advance(self, most_nodes: int) -> int:
        """Move on for a while; why the kernel came back (tree/codes.py), after making room where it asked for it."""
        bundles = self._problem, self._state, self._linear, self._nested, self._innermost, self._pairwise
        code = int(run(*bundles, self.options, QUOTA, most_nodes))
        if self.state.tally[STOP] and code != CANDIDATE:
            return STOPPED
        if self.trace is not None:
            self.trace.drain(self.state)
        if code == TRAIL_FULL:
            self.state = with_longer_trails(self.state)
            self._state = Bundle(self.state)
        return code

    def set_out(self, depth: int) -> None:
        """Back to the root, to walk to the node at this depth whose way the frames hold (tree/codes.py)."""
        set_out(self._problem, self._state, self._linear, self.options, depth)

    def start_at(self, pairs: IntArray, most: int) -> None:
        """To the graph with these flipped, for a search of its own in which a vertex has at most so many flips more."""
        start_at(self._problem, self._state, self.options, pairs, most)

    def enumerate_forks(self, cursor: IntArray) -> int:
        """Go on with the forks from here (fork_kernels.py)."""
        if self._coarse is None:
            self._coarse = Bundle(make_coarse(self.compiled.problem))
        bundles = self._problem, self._state, self._pairwise, self._coarse
        return int(enumerate_forks(*bundles, self.options, self.state.frame_excluded[0], cursor, FORK_QUOTA))

    def evaluate_sets(self, sets: IntArray, first: int) -> int:
        """Evaluate sets of flips from `first` on (fork_kernels.py); where to go on."""
        bundles = self._problem, self._state
        return int(evaluate_sets(*bundles, self.options, self.state.frame_excluded[0], sets, first, QUOTA))

    def enumerate_orbits(self, seen: IntArray, stamp: IntArray, most_nodes: int) -> int:
        """Go on with one graph of each kind (orbit_kernels.py)."""
        bundles = self._problem, self._state, self._pairwise
        excluded = self.state.frame_excluded[0]
        return int(enumerate_orbits(*bundles, self.options, excluded, seen, stamp, QUOTA, most_nodes))

    def pause(self) -> int:
        """Why a kernel other than `run` has come back before its end."""
        return STOPPED if self.state.tally[STOP] else PAUSED

    def symmetries(self) -> Symmetries:
        """Those that the search uses, once it has tables of interplay."""
        x: PairwiseTables = self._pairwise.bundle
        return Symmetries(x.image, x.twin, x.component, x.place)

    def flips(self) -> list[int]:
        """The pairs that are flipped where the worker stands."""
        trail = self.state.pair_trail[: self.state.tally[PAIR_MARK]]
        return [~pair for pair in trail.tolist() if pair < 0]

    def breaks(self, pairs: Sequence[int]) -> bool:
        """Whether these flips break the claim (decide.py); if so, they are the best attack so far."""
        claim = self.compiled.query.claim
        flips = [(int(u), int(v)) for u, v in self.compiled.pairs[list(pairs)]]
        self.exact_checks += 1
        rival = self.decider.rival(claim.node, claim.label, self.compiled.rival_classes, flips, self.alarm)
        if rival is None:
            return False
        self.note_attack(flips, rival)
        return True

    def note_attack(self, flips: list[Pair], rival: int | None) -> None:
        self.attack, self.rival = flips, rival
        self.state.tally[LIMIT] = len(flips) - 1
        if self._on_attack is not None:
            self._on_attack(flips)
