"""From a query to the flat arrays of `Star`, where its network is two layers whose output is linear.

Theory: "Rounding of shapes".
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.graph import Graph
from ...model.injection import NewEnds
from ...model.network import Layer, Network
from ...model.query import Query
from ...model.threat import Threat
from ..base.layout import (
    ALONE,
    GATHERED,
    GATHERED_ERROR,
    GCN,
    MAX,
    OWN,
    OWN_ERROR,
    SENT,
    SENT_ERROR,
    Base,
)
from ..base.values import base_values, view
from .layout import Stand, Star, make_stand

# more than rounding in the bounds themselves adds to that of an evaluation
SPREAD = 32.0
# rows of `gathered` that flips may have to remember
ROOM = 1 << 22


class Askable(Protocol):
    """What a search by sizes needs of a question."""

    @property
    def query(self) -> Query: ...
    @property
    def star(self) -> Star: ...
    @property
    def base(self) -> Base: ...
    @property
    def slack(self) -> float: ...
    @property
    def most(self) -> int: ...
    def stand(self) -> Stand:
        """The graph as it is."""


class Question(NamedTuple):
    """A query as a star, and how far any of its margins or bounds may be off with so many flips."""

    query: Query
    star: Star
    base: Base
    slack: float
    most: int

    def stand(self) -> Stand:
        first = _first_hearing(self.query.network)
        reach = int(np.diff(self.base.out_ptr).max(initial=0)) + self.most + 2
        rows = 2 * (self.most + 1) * (reach if self.base.how[first] == GCN else 1)
        gathered = view(self.base, first, GATHERED)
        return make_stand(self.star, self.base.heard, self.base.loop, gathered, self.most, rows)


def applies_to(network: Network) -> bool:
    """Whether such a network is two layers of sums, means or GCN with an output that is linear in the second."""
    hearing = [number for number, layer in enumerate(network.layers) if not layer.is_dense]
    if network.task != "node" or len(hearing) != 2 or hearing[1] != hearing[0] + 1:
        return False
    if any(network.layers[number].aggregation.value == "max" for number in hearing):
        return False
    return all(layer.is_linear for layer in network.layers[hearing[1] :])


def _first_hearing(network: Network) -> int:
    return next(number for number, layer in enumerate(network.layers) if not layer.is_dense)


def make_question(query: Query, most: int) -> Question | None:
    """None where this does not apply, or where numbers are too large for any bound; `most`: flips at most."""
    if query.claim.node is None or not applies_to(query.network) or query.threat.fragile is not None:
        return None
    base, first = base_values(query.network, query.graph), _first_hearing(query.network)
    assert base.how[first] not in (ALONE, MAX)
    keep, take, const, keep_size, take_size, const_size = fold(query, query.network.layers[first + 1 :])
    sent = view(base, first, SENT)
    n, H = sent.shape
    if base.has_own[first]:
        own = view(base, first, OWN)
    else:
        own = np.broadcast_to(query.network.layers[first].b, (n, H)).copy()
    star = Star(
        n=n, H=H, R=len(query.rivals), node=query.claim.node, directed=int(query.graph.directed),
        first=int(base.how[first]), last=int(base.how[first + 1]),
        in_ptr=base.in_ptr, source=base.source, out_ptr=base.out_ptr, target=base.target,
        own=own, sent=sent, slope=base.slope[first, :H].copy(), keep=keep, take=take, const=const,
        delete=int(query.threat.delete), insert=insert_code(query.threat), fresh=first_new(query.threat, n),
        guarded=guarded(query.graph, query.threat), local=local_budgets(query.threat, n),
    )  # fmt: skip
    if star.last == GCN and star.first != GCN and base.loop.any():
        return None  # a self-loop counts in one layer's degrees and not in the other's
    if star.first == GCN and 2 * most * int(np.diff(base.out_ptr).max(initial=0)) * H > ROOM:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        slack = _slack(base, first, star, most, keep_size, take_size, const_size)
    return Question(query, star, base, slack, most) if np.isfinite(slack) else None


def fold(query: Query, last: tuple[Layer, ...]) -> tuple[FloatArray, ...]:
    """One row a rival: its score minus the label's, as weights of the hidden units; and sums of magnitudes of each."""
    keep, take, const = last[0].C, last[0].A, last[0].b
    keep_size, take_size, const_size = abs(keep), abs(take), abs(const)
    for layer in last[1:]:
        size = abs(layer.C)
        keep, take, const = layer.C @ keep, layer.C @ take, layer.C @ const + layer.b
        keep_size, take_size, const_size = size @ keep_size, size @ take_size, size @ const_size + abs(layer.b)
    rivals, label = list(query.rivals), query.claim.label
    rows = [np.ascontiguousarray(one[rivals] - one[label]) for one in (keep, take, const)]
    sizes = [one[rivals] + one[label] for one in (keep_size, take_size, const_size)]
    return (*rows, *sizes)


def insert_code(threat: Threat) -> int:
    """Star.insert."""
    if isinstance(threat.insert, NewEnds):
        return 3
    return 2 if threat.insert == "target" else int(threat.insert)


def first_new(threat: Threat, n: int) -> int:
    return threat.insert.first if isinstance(threat.insert, NewEnds) else n


def guarded(graph: Graph, threat: Threat) -> IntArray:
    pairs = sorted(threat.protected_pairs(graph))
    both = pairs if graph.directed else pairs + [(v, u) for u, v in pairs]
    return np.array(both, dtype=np.int64).reshape(-1, 2).T.copy()


def local_budgets(threat: Threat, n: int) -> IntArray:
    local = threat.local_budget
    if local is None:
        return np.full(n, np.iinfo(np.int64).max // 2)
    return np.full(n, local, dtype=np.int64) if isinstance(local, int) else local.copy()


def _slack(
    base: Base,
    first: int,
    star: Star,
    most: int,
    keep_size: FloatArray,
    take_size: FloatArray,
    const_size: FloatArray,
) -> float:
    """How far a margin, or a bound of one, is off at most. Magnitudes are those of the largest vertex and degree: the
    result is larger than it must be by some hundred times, and far below any margin all the same.
    """
    bounds = base.bounds[first]
    degree, heard = int(base.heard.max(initial=0)), int(base.heard[star.node])
    sent, own = float(abs(star.sent).max()), float(abs(star.own).max())
    error = bounds[OWN_ERROR].max() + bounds[GATHERED_ERROR].max() + (4 * most + 4) * bounds[SENT_ERROR].max()
    size = own + (degree + 8 * most + 8) * sent
    unit = 2.0**-53 * (degree + heard + 16 * most + star.H + sum(layer_width for layer_width in base.width[1:]) + 64)
    weight = take_size.sum(axis=1) * (heard + most + 2) + keep_size.sum(axis=1)
    return float((SPREAD * (weight * (error + unit * size) + unit * const_size)).max()) + 1e-280
