"""Claims about the deployed float32 model: robust for every order of summation.

A model that runs in float32 gives scores that depend on the order in which its sums are taken. Their distance from the
scores in real arithmetic is bounded over all admissible graphs and all orders; what keeps the claim by more than that
keeps it in float32 too, and what breaks it by more than that breaks it in float32 too. In between, the order decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .clock import UNLIMITED, Clock, TimeUpError
from .model.arrays import FloatArray
from .model.network import Aggregation, Layer, Network, Readout
from .model.query import Query, require_plain
from .model.verdict import Verdict
from .proof.chain import Kind
from .proof.enclose import Enclosure
from .proof.setting import MOVABLE, PRESENT, Setting, root_batch

UNIT = 2.0**-24
FLUSH = 2.0**-125  # more than what is lost where a number is too small for float32: subnormals may be flushed
LARGE = 2.0**100  # past this something may overflow on the way
REASON = "rounding in float32 decides"


def verify_in_float32(query: Query, ask: Callable[[Query], Verdict], clock: Clock = UNLIMITED) -> Verdict:
    """`ask` decides a query in real arithmetic, and knows how much time is left."""
    require_plain(query, "arithmetic='float32'")
    try:
        error = score_errors(query, clock)
    except TimeUpError:
        return replace(ask(query), status="unknown", attack=None, rival=None, reason="timeout")
    if error is not None:
        margin = np.zeros(query.network.num_classes)
        margin[list(query.rivals)] = error[list(query.rivals)] + error[query.claim.label]
        harder = ask(_with_head_start(query, margin))
        if harder.status != "vulnerable":
            return harder
        easier = ask(_with_head_start(query, -margin))
        if easier.status != "robust":
            return easier
        return replace(harder, status="unknown", attack=None, rival=None, reason=REASON)
    found = ask(query)
    return replace(found, status="unknown", attack=None, rival=None, reason=REASON)


def score_errors(query: Query, clock: Clock = UNLIMITED) -> FloatArray | None:
    """(classes,): how far a float32 score can lie from the real one, in any admissible graph and order of summation;
    None if something may overflow.

    A sum of products in which no term passes more than N roundings is off by N u / (1 - N u) of the terms' magnitudes;
    weights and features may be rounded once when they are stored. Errors of the stage below pass through |C| and |A|,
    a mean or max passes on no more than the largest; activations pass them on and round twice more. A number that is
    flushed costs up to FLUSH times what it is multiplied with: a weight the inputs, an input the weights.
    """
    setting = Setting(query, differences=False, clock=clock)
    enclosure = Enclosure(setting)
    if not enclosure.finite:
        return None
    if not _fits(setting, enclosure):
        return None
    error = np.zeros_like(enclosure.magnitude[0])
    for t in range(1, setting.T + 1):
        stage, count = setting.stage(t), setting.active[t]
        size = enclosure.magnitude[t - 1] + error
        terms = setting.most_nonzero if t == 1 else stage.C.shape[1]
        most = int(np.diff(setting.region.ptr).max(initial=0)) if stage.kind is Kind.GRAPH else setting.region.n
        roundings = 2 * terms + (most if stage.kind is not Kind.DENSE else 0) + 10
        share = roundings * UNIT / (1.0 - roundings * UNIT)
        passed, held = (_passed(setting, t, one) for one in (error, size))
        own = 0.0 if stage.kind is Kind.POOL else size[:count] @ stage.C_abs.T
        carried = 0.0 if stage.kind is Kind.POOL else error[:count] @ stage.C_abs.T
        error = carried + passed + share * (own + held + stage.b_abs) + FLUSH * _flushed(setting, t, size, roundings)
        error = error * (1.0 + 4 * UNIT) + (4 * UNIT + FLUSH) * enclosure.magnitude[t] + FLUSH
        if not (enclosure.magnitude[t] + error < LARGE).all():
            return None
    out: FloatArray = error[0] * (1.0 + 1e-6)
    return out


def _fits(setting: Setting, enclosure: Enclosure) -> bool:
    """Whether weights and features stay finite in float32: infinity times 0 is no number, whatever else is small."""
    stages = setting.chain.stages
    weights = [weight for stage in stages for weight in (stage.C_abs, stage.A_abs, stage.b_abs)]
    return all(bool((one < LARGE).all()) for one in (*weights, enclosure.magnitude[0]))


def _flushed(setting: Setting, t: int, size: FloatArray, roundings: int) -> FloatArray:
    """(active[t], out): how many times FLUSH may be lost in the products and sums of stage t. size: its inputs."""
    stage, count = setting.stage(t), setting.active[t]
    whole = FLUSH + size.sum(axis=0).sum()  # every weight may be flushed, with whatever input
    weights = stage.C_abs.sum(axis=1) + setting.region.n * stage.A_abs.sum(axis=1)
    lost: FloatArray = np.broadcast_to(whole + (weights + 1.0) * roundings, (count, stage.width))
    return lost


def _passed(setting: Setting, t: int, rows: FloatArray) -> FloatArray:
    """What |A| and the aggregation make of magnitudes (n, in) at every vertex of stage t."""
    stage, region, count = setting.stage(t), setting.region, setting.active[t]
    out = np.zeros((count, stage.width))
    if stage.kind is Kind.DENSE:
        return out
    if stage.kind is Kind.POOL:
        pooled = rows.sum(axis=0) if stage.how is Aggregation.SUM else rows.max(axis=0)
        out[0] = stage.A_abs @ pooled
        return out
    root = root_batch(setting)
    for group in setting.groups[t]:
        status, around = root.status[0, group.slots], rows[region.source[group.slots]]
        there = ((status & PRESENT) != 0)[..., None]
        comes = ((status & MOVABLE) != 0)[..., None] & ~there
        largest = np.where(comes, around, 0.0).max(axis=1)
        if stage.how is Aggregation.SUM:
            gathered = (around * there).sum(axis=1) + largest * root.cap[0, group.vertices, None]
        else:
            gathered = np.where(there, around, 0.0).max(axis=1).clip(largest)
        out[group.vertices] = gathered @ stage.A_abs.T
    return out


def _with_head_start(query: Query, head_start: FloatArray) -> Query:
    """The same question about a network that gives each class at least so much more; negative: so much less."""
    network = query.network
    layers, readout, head = list(network.layers), network.readout, list(network.head)

    def moved(bias: FloatArray) -> FloatArray:
        return np.where(head_start == 0.0, bias, np.nextafter(bias + head_start, np.copysign(np.inf, head_start)))

    last = head[-1] if head else None if readout is not None else layers[-1]
    if last is not None and not last.is_linear:
        # what a final activation gives is shifted by a layer of its own
        (layers if readout is None else head).append(Layer.dense(np.eye(head_start.size), head_start, "none"))
    elif head:
        head[-1] = _layer(head[-1], moved(head[-1].b))
    elif readout is not None:
        readout = Readout(readout.C, moved(readout.b), readout.pool)
    else:
        layers[-1] = _layer(layers[-1], moved(layers[-1].b))
    return Query(Network(layers, readout, network.name, head), query.graph, query.threat, query.claim)


def _layer(layer: Layer, bias: FloatArray) -> Layer:
    return Layer(layer.C, layer.A, bias, layer.aggregation, layer.activation, layer.slope)
