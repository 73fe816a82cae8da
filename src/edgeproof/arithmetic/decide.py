"""Whether flips break a claim, in real-number arithmetic: the first of several ways that can tell.

1. float64 with a proved bound on its rounding (enclosure.py): nearly always enough, and it costs one evaluation.
2. Balls of growing precision (balls.py), where exact numbers would be long.
3. Exact numbers (evaluator.py): only they can tell a tie, which keeps the claim.

Exact numbers do not reach the values of curved activations and of attention. There balls of up to 4,096 bits are the
last way, of score differences: rows of weights that are equal give exactly 0. A tie that they leave open is noted on
the clock, and the answer is `unknown` for the reason "tie".

Each looks at the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..clock import UNLIMITED, Clock, TimeUpError
from ..errors import EdgeproofError
from ..model.graph import Graph, Pair
from ..model.network import Network
from .balls import ball_scores
from .enclosure import enclosed_scores
from .evaluator import ExactEvaluator
from .receptive_field import Field, find_field
from .twins import first_twin

# bits of balls; where these straddle, it is a tie, or the difference is smaller than anybody's weights make it
PRECISIONS = (128, 512)
# the same where no exact numbers come after them
LONG_PRECISIONS = (128, 512, 2048, 4096)
# products of two numbers in one evaluation up to which an exact one takes some milliseconds at most
FEW_PRODUCTS = 1 << 19
Scores = Sequence[Any]  # balls, rationals or surds: `>` and `<=` say what is certain


class TieError(EdgeproofError):
    """Two scores that nothing tells apart."""

    def __init__(self) -> None:
        super().__init__(
            f"tie: two scores are closer than {LONG_PRECISIONS[-1]:,} bits can tell, so there is no predicted class; "
            "give label="
        )


class Decider:
    """Decides claims about flipped versions of one graph. `counts` says how often each way was taken.

    Theory: "Ties of curved activations".
    """

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
        holds. Raises `TimeUpError` where that is not known in time; where only the rival is not, any that wins. A tie
        that nothing separates is noted on the clock, and None.
        """
        among, winning, flips = tuple(rivals), None, tuple(flips)
        if not self.network.has_exact_scores:
            among = tuple(rival for rival in among if not self._same_row(rival, label))
        try:
            for scores in self._ways(node, flips, clock, label):
                best = leader(scores, among)
                if best is not None and scores[best] > scores[label]:
                    return best
                if all(scores[rival] <= scores[label] for rival in among):
                    return None
                winning = next((rival for rival in among if scores[rival] > scores[label]), winning)
            if winning is None:
                if clock is UNLIMITED:
                    raise TieError
                clock.note_tie(len(flips))
        except TimeUpError:
            if winning is None:
                raise
        return winning

    def largest(self, node: int | None, flips: Iterable[Pair] = (), clock: Clock = UNLIMITED) -> int:
        """The class with the largest score, lowest index on ties; `TieError` where nothing tells which that is."""
        flips, best = tuple(flips), 0
        scores: Scores = ()
        for scores in self._ways(node, flips, clock):
            found = leader(scores, range(self.network.num_classes))
            if found is not None:
                return found
        if self.network.has_exact_scores:
            raise AssertionError("exact scores always have a leader")
        best = max(range(len(scores)), key=lambda c: scores[c].mid())
        for _ in range(self.network.num_classes):
            better = self._better(node, flips, clock, best)
            if better == best:
                return best
            best = better
        raise TieError

    def _better(self, node: int | None, flips: tuple[Pair, ...], clock: Clock, best: int) -> int:
        """`best` where no class has a larger score, or as large a one at a lower index; else a class that has."""
        among = range(self.network.num_classes)
        for scores in self._ways(node, flips, clock, best):
            mine = scores[best]
            above = [c for c in among if scores[c] > mine or (c < best and self._equal(scores, c, best))]
            if above:
                return above[0]
            if all(scores[c] < mine or self._equal(scores, c, best) for c in among if c != best):
                return best
        raise TieError

    def _equal(self, scores: Scores, one: int, other: int) -> bool:
        """Whether two scores are known to be equal: balls are if both are exact, or weights are the same."""
        return bool(scores[one] == scores[other]) or self._same_row(one, other)

    def _same_row(self, one: int, other: int) -> bool:
        """Whether two classes have the same weights, so that their scores are equal in every graph."""
        twin = first_twin(self.network)
        return twin[one] == twin[other]

    def _ways(
        self, node: int | None, flips: tuple[Pair, ...], clock: Clock, label: int | None = None
    ) -> Iterator[Scores]:
        """Scores, each time better known; balls less the score of the label where that makes them smaller."""
        network, graph = self.network, self.graph
        clock.look()
        field = find_field(graph, network.layers, node, flips, degrees=network.normalises)
        self.counts["float64"] += 1
        bounded = enclosed_scores(network, graph, field, clock)
        if bounded is not None:
            yield bounded
        if not network.has_exact_scores:
            for bits in LONG_PRECISIONS:
                self.counts["balls"] += 1
                yield ball_scores(network, graph, field, bits, clock, label)
            return
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
