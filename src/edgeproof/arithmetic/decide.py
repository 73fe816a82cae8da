"""Whether flips break a claim, in real-number arithmetic: the first of several ways that can tell.

1. float64 with a proved bound on its rounding (enclosure.py): nearly always enough, and it costs one evaluation.
2. Balls of growing precision (balls.py), where exact numbers would be long.
3. Exact numbers (evaluator.py): only they can tell a tie, which keeps the claim.

Scores that hold exponentials have no exact numbers: balls of 4,096 bits come last, and what they leave is a `TieError`,
but for classes whose rows in the last layer are equal, which tie whatever the rest says (twins.py).

Each looks at the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..clock import UNLIMITED, Clock, TimeUpError
from ..model.graph import Graph, Pair
from ..model.network import Network
from .balls import ball_scores
from .enclosure import enclosed_scores
from .evaluator import ExactEvaluator
from .receptive_field import Field, find_field
from .twins import first_twin

# bits of balls; where these straddle, it is a tie, or the difference is smaller than anybody's weights make it
PRECISIONS = (128, 512)
# the same where no exact numbers come after
LAST_PRECISIONS = (64, 128, 512, 4096)
# products of two numbers in one evaluation up to which an exact one takes some milliseconds at most
FEW_PRODUCTS = 1 << 19
Scores = Sequence[Any]  # balls, rationals or surds: `>` and `<=` say what is certain


class TieError(Exception):
    """Balls of the last precision do not tell two scores apart, and no exact numbers do."""


class Decider:
    """Decides claims about flipped versions of one graph. `counts` says how often each way was taken."""

    def __init__(self, network: Network, graph: Graph) -> None:
        self.network, self.graph = network, graph
        self.counts = {"float64": 0, "balls": 0, "exact": 0}

    def rival(
        self,
        node: int | None,
        label: int,
        rivals: Iterable[int],
        flips: Iterable[Pair] = (),
        clock: Clock = UNLIMITED,
    ) -> int | None:
        """The rival with the largest score (lowest index on ties) if it is larger than the label's; None if the claim
        holds. Raises `TimeUpError` where that is not known in time; where only the rival is not, any that wins.
        """
        twin = first_twin(self.network)
        first_of = {twin[one]: one for one in sorted(rivals, reverse=True) if twin[one] != twin[label]}
        among, winning = tuple(first_of.values()), None
        if not among:
            return None
        try:
            for scores in self._ways(node, flips, clock):
                best = leader(scores, among)
                if best is not None and scores[best] > scores[label]:
                    return best
                if all(scores[rival] <= scores[label] for rival in among):
                    return None
                winning = next((rival for rival in among if scores[rival] > scores[label]), winning)
        except (TimeUpError, TieError):
            if winning is None:
                raise
        return winning

    def largest(self, node: int | None, flips: Iterable[Pair] = (), clock: Clock = UNLIMITED) -> int:
        """The class with the largest score, lowest index on ties."""
        twin = first_twin(self.network)
        for scores in self._ways(node, flips, clock):
            best = leader(scores, sorted(set(twin)))
            if best is not None:
                return best
        raise AssertionError("exact scores always have a leader")  # balls raise a TieError before

    def _ways(self, node: int | None, flips: Iterable[Pair], clock: Clock) -> Iterator[Scores]:
        network, graph = self.network, self.graph
        flips = tuple(flips)
        clock.look()
        field = find_field(graph, network.layers, node, flips, degrees=network.normalises)
        self.counts["float64"] += 1
        bounded = enclosed_scores(network, graph, field, clock)
        if bounded is not None:
            yield bounded
        if network.attends:
            for bits in LAST_PRECISIONS:
                self.counts["balls"] += 1
                yield ball_scores(network, graph, field, bits, clock)
            raise TieError
        if count_products(network, field) > FEW_PRODUCTS:
            for bits in PRECISIONS:
                self.counts["balls"] += 1
                yield ball_scores(network, graph, field, bits, clock)
        self.counts["exact"] += 1
        yield ExactEvaluator(network, graph, clock).scores(node, flips)


def leader(scores: Scores, classes: Iterable[int]) -> int | None:
    """The class with the largest score, lowest index on ties, if that is certain."""
    among = sorted(classes)
    for best in among:
        mine = scores[best]
        if all(mine > scores[c] if c < best else mine >= scores[c] for c in among if c != best):
            return best
    return None


def count_products(network: Network, field: Field) -> int:
    """Products of two numbers in one evaluation, about."""
    total = 0
    for layer, count in zip(network.layers, field.sizes[1:], strict=True):
        total += count * layer.C.size * (1 if layer.is_dense else 2)
    return total
