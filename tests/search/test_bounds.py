"""At random search nodes, every bound holds in every graph below, and undo restores every bit.

The differential tests see a wrong bound only where it flips a verdict; these look at the bounds themselves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from completions import Truth, Wide
from differential import draw_options
from edgeproof.engines import brute
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search.attacks.flips import flip_best_gains, flip_grounding
from edgeproof.search.forward.claim import grounding_may_break
from edgeproof.search.intervals.rounding import enclose_root
from edgeproof.search.jit.decorators import entry
from edgeproof.search.linear.tighten import start_tightening, tighten_more
from edgeproof.search.state.budget import affordable
from edgeproof.search.state.state import (
    BOX_MARK,
    HIGH,
    LIMIT,
    LOW,
    PAIR_MARK,
    UNDECIDED,
    USED,
    VALUE_MARK,
    H,
)  # fmt: skip
from edgeproof.search.state.trail import undo
from edgeproof.search.strategy import Search
from edgeproof.search.tree.decide import apply
from edgeproof.search.tree.prune import prune_by_intervals, prune_by_linear_bounds
from random_queries import CROWDED, CURVED, SYM, Grid, draw
from wide_curves import activate_wide

PARTS = 10
GRIDS = (
    Grid(
        vertices=(2, 3, 4, 5, 5, 6),
        layers=(1, 2, 2, 2, 3, 3, 4),
        widths=(1, 2, 3, 4),
        flips=("delete", "insert", "both", "both", "list", "target"),
        budgets=(1, 2, 3, 3, 4, None),
        calibrations=("none", "between", "tie"),
        most_graphs=1500,
    ),
    # max over 0/1 features with carriers in common
    replace(CROWDED, calibrations=("none", "between", "tie"), most_graphs=1500),
    # a mean that only loses neighbours, several at once, down to none
    Grid(
        vertices=(4, 5, 5),
        layers=(1, 2, 2, 3),
        widths=(1, 2, 3),
        aggregations=("mean",),
        flips=("delete",),
        budgets=(2, 3, 4, 5, None),
        calibrations=("none", "between", "tie"),
        most_graphs=1500,
    ),
    # degrees that change with the flips
    Grid(
        vertices=(3, 4, 5, 6),
        layers=(1, 2, 2, 3, 4),
        widths=(1, 2, 3, 4),
        aggregations=("gcn", "gcn", "mixed with gcn"),
        flips=("delete", "insert", "both", "both", "list"),
        budgets=(1, 2, 3, 3, 4, None),
        calibrations=("none", "between", "tie"),
        most_graphs=1500,
    ),
    replace(
        SYM,
        vertices=(3, 4, 5, 6),
        layers=(1, 2, 2, 3, 4),
        widths=(1, 2, 3, 4),
        calibrations=("none", "between", "tie"),
        budgets=(1, 2, 3, 3, 4, None),
        flips=("delete", "insert", "both", "both", "list"),
        most_graphs=1500,
    ),
    # passes inside passes, three and four stages deep
    Grid(
        vertices=(4, 5, 5, 6),
        layers=(3, 3, 4),
        widths=(1, 2, 3),
        aggregations=("max", "mean", "mixed", "mixed", "mixed"),
        flips=("delete", "insert", "both", "list"),
        budgets=(2, 3, 3, 4, None),
        calibrations=("none", "between"),
        most_graphs=1500,
    ),
    # rounding: numbers of which no sum is exact
    Grid(
        vertices=(4, 5, 6),
        layers=(2, 3),
        widths=(3, 5, 8),
        flips=("delete", "insert", "both"),
        budgets=(1, 2, 3, 3),
        styles=("gaussian", "cancelling", "wild"),
        calibrations=("none", "tie", "last bit"),
        most_graphs=400,
    ),
)
CURVED_GRID = replace(
    CURVED,
    vertices=(3, 4, 5, 5),
    layers=(1, 2, 2, 3),
    widths=(1, 2, 3, 4),
    flips=("delete", "insert", "both", "both", "list", "target"),
    budgets=(1, 2, 3, 3, 4, None),
    styles=("integers", "signs", "dyadic", "gaussian", "gaussian", "wild"),
    calibrations=("none", "between"),
    most_graphs=200,
)
GRIDS = (*GRIDS, CURVED_GRID)
RESTORED = ("values", "boxes", "status", "open_slots", "local_left", "degree", "leaving", "arriving")
COUNTED = (PAIR_MARK, VALUE_MARK, BOX_MARK, USED, LIMIT, UNDECIDED)


@entry
def apply_decision(p, s, options, pair, flip):
    """`apply` is a part of a kernel; here it is one."""
    apply(p, s, options, pair, flip)


class Node:
    """A search that a test leads by hand, beside the truth about every graph."""

    def __init__(self, seed: int, index: int, usual: bool) -> None:
        self.rng = np.random.default_rng((seed, index, 2))
        query = draw(seed, index, GRIDS[index % len(GRIDS)])
        options = resolve({} if usual else draw_options(seed, index))
        self.compiled = compile_problem(query, options, query.threat.budget)
        self.p = self.compiled.problem
        pairs = len(self.compiled.pairs)
        self.budget = pairs if query.threat.budget is None else min(query.threat.budget, pairs)
        self.asked = options
        self.search = self.make_search()
        if self.search.worker.options.lines and self.p.T > 1 and self.rng.random() < 0.7:
            self.search.worker.follow(self.search.worker.options._replace(lines_nested=1))
        self.s, self.options = self.search.worker.state, self.search.worker.options
        self.bundles = self.search.worker._problem, self.search.worker._state
        self.lines = self.search.worker._linear.bundle
        self.linear_bundles = self.search.worker._linear, self.search.worker._nested, self.search.worker._innermost
        self.bounded = bool(np.isfinite(self.s.error).all())
        self.truth = Truth(self.compiled, self.budget)
        self.below = np.ones(len(self.truth.flips), dtype=np.bool_)  # graphs below this node

    def make_search(self) -> Search:
        search = Search(self.compiled, self.budget, self.asked)
        search.worker.prepare()
        return search

    @property
    def left(self) -> int:
        return int(self.s.tally[LIMIT] - self.s.tally[USED])

    def undecided(self) -> list[int]:
        return [pair for pair, (slot, _) in enumerate(self.p.pair_slot) if self.s.status[slot] & 2]

    def has_room(self) -> bool:
        room = 3 * self.p.T * self.p.n + self.p.n
        used = max(self.s.tally[VALUE_MARK], self.s.tally[BOX_MARK])
        return bool(self.s.value_trail_at.size - used >= room)

    def decide(self) -> bool:
        """One random decision; False if there is none to make."""
        pairs = self.undecided()
        if not pairs or not self.has_room():
            return False
        pair = int(self.rng.choice(pairs))
        can = self.left > 0 and affordable(*self.bundles, np.int64(pair))
        flip = int(bool(can) and self.rng.random() < 0.4)
        apply_decision(*self.bundles, self.options, np.int64(pair), np.int64(flip))
        self.look_below()
        return True

    def look_below(self) -> None:
        trail = self.s.pair_trail[: self.s.tally[PAIR_MARK]]
        self.below = np.ones(len(self.truth.flips), dtype=np.bool_)
        for one in trail.tolist():
            self.below &= self.truth.flips[:, ~one if one < 0 else one] == (one < 0)

    def grounding(self) -> int:
        """The row of the graph in which nothing undecided is flipped."""
        at = np.flatnonzero(self.below & (self.truth.flips.sum(axis=1) == self.s.tally[USED]))
        assert at.size == 1, "the grounding is one of the admissible graphs"
        return int(at[0])

    def picture(self) -> dict[str, bytes]:
        out = {name: getattr(self.s, name).tobytes() for name in RESTORED}
        out["trail"] = self.s.pair_trail[: self.s.tally[PAIR_MARK]].tobytes()
        return out | {"tally": self.s.tally[list(COUNTED)].tobytes()}

    def marks(self) -> tuple[np.int64, ...]:
        return tuple(self.s.tally[[PAIR_MARK, VALUE_MARK, BOX_MARK]])


def root_errors(node: Node) -> np.ndarray:
    """(T+1, n, D): the error of the grounding's values that the analysis of the root allows."""
    p, fresh = node.p, node.make_search()
    shape = (p.T + 1, p.n, p.D)
    magnitude, error = np.zeros(shape), np.zeros(shape)
    scratch = np.zeros((p.n, p.D)), np.zeros(fresh.worker.state.scratch.shape[1])
    enclose_root(fresh.worker._problem, fresh.worker._state, fresh.worker.options, magnitude, error, *scratch)
    return error


