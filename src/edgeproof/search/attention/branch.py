"""Two layers of attention: branch and bound on the flips that the program names.

The program's bound is exact where nothing flips, so an optimum above 0 names flips: the next graph to look at, and the
pair to decide. A decision changes the options of two vertices at most; all others are kept.

Theory: "Branch and bound on the program".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...arithmetic.decide import Decider
from ...arithmetic.twins import first_twin
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ...model.network import Network
from ...model.query import Query
from ..deadline import Alarm
from .messages import first_messages
from .options import MOST_SETS, Around, Options, VertexBounds
from .program import FIXED, GONE, MAY_COME, best_shape
from .rows import last_rows, single_head
from .subsets import ELU
from .surroundings import Sender, Surroundings, local_budgets

# pairs that can matter, up to which they are listed
MOST_PAIRS = 1 << 16
# steps of the program between two looks at the clock, about
MOST_WORK = 1 << 27
# bytes of options that are kept, and what each takes beside its bounds
MOST_HELD, OF_OPTIONS = 1 << 28, 1 << 12
# nodes whose options are kept
KEPT_NODES = 8


class OutOfNodesError(Exception):
    """The limit of search nodes is reached."""


class NoBoundError(Exception):
    """Sets of flips are too many for what bounds them here."""


class Node(NamedTuple):
    flipped: frozenset[int]
    kept: frozenset[int]


class Ready(NamedTuple):
    """What a node's bounds of all rivals are made of: options of the target (`own`) and of all that it hears, which
    stand one after the other in the arrays.
    """

    spare: int  # flips left
    most_at_target: int
    heard: list[tuple[Sender, int]]
    kinds: IntArray
    own: Options
    options: list[Options]
    limit: IntArray
    ptr: IntArray
    low: FloatArray
    high: FloatArray
    leads: FloatArray
    cost: IntArray
    size: IntArray
    reference: FloatArray
    open: list[int]  # all pairs in doubt


class Bound(NamedTuple):
    value: float
    named: list[int]  # pairs, those at the target first
    open: list[int]  # all that are in doubt


def knows(network: Network) -> bool:
    """Whether a network is two layers of attention that this bounds."""
    layers = network.layers
    if len(layers) != 2 or network.readout is not None or any(one.attention is None for one in layers):
        return False
    if not all(one.attention is not None and one.attention.self_loops for one in layers):
        return False
    return single_head(network) is not None and bool((layers[0].bends <= ELU).all())


class TwoLayers:
    """One question; `decide` answers it for one budget after another, and what is made for one serves the next."""

    def __init__(self, query: Query, alarm: Alarm, node_limit: int | None, most_sets: int = MOST_SETS) -> None:
        """most_sets: of flips around one vertex that are looked at one by one."""
        self.query, self.alarm, self.node_limit = query, alarm, node_limit
        self._around = Surroundings(query, MOST_PAIRS)
        self.pairs = self._around.pairs
        network, layer = query.network, query.network.layers[0]
        twin = first_twin(network)
        rivals = np.array([one for one in query.rivals if twin[one] != twin[query.claim.label]], dtype=np.int64)
        self._rows = last_rows(query, rivals)
        messages = first_messages(network, query.graph)
        self._bounds = VertexBounds(layer, layer.bends.copy(), messages, self._rows, most_sets)
        self._local = local_budgets(query, query.graph)
        self._ready: dict[tuple[Node, int], Ready] = {}
        self._made: dict[tuple[object, ...], Options] = {}
        self._held = 0  # bytes of these, about
        self._tried: dict[frozenset[int], int | None] = {}
        self._decider = Decider(network, query.graph)
        self.nodes, self.leaves, self.evaluations = 0, 0, 0

    def limit_nodes(self, limit: int | None) -> int | None:
        """Stop at so many search nodes; the limit that was."""
        before = self.node_limit
        self.node_limit = limit if before is None or limit is None else min(limit, before)
        return before

    def decide(self, budget: int) -> tuple[list[Pair], int] | None:
        """An attack and the class that wins; None: there is none."""
        found = self._look(frozenset())
        if found is not None:
            return found
        for rival in range(self._rows.rivals.size):
            found = self._search(rival, budget)
            if found is not None:
                return found
        return None

    def _search(self, rival: int, budget: int) -> tuple[list[Pair], int] | None:
        stack = [Node(frozenset(), frozenset())]
        while stack:
            node = stack.pop()
            self.alarm.look()
            if self.node_limit is not None and self.nodes >= self.node_limit:
                raise OutOfNodesError
            self.nodes += 1
            bound = self.bound(node, rival, budget)
            if bound.value <= 0.0:
                self.leaves += 1
                continue
            found = self._look(self._affordable(node, bound.named, budget))
            if found is None and bound.named:
                found = self._look(node.flipped)
            if found is not None:
                return found
            if not bound.open or len(node.flipped) == budget:
                self.leaves += 1
                continue
            pair = bound.named[0] if bound.named else bound.open[0]
            stack.append(Node(node.flipped, node.kept | {pair}))
            stack.append(Node(node.flipped | {pair}, node.kept))
        return None

    def _look(self, flips: frozenset[int]) -> tuple[list[Pair], int] | None:
        """Whether these flips are an attack."""
        if flips not in self._tried:
            claim, pairs = self.query.claim, [self.pairs[one] for one in sorted(flips)]
            self.evaluations += 1
            self._tried[flips] = self._decider.rival(claim.node, claim.label, self.query.rivals, pairs, self.alarm)
        rival = self._tried[flips]
        return None if rival is None else ([self.pairs[one] for one in sorted(flips)], rival)

    def _left(self, flipped: Iterable[int]) -> IntArray:
        """What each vertex can still pay."""
        left = self._local.copy()
        for pair in flipped:
            for w in self._around.payers(pair):
                left[w] -= 1
        return left

    def _affordable(self, node: Node, named: list[int], budget: int) -> frozenset[int]:
        flips, left = set(node.flipped), self._left(node.flipped)
        for pair in named:
            payers = self._around.payers(pair)
            if len(flips) < budget and pair not in flips and all(left[w] > 0 for w in payers):
                flips.add(pair)
                for w in payers:
                    left[w] -= 1
        return frozenset(flips)

    # bounds

    def bound(self, node: Node, rival: int, budget: int) -> Bound:
        """Of the lead of a rival over the label, in all graphs below a node; only its sign means anything."""
        key = node, budget
        if key not in self._ready:  # all rivals ask about the root, and the deeper ones are soon forgotten
            if len(self._ready) >= KEPT_NODES:
                self._ready.clear()
            self._ready[key] = self._prepare(node, budget)
        ready = self._ready[key]
        return self._bound_shapes(ready, rival)

    def _prepare(self, node: Node, budget: int) -> Ready:
        left, spare = self._left(node.flipped), budget - len(node.flipped)
        target = self._around.node
        mine, heard = self._at_target(node, left)
        own = self._options(target, mine, min(spare, int(left[target])), spare, is_target=True)
        near = {sender.vertex for sender, _ in heard}
        options, limit = [], []
        for sender, kind in heard:
            comes = int(kind == MAY_COME)
            most = min(spare - comes, int(left[sender.vertex]) - (comes if not self.query.graph.directed else 0))
            most = max(most, 0)
            around = self._at_neighbour(sender, node, left, near)
            options.append(self._options(sender.vertex, around, most, 2 * spare, is_target=False))
            limit.append(most)
        ptr = np.concatenate([[0], np.cumsum(np.array([one.size.size for one in options], dtype=np.int64))])
        empty: FloatArray = np.zeros((0, self._rows.channels))
        low, high = (np.concatenate([empty, *(getattr(one, end) for one in options)]) for end in ("low", "high"))
        leads = np.concatenate([np.zeros((0, self._rows.rivals.size)), *(one.lead for one in options)])
        cost, size = (
            np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(one, field) for one in options)])
            for field in ("cost", "size")
        )
        kinds = np.array([kind for _, kind in heard], dtype=np.int64)
        most_at_target = min(spare, int(left[target]), own.around.doubtful.size)
        every = dict.fromkeys([*own.around.pairs.tolist(), *(p for one in options for p in one.around.pairs.tolist())])
        return Ready(
            spare, most_at_target, heard, kinds, own, options, np.array(limit, dtype=np.int64), ptr.astype(np.int64),
            low, high, leads, cost, size, self._reference(own, options, kinds), list(every),
        )  # fmt: skip

    def _bound_shapes(self, ready: Ready, rival: int) -> Bound:
        own, options, spare = ready.own, ready.options, ready.spare
        lead, channels, most_at_target = ready.leads[:, rival].copy(), self._rows.channels, ready.most_at_target
        count, halves = len(options), 2 * spare + 1
        worths, which = np.zeros((count, halves)), np.zeros((count, halves), dtype=np.int64)
        best, after = np.zeros((spare + 1, halves)), np.zeros((spare + 1, halves))
        choice = np.zeros((count, spare + 1, halves), dtype=np.int64)
        found = np.zeros(count, dtype=np.int64)
        best_value, chosen, picked = -np.inf, -1, np.zeros(count, dtype=np.int64)
        step = max(1, MOST_WORK // (1 + halves * (halves * count + lead.size)))
        for first in range(0, most_at_target + 1, step):
            self.alarm.look()
            value, _, option = best_shape(
                ready.ptr, ready.low, ready.high, lead, ready.cost, ready.size, ready.limit, ready.kinds,
                own.low, own.high, own.to_low, own.to_high, own.lead[:, rival].copy(), own.extra[:, rival].copy(),
                own.size, ready.reference, self._rows.factor, self._rows.slope, spare, first,
                min(first + step, most_at_target + 1), worths, which, best, after, choice, np.zeros(channels),
                np.zeros(channels), found,
            )  # fmt: skip
            if not value <= best_value:
                best_value, chosen, picked = value, option, found.copy()
            if np.isnan(value):
                break
        at_target, around = [], []
        for u, (sender, kind) in enumerate(ready.heard):
            what = int(picked[u])
            if what == GONE or (what >= 0 and kind == MAY_COME):
                at_target.append(sender.pair)
            if what >= 0:
                around += options[u].flips_of(what - int(ready.ptr[u]), rival, int(ready.limit[u]))
        if chosen >= 0 and own.size[chosen] > 0 and not at_target:
            at_target = own.flips_of(chosen, rival, spare)
        named = list(dict.fromkeys([*at_target, *around]))
        return Bound(float(best_value), named, ready.open)

    def _reference(self, own: Options, options: list[Options], kinds: IntArray) -> FloatArray:
        """What the sender with the largest logit adds to it, about: exponents are taken relative to that."""
        middle = 0.5 * (own.to_low[0] + own.to_high[0])
        best, found = -np.inf, own.low[0]
        for one, kind in [(own, FIXED), *zip(options, kinds.tolist(), strict=True)]:
            added = one.low[0] + middle
            logit = float((np.maximum(added, self._rows.slope * added) * self._rows.factor).sum())
            if kind != MAY_COME and logit > best:
                best, found = logit, one.low[0]
        reference: FloatArray = found.copy()
        return reference

    # who sends to whom under the decisions of a node

    def _state(self, sender: Sender, node: Node, left: IntArray) -> int | None:
        """FIXED, or whether it may go or come; None: it is not there, and stays away."""
        pair = sender.pair
        if pair < 0 or pair in node.kept or pair in node.flipped:
            return FIXED if sender.there != (pair in node.flipped) else None
        if any(left[w] <= 0 for w in self._around.payers(pair)):
            return FIXED if sender.there else None
        return self._around.kind(sender)

    def _at_target(self, node: Node, left: IntArray) -> tuple[Around, list[tuple[Sender, int]]]:
        states = [(one, self._state(one, node, left)) for one in self._around.heard]
        heard = [(one, state) for one, state in states if state is not None]
        return self._split(self._around.node, heard, None), heard

    def _at_neighbour(self, sender: Sender, node: Node, left: IntArray, near: set[int]) -> Around:
        """Of one that is heard: where edges have no direction, it hears the target too."""
        u, target = sender.vertex, self._around.node
        heard: list[tuple[Sender, int]] = []
        if not self.query.graph.directed:
            heard.append((Sender(target, -1, True), FIXED))
        for one in self._around.into[u]:
            if one.vertex == target and not self.query.graph.directed:
                continue
            state = self._state(one, node, left)
            if state is not None:
                heard.append((one, state))
        return self._split(u, heard, set() if self.query.graph.directed else near)

    def _split(self, v: int, heard: list[tuple[Sender, int]], near: set[int] | None) -> Around:
        """near: who shares the cost of a flip; None: flips cost 1."""
        fixed = [v, *(one.vertex for one, state in heard if state == FIXED)]
        doubtful = [one for one, state in heard if state != FIXED]
        costs = [1 if near is None or one.vertex in near else 2 for one in doubtful]
        return Around(
            *(
                np.array(numbers, dtype=np.int64)
                for numbers in (
                    fixed,
                    [one.vertex for one in doubtful],
                    [one.there for one in doubtful],
                    costs,
                    [one.pair for one in doubtful],
                )
            )
        )

    def _options(self, v: int, around: Around, most: int, most_cost: int, *, is_target: bool) -> Options:
        key = (v, is_target, most, most_cost, *(one.tobytes() for one in around))
        if key not in self._made:
            made = self._bounds.make(v, around, most, most_cost, is_target=is_target)
            if made is None:
                raise NoBoundError
            self._held += made.low.nbytes + made.high.nbytes + made.lead.nbytes + OF_OPTIONS
            if self._held > MOST_HELD:
                self._made.clear()
                self._held = 0
            self._made[key] = made
        return self._made[key]
