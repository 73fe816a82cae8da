"""A cheapest part of an attack that still breaks the claim."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

from .errors import InputError
from .model.feature_threats import FeatureFlips
from .model.graph import Graph, Pair
from .model.network import Network
from .model.query import Query, make_query
from .model.threat import Threat
from .model.verdict import Attack

MOST_FLIPS = (
    16  # all parts of so many changes are looked at, cheapest first; of a larger attack, one that cannot shrink
)


@dataclass(frozen=True)
class _Parts:
    """Changes that can be left out one by one: flips of pairs, and of features."""

    pairs: tuple[Pair, ...]
    features: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        return len(self.pairs) + len(self.features)


def minimise(
    network: Network,
    graph: Graph,
    threat: Threat,
    attack: Iterable[Pair],
    node: int | None = None,
    *,
    label: int | None = None,
    target: int | None = None,
) -> Attack:
    """The cheapest part of `attack` that breaks the claim, of equally cheap ones the one with the fewest changes;
    `radius` finds a cheapest of all.

    An attack of more than 16 flips is first thinned out: flips go one after the other as long as the rest breaks it.
    New vertices that lose all their edges go, too.
    """
    query = make_query(network, graph, threat, node, label, target)
    given = attack if isinstance(attack, Attack) else Attack(attack)
    shrinking = _Shrinking(query, given)
    whole = shrinking.whole
    if not shrinking.breaks(whole):
        raise InputError(f"attack: flipping {list(whole.pairs)} does not break the claim of class {query.claim.label}")
    if whole.size > MOST_FLIPS:
        whole = shrinking.thinned(whole)
    if whole.size <= MOST_FLIPS:
        whole = next(part for part in shrinking.cheapest_first(whole) if shrinking.breaks(part))
    return shrinking.attack(whole)


class _Shrinking:
    def __init__(self, query: Query, given: Attack) -> None:
        self._query, self._given = query, given
        if given.values is not None:
            raise InputError("attack: features that were moved within a box are not minimised, only flips")
        n = query.graph.num_vertices
        self._costs = query.threat.costs(query.graph)
        pairs = dict.fromkeys(query.graph.pair(u, v) if max(u, v) < n else (u, v) for u, v in given)
        for pair in pairs:
            if max(pair) < n and not query.threat.admits(query.graph, pair, query.claim.node):
                raise InputError(f"attack: {pair} is not fragile")
            if max(pair) >= n + len(given.injected) or (max(pair) >= n and query.threat.inject is None):
                raise InputError(f"attack: {pair} is out of range, there are {n} vertices and the injected ones")
        self._shared = isinstance(query.threat.features, FeatureFlips) and query.threat.features.budget is None
        self.whole = _Parts(tuple(pairs), given.features)

    def _cost(self, part: _Parts) -> int:
        return sum(self._costs.get(pair, 1) for pair in part.pairs) + len(part.features) * self._shared

    def attack(self, part: _Parts) -> Attack:
        """New vertices without edges are left out, and the others numbered anew."""
        n = self._query.graph.num_vertices
        there = sorted({v for pair in part.pairs for v in pair if v >= n})
        number = {v: n + k for k, v in enumerate(there)}
        inject = self._query.threat.inject
        return Attack(
            [(number.get(u, u), number.get(v, v)) for u, v in part.pairs], features=part.features,
            injected=[self._given.injected[v - n] for v in there], cost=self._cost(part),
            pool=None if inject is None else inject.features,
        )  # fmt: skip

    def breaks(self, part: _Parts) -> bool:
        from .arithmetic.decide import Decider

        made, claim = self.attack(part), self._query.claim
        plain = not (made.features or made.injected)
        flips = tuple(made) if plain else ()
        graph = self._query.graph if plain else made.apply(self._query.graph)
        decider = Decider(self._query.network, graph)
        return decider.rival(claim.node, claim.label, self._query.rivals, flips) is not None

    def thinned(self, part: _Parts) -> _Parts:
        for kind in ("pairs", "features"):
            for one in getattr(part, kind):
                fewer = replace(part, **{kind: tuple(other for other in getattr(part, kind) if other != one)})
                if self.breaks(fewer):
                    part = fewer
        return part

    def cheapest_first(self, part: _Parts) -> list[_Parts]:
        every = [*((0, one) for one in part.pairs), *((1, one) for one in part.features)]
        found = [
            _Parts(tuple(one for kind, one in some if kind == 0), tuple(one for kind, one in some if kind == 1))
            for size in range(len(every) + 1)
            for some in combinations(every, size)
        ]
        return sorted(found, key=lambda one: (self._cost(one), one.size))
