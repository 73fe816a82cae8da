"""A smallest part of an attack that still breaks the claim."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from .errors import InputError
from .model.graph import Graph, Pair
from .model.network import Network
from .model.query import make_query
from .model.threat import Threat
from .model.verdict import Attack

MOST_FLIPS = 16  # all parts of this many flips are looked at, fewest first; of a larger attack, one that cannot shrink


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
    """The smallest subset of `attack` that breaks the claim; `radius` finds a smallest of all.

    An attack of more than 16 flips is first thinned out: flips go one after the other as long as the rest breaks it.
    """
    query = make_query(network, graph, threat, node, label, target)
    flips = list(dict.fromkeys(graph.pair(u, v) for u, v in attack))
    for pair in flips:
        if not threat.admits(graph, pair, node):
            raise InputError(f"attack: {pair} is not fragile")
    from .arithmetic.decide import Decider

    decider = Decider(network, graph)

    def breaks(chosen: Iterable[Pair]) -> bool:
        return decider.rival(node, query.claim.label, query.rivals, tuple(chosen)) is not None

    if not breaks(flips):
        raise InputError(f"attack: flipping {flips} does not break the claim of class {query.claim.label}")
    if len(flips) > MOST_FLIPS:
        for pair in list(flips):
            fewer = [other for other in flips if other != pair]
            if breaks(fewer):
                flips = fewer
    if len(flips) <= MOST_FLIPS:
        for size in range(len(flips)):
            for chosen in combinations(flips, size):
                if breaks(chosen):
                    return Attack(chosen)
    return Attack(flips)