def check_values(node: Node, errors: np.ndarray, at: int) -> None:
    """(a) the values of graph `at`, where they matter."""
    truth, p = node.truth, node.p
    for t in range(1, p.T + 1):
        seen = np.flatnonzero(truth.reaches[t][at])
        width = p.width[t]
        real = truth.pre[t][at][seen]
        real = activate_wide(real, p.slope[t, :width])
        off = abs(node.s.values[t, seen, H, :width] - real)
        allowed = errors[t, seen, :width] + truth.off[t][at][seen]
        assert (off <= allowed).all(), f"value of stage {t}: off by {off.max()}, allowed {allowed.min()}"
    h = node.s.values[p.T, 0, H]
    objective = h[: p.rivals] if p.folded else h[p.rival_at] - h[p.label_at]
    assert (abs(objective - truth.objective[at]) <= node.s.error + truth.objective_off[at]).all(), "objective"
    breaks = [winner(node, r, at) for r in range(p.rivals)]
    if any(breaks):
        assert grounding_may_break(*node.bundles, np.array(breaks, dtype=np.int8) ^ 1), "a broken claim goes unseen"


def check_boxes(node: Node, when: str) -> None:
    """(b), (c) the box of every pre-activation that matters, in every graph below."""
    truth, p = node.truth, node.p
    for t in range(1, p.T + 1):
        width, count = p.width[t], truth.pre[t].shape[1]
        matters = truth.reaches[t][node.below][:, :count, None]
        real, off = truth.pre[t][node.below], truth.off[t][node.below]
        low, high = node.s.boxes[t, :count, LOW, :width], node.s.boxes[t, :count, HIGH, :width]
        inside = (real + off >= low) & (real - off <= high)
        bad = np.argwhere(matters & ~inside)
        assert bad.size == 0, f"{when}: stage {t}, (graph below, vertex, neuron) {bad[0]} is outside its box"


