"""Claims about several allowed classes, and about a lead: an ordinary claim about another network.

The largest score of the allowed classes, less the lead that is asked for, becomes one class beside the rivals. That is
a network again: max(s, t) = s + relu(t - s) takes one dense layer for every class after the first, and the lead is a
bias. Nothing is rounded, so that every engine answers the same question, ties included: a lead that is exactly reached
is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..errors import InputError
from .arrays import FloatArray
from .graph import Graph
from .memo import NetworkMemo
from .network import Layer, Network, Readout
from .query import Claim, Query, class_number, make_query
from .threat import Threat

LARGEST = float(np.finfo(np.float64).max)
# how many networks are kept beside one: a sweep asks about a few classes over and over
NETWORKS = 16


class Asked(NamedTuple):
    """A question as engines take it, and the way back to the user's classes."""

    query: Query
    label: int
    classes: tuple[int, ...]  # of the network in the query: its first one stands for all that are allowed

    def rival(self, found: int | None) -> int | None:
        return None if found is None else self.classes[found]


def ask_for(
    network: Network,
    graph: Graph,
    threat: Threat,
    node: int | None,
    label: int | Iterable[int] | None,
    target: int | None,
    margin: float,
    clock: Clock = UNLIMITED,
) -> Asked:
    """label: a class, or several of which any counts as kept; margin: by how much it must lead every rival.

    Raises `TimeUpError` as `make_query` does.
    """
    lead = _margin(margin)
    single = label is None or not _is_several(label)
    if single and lead == 0.0:
        query = make_query(network, graph, threat, node, label, target, clock)  # type: ignore[arg-type]
        return Asked(query, query.claim.label, tuple(range(network.num_classes)))
    if single:
        plain = make_query(network, graph, threat, node, label, target, clock)  # type: ignore[arg-type]
        allowed: tuple[int, ...] = (plain.claim.label,)
    else:
        allowed = _allowed(label, network.num_classes)
        plain = make_query(network, graph, threat, node, allowed[0], None)
    rivals = tuple(c for c in range(network.num_classes) if c not in allowed)
    if target is not None:
        chosen = class_number(target, "target", network.num_classes)
        if chosen in allowed:
            raise InputError(f"target: class {chosen} is one of the allowed classes")
        rivals = (chosen,)
    kept, key = _rewritten(network), (allowed, rivals, lead)
    if key not in kept:
        if len(kept) >= NETWORKS:
            kept.clear()
        shifted = _with_less(network, allowed[0], lead) if single else None
        kept[key] = _rewrite(network, allowed, rivals, lead) if shifted is None else shifted
    if single and kept[key].widths == network.widths:  # the same classes, one of them with a smaller bias
        return Asked(
            Query(kept[key], graph, plain.threat, plain.claim), plain.claim.label, tuple(range(network.num_classes))
        )
    query = Query(kept[key], graph, plain.threat, Claim(plain.claim.node, 0))
    return Asked(query, _leading(plain, allowed), (allowed[0], *rivals))


_rewritten: NetworkMemo[dict[Any, Network]] = NetworkMemo(lambda _: {})


def _is_several(label: object) -> bool:
    """A tuple, a list, a set, an array; a tensor or array that holds one number is a class."""
    return isinstance(label, Iterable) and not isinstance(label, str) and getattr(label, "ndim", 1) > 0


def _allowed(label: Any, classes: int) -> tuple[int, ...]:
    found = sorted({class_number(one, "label", classes) for one in label})
    if not found:
        raise InputError("label: expected a class, or several of which any counts as kept, got none")
    if len(found) == classes:
        raise InputError("label: every class is allowed, so nothing can break the claim")
    return tuple(found)


def _margin(margin: object) -> float:
    number = isinstance(margin, int | float | np.floating | np.integer) and not isinstance(margin, bool)
    if not number or not 0 <= margin <= LARGEST:  # type: ignore[operator]
        raise InputError(f"margin: expected a number from 0 on, by how much the label must lead, got {margin!r:.60}")
    return float(margin)  # type: ignore[arg-type]


def _leading(plain: Query, allowed: tuple[int, ...]) -> int:
    """Of the allowed classes the one with the largest score on the graph as it is, in floating point: for people."""
    scores = plain.network.scores(plain.graph, plain.claim.node)
    return max(allowed, key=lambda c: (scores[c], -c))


def _rewrite(network: Network, allowed: tuple[int, ...], rivals: tuple[int, ...], lead: float) -> Network:
    """Scores: the largest of those allowed less the lead, and those of the rivals, in this order."""
    width, steps = network.num_classes, []
    # what holds before a step: sums of the entries below give the largest so far, then those to come, then rivals
    so_far: FloatArray = np.eye(width)[[allowed[0]]]
    rest: FloatArray = np.eye(width)[[*allowed[1:], *rivals]]
    for _ in allowed[1:]:
        slopes = np.ones(1 + len(rest))
        slopes[1] = 0.0
        step = np.concatenate([so_far, rest[:1] - so_far, rest[1:]])
        steps.append(Layer.dense(step, np.zeros(len(step)), "leaky_relu", slopes))
        identity = np.eye(len(step))
        so_far, rest = identity[[0]] + identity[[1]], identity[2:]
    last = np.concatenate([so_far, rest])
    bias = np.zeros(len(last))
    bias[0] = -lead
    steps.append(Layer.dense(last, bias, "none"))
    if network.readout is None:
        return Network([*network.layers, *steps], None, network.name)
    return Network(network.layers, network.readout, network.name, [*network.head, *steps])


def _with_less(network: Network, label: int, lead: float) -> Network | None:
    """The same network with a smaller bias of one class; None where that would round, or an activation comes after."""
    layers, readout, head = list(network.layers), network.readout, list(network.head)
    last = head[-1] if head else readout if readout is not None else layers[-1]
    if isinstance(last, Layer) and not last.is_linear:
        return None
    bias = last.b.copy()
    bias[label] -= lead
    if not isfinite(bias[label]) or Fraction(float(bias[label])) != Fraction(float(last.b[label])) - Fraction(lead):
        return None
    if isinstance(last, Readout):
        readout = Readout(last.C, bias, last.pool)
    else:
        changed = Layer(last.C, last.A, bias, last.aggregation, last.activation, last.slope, last.attention)
        (head if head else layers)[-1] = changed
    return Network(layers, readout, network.name, head)