def winner(node: Node, r: int, at: int) -> bool:
    """Whether rival r wins in graph `at`; what floats cannot tell is decided exactly."""
    margin, off = node.truth.objective[at, r], node.truth.objective_off[at, r]
    if abs(margin) > off:
        return bool(margin > 0)
    query = node.compiled.query
    pairs = np.array(node.compiled.pairs, dtype=np.int64).reshape(-1, 2)
    flips = [(int(u), int(v)) for u, v in pairs[node.truth.flips[at] == 1]]
    scores = brute.evaluator_of(query).scores(flips)
    return bool(scores[query.rivals[r]] > scores[query.claim.label])


def wins_below(node: Node, r: int) -> bool:
    rows = np.flatnonzero(node.below)
    close = rows[node.truth.objective[rows, r] > -node.truth.objective_off[rows, r]]
    return any(winner(node, r, int(at)) for at in close)


def check_exclusion(node: Node, excluded: np.ndarray, when: str) -> None:
    for r in np.flatnonzero(excluded):
        assert not wins_below(node, r), f"{when}: rival {r} is excluded and wins"


def check_lines(node: Node, when: str) -> None:
    """(d), (e) the lines of every rival."""
    truth, lines, p = node.truth, node.lines, node.p
    excluded = np.zeros(p.rivals, dtype=np.int8)
    done = prune_by_linear_bounds(*node.bundles, *node.linear_bundles, node.options, excluded)
    assert done == excluded.all(), f"{when}: lines say that no rival is left: {done}, excluded {excluded}"
    undecided = np.array([pair in set(node.undecided()) for pair in range(p.pair_u.size)], dtype=np.bool_)
    free = truth.flips[node.below] * undecided
    for r in range(p.rivals):
        gain = np.where(lines.touched_mark[: p.pair_u.size] != 0, lines.gain[r, : p.pair_u.size], 0.0).astype(Wide)
        line = Wide(lines.const[r]) + free @ gain + Wide(lines.error[r])
        real = truth.objective[node.below, r]
        off = truth.objective_off[node.below, r] + (abs(gain).sum() + abs(lines.const[r])) * 64 * np.finfo(Wide).eps
        worst = np.argmax(real - off - line)
        assert (real - off <= line).all(), f"{when}: rival {r} at flips {free[worst]}: {real[worst]} > {line[worst]}"
        assert (real - off).max() <= lines.bound[r], f"{when}: rival {r}: {real.max()} > bound {lines.bound[r]}"
    check_exclusion(node, excluded, f"{when}, lines")
    if node.left == 1:
        for at in np.flatnonzero(node.below):
            flipped = np.flatnonzero(truth.flips[at] * undecided)
            if flipped.size == 1 and not lines.doubtful[flipped[0]]:
                for r in range(p.rivals):
                    assert not winner(node, r, at), f"{when}: pair {flipped[0]} breaks the claim and is not in doubt"


def check_bounds(node: Node, when: str) -> None:
    check_boxes(node, when)
    excluded = np.zeros(node.p.rivals, dtype=np.int8)
    done = prune_by_intervals(*node.bundles, excluded)
    assert done == excluded.all(), f"{when}: boxes say that no rival is left: {done}, excluded {excluded}"
    check_exclusion(node, excluded, f"{when}, boxes")
    if node.options.lines:
        check_lines(node, when)


def check_attacks(node: Node, errors: np.ndarray) -> None:
    """Flips in the grounding only: right values, and nothing left behind."""
    before, marks = node.picture(), node.marks()
    for pair in node.undecided()[:3]:
        if node.left > 0 and affordable(*node.bundles, np.int64(pair)):
            flip_grounding(*node.bundles, node.options, np.int64(pair))
            node.look_below()
            check_values(node, errors, node.grounding())
            undo(*node.bundles, *marks)
            assert_same(before, node.picture(), "undo of a flip in the grounding")
    if node.options.lines and node.left > 0:
        flip_best_gains(*node.bundles, node.linear_bundles[0], node.options, np.zeros(node.p.rivals, dtype=np.int8))
        node.look_below()
        assert node.left >= 0
        check_values(node, errors, node.grounding())
        undo(*node.bundles, *marks)
        assert_same(before, node.picture(), "undo of an attack")
    node.look_below()


def assert_same(before: dict[str, bytes], after: dict[str, bytes], when: str) -> None:
    assert [name for name in before if before[name] != after[name]] == [], f"{when}: not restored"


def check_case(seed: int, index: int, usual: bool) -> None:
    node = Node(seed, index, usual)
    if not node.bounded:
        return
    errors = root_errors(node)
    saved = []
    for visit in range(3):
        for _ in range(int(node.rng.integers(0, 3)) if visit else int(node.rng.integers(0, 2))):
            saved.append((node.marks(), node.picture()))
            if not node.decide():
                break
        check_values(node, errors, node.grounding())
        if node.left <= 0:
            break  # boxes are not kept up without budget
        check_bounds(node, "before tightening")
        check_attacks(node, errors)
        if node.options.lines and node.has_room() and node.rng.random() < 0.8:
            saved.append((node.marks(), node.picture()))
            start_tightening(*node.bundles, node.linear_bundles[0])
            assert tighten_more(*node.bundles, *node.linear_bundles, node.options, np.iinfo(np.int64).max)
            check_bounds(node, "after tightening")
    for marks, picture in reversed(saved):
        undo(*node.bundles, *marks)
        assert_same(picture, node.picture(), "undo")


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_bounds_hold_in_every_graph_below(part: int, request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--campaign") // 4, request.config.getoption("--campaign-seed")
    for index in range(part, count, PARTS):
        try:
            check_case(seed, index, usual=(index // len(GRIDS)) % 3 > 0)
        except Exception as problem:
            problem.add_note(f"seed {seed}, index {index}")
            raise
