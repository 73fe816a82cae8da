"""Boxes: for every pre-activation an interval that holds in all graphs below a node (docs/proofs.md, "Boxes").

Axes: B nodes, m vertices of a group, k slots of each, D coordinates. The arithmetic is float64 to nearest; `slack`
(enclose.py) bounds what rounding can have done to one stage and is added on both sides.
"""

from __future__ import annotations

import numpy as np

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.network import Aggregation
from .chain import Kind, Stage
from .setting import MOVABLE, PRESENT, Batch, RawSlots, Setting

Box = tuple[FloatArray, FloatArray]  # low, high: (B, vertices, D)


def activate(values: FloatArray, slope: FloatArray) -> FloatArray:
    return np.where(values < 0.0, values * slope, values)


def is_wide(low: FloatArray, high: FloatArray) -> BoolArray:
    """Whether more than rounding lies between the ends; otherwise no pass is spent on them."""
    wide: BoolArray = high - low > 1e-9 * (abs(low) + abs(high))
    return wide


def affine(box: Box, weight: FloatArray, bias: FloatArray | float = 0.0) -> Box:
    """weight h + bias over a box, as centre and radius."""
    low, high = box
    centre, radius = 0.5 * (low + high), 0.5 * (high - low)
    middle, spread = centre @ weight.T + bias, radius @ abs(weight).T
    return middle - spread, middle + spread


def bound_stage(setting: Setting, batch: Batch, t: int, below: Box | None) -> Box:
    """The box of the pre-activations of stage t from the box of what stage t - 1 gives (None: features), no slack."""
    stage, count = setting.stage(t), setting.active[t]
    if stage.kind is Kind.POOL:
        assert below is not None
        return _pool(stage, below)
    if below is None:
        own = np.repeat(setting.own[None, :count], batch.size, axis=0)
        low, high = own.copy(), own
    else:
        low, high = affine((below[0][:, :count], below[1][:, :count]), stage.C, stage.b)
    if stage.kind is Kind.DENSE:
        return low, high
    if below is None and setting.takes_raw:
        _add_raw(setting, batch, low, high)
        return low, high
    if below is None:
        sent = setting.sent[None], setting.sent[None]
    else:
        sent = affine(below, stage.A) if stage.products else below
    for group in setting.groups[t]:
        source = setting.region.source[group.slots]
        status, cap = batch.status[:, group.slots], batch.cap[:, group.vertices]
        bottom, above = sent[0][:, source], sent[1][:, source]
        if stage.how is Aggregation.SUM:
            more = gather_sum(bottom, above, status, cap)
        elif stage.how is Aggregation.MEAN:
            more = _gather_mean(bottom, above, status, cap)
        else:
            more = affine(_gather_max(bottom, above, status, cap), stage.A)
        low[:, group.vertices] += more[0]
        high[:, group.vertices] += more[1]
    return low, high


def best(gains: FloatArray, cap: IntArray) -> FloatArray:
    """The sum of the `cap` largest positive gains along the slots."""
    ranked = np.maximum(gains, 0.0)
    slots = gains.shape[-2]
    if not (cap >= slots).all():
        taken = np.arange(slots) < cap[..., None]
        ranked = np.sort(ranked, axis=-2)[..., ::-1, :] * taken[..., None]
    total: FloatArray = ranked.sum(axis=-2)
    return total


def gather_sum(bottom: FloatArray, above: FloatArray, status: np.ndarray, cap: IntArray) -> Box:
    """Those that are there, and the best `cap` flips: one that goes takes its term along, one that comes brings it."""
    there = ((status & PRESENT) != 0)[..., None]
    moves = ((status & MOVABLE) != 0)[..., None]
    low, high = (bottom * there).sum(axis=-2), (above * there).sum(axis=-2)
    if cap.any():
        sign = np.where(there, -1.0, 1.0) * moves
        high = high + best(sign * above, cap)
        low = low - best(-sign * bottom, cap)
    return low, high


def _gather_mean(bottom: FloatArray, above: FloatArray, status: np.ndarray, cap: IntArray) -> Box:
    """The best of all ways to delete i and insert j slots, i + j <= cap; each is best by rank."""
    there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
    goes, comes = there & moves, ~there & moves
    present, deletable, insertable = (one.sum(axis=-1) for one in (there, goes, comes))
    shape = np.broadcast_shapes(bottom.shape, (*status.shape, 1))
    low_sum = np.broadcast_to((bottom * there[..., None]).sum(axis=-2), (*shape[:-2], shape[-1]))
    high_sum = np.broadcast_to((above * there[..., None]).sum(axis=-2), low_sum.shape)
    largest_gone = _running(bottom, goes, -1.0)
    smallest_gone = _running(above, goes, 1.0)
    smallest_come = _running(bottom, comes, 1.0)
    largest_come = _running(above, comes, -1.0)
    low, high = np.full(low_sum.shape, np.inf), np.full(low_sum.shape, -np.inf)
    most = int(cap.max(initial=0))
    for i in range(min(most, int(deletable.max(initial=0))) + 1):
        for j in range(min(most - i, int(insertable.max(initial=0))) + 1):
            possible = ((i <= deletable) & (j <= insertable) & (i + j <= cap))[..., None]
            count = (present - i + j)[..., None]
            bottom_now = low_sum - largest_gone[..., i, :] + smallest_come[..., j, :]
            above_now = high_sum - smallest_gone[..., i, :] + largest_come[..., j, :]
            empty = count == 0
            divisor = np.maximum(count, 1)
            low = np.where(possible, np.minimum(low, np.where(empty, 0.0, bottom_now / divisor)), low)
            high = np.where(possible, np.maximum(high, np.where(empty, 0.0, above_now / divisor)), high)
    return low, high


def _running(values: FloatArray, chosen: np.ndarray, sign: float) -> FloatArray:
    """[i]: the sum of the i smallest (sign 1) or largest (sign -1) chosen ones; 0 past the number of chosen ones."""
    masked = np.where(chosen[..., None], sign * values, np.inf)
    ranked = np.sort(masked, axis=-2)
    ranked = np.where(np.isfinite(ranked), ranked, 0.0)
    none = np.zeros((*ranked.shape[:-2], 1, ranked.shape[-1]))
    return sign * np.cumsum(np.concatenate([none, ranked], axis=-2), axis=-2)


def _gather_max(bottom: FloatArray, above: FloatArray, status: np.ndarray, cap: IntArray) -> Box:
    """Upper: the largest that can be there. Lower: what is left when the `cap` best deletable ones go."""
    there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
    may = (there | moves)[..., None]
    high = np.where(may, above, -np.inf).max(axis=-2)
    sure = np.where((there & ~moves)[..., None], bottom, -np.inf).max(axis=-2)
    goes = there & moves
    floor = kept_after(bottom, goes, cap)
    low = np.maximum(sure, floor)
    empties = can_empty(status, cap)[..., None]
    alone = goes | (~there & moves & (cap > goes.sum(axis=-1))[..., None])
    lowest = np.minimum(np.where(alone[..., None], bottom, np.inf).min(axis=-2), 0.0)
    return np.where(empties, lowest, low), np.where(empties, np.maximum(high, 0.0), high)


def kept_after(values: FloatArray, goes: np.ndarray, cap: IntArray) -> FloatArray:
    """The (cap + 1)-th largest of those that may go: what remains of them at least; -inf if all may go."""
    ranked = -np.sort(np.where(goes[..., None], -values, np.inf), axis=-2)
    ranked = np.concatenate([ranked, np.full((*ranked.shape[:-2], 1, ranked.shape[-1]), -np.inf)], axis=-2)
    at = np.minimum(cap, ranked.shape[-2] - 1)[..., None, None]
    at = np.broadcast_to(at, (*ranked.shape[:-2], 1, ranked.shape[-1]))
    return np.take_along_axis(ranked, at, axis=-2)[..., 0, :]


def can_empty(status: np.ndarray, cap: IntArray) -> np.ndarray:
    """Whether the neighbourhood can become empty: nobody is there for sure, and all who are there may go."""
    there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
    empties: np.ndarray = ~(there & ~moves).any(axis=-1) & ((there & moves).sum(axis=-1) <= cap)
    return empties


def _pool(stage: Stage, below: Box) -> Box:
    """The readout: every vertex is there."""
    if stage.how is Aggregation.MAX:
        pooled = below[0].max(axis=1, keepdims=True), below[1].max(axis=1, keepdims=True)
        return affine(pooled, stage.A, stage.b)
    low, high = affine(below, stage.A)
    share = low.shape[1] if stage.how is Aggregation.MEAN else 1
    return low.sum(axis=1, keepdims=True) / share + stage.b, high.sum(axis=1, keepdims=True) / share + stage.b


# --- a first stage that takes the max of features ---


MOST_NAMED = 62  # slots whose sets have names; of more, every column is a crowd of its own


class Carried:
    """Columns of 0/1 features by who carries them (docs/proofs.md, "Carriers"), at one vertex.

    A column is there for sure, or hangs on one slot alone (which then acts as under a sum), or on a crowd; columns with
    the same carriers are one crowd. Axes: B nodes, k slots, G crowds of a node (filled up with crowds of nobody).
    const: (B, D) what is there in the grounding and hangs on no single slot; sent: (B, k, D) what hangs on one alone;
    worth: (B, G, D) what a crowd sends; goes, comes: (B, G) how many of it may go, and come; crowd: (B, k, G) who.
    """

    def __init__(self, raw: RawSlots, status: np.ndarray, cap: IntArray) -> None:
        carries = raw.x != 0.0
        there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
        moves = moves & (cap > 0)[:, None]
        weight = raw.weight * raw.value[:, None]
        carriers = carries & moves[..., None]
        goes = (carriers & there[..., None]).sum(axis=1)
        comes = carriers.sum(axis=1) - goes
        sure = (carries & (there & ~moves)[..., None]).any(axis=1) | (goes > cap[:, None])
        single = ~sure & (goes + comes == 1)
        shared = ~sure & (goes + comes > 1)
        self.const: FloatArray = (sure | (shared & (goes > 0))) @ weight
        self.sent: FloatArray = (carriers & single[:, None]) @ weight
        node, column = np.nonzero(shared)
        if carries.shape[0] <= MOST_NAMED:
            names = (carriers << np.arange(carries.shape[0])[:, None]).sum(axis=1)[node, column]
        else:
            names = column
        order = np.lexsort((names, node))
        node, column, names = node[order], column[order], names[order]
        begins = np.ones(node.size, dtype=np.bool_)
        begins[1:] = (node[1:] != node[:-1]) | (names[1:] != names[:-1])
        first = np.flatnonzero(begins)
        of, example = node[first], column[first]
        rank = np.arange(first.size) - np.searchsorted(of, of)
        size = int(rank.max(initial=-1)) + 1
        self.worth = np.zeros((len(status), size, weight.shape[1]))
        self.goes, self.comes = (np.zeros((len(status), size), dtype=np.int64) for _ in range(2))
        self.crowd = np.zeros((*status.shape, size), dtype=np.bool_)
        if first.size:
            self.worth[of, rank] = np.add.reduceat(weight[column], first, axis=0)
            self.goes[of, rank], self.comes[of, rank] = goes[of, example], comes[of, example]
            self.crowd[of, :, rank] = carriers[of, :, example]


def _add_raw(setting: Setting, batch: Batch, low: FloatArray, high: FloatArray) -> None:
    region = setting.region
    for v, raw in setting.raw.items():
        status, cap = batch.status[:, region.ptr[v] : region.ptr[v + 1]], batch.cap[:, v]
        if not raw.uniform:
            x = np.broadcast_to(raw.x, (batch.size, *raw.x.shape))
            more = affine(_gather_max(x, x, status, cap), raw.weight.T)
            low[:, v] += more[0]
            high[:, v] += more[1]
            continue
        held = Carried(raw, status, cap)
        alone = gather_sum(held.sent, held.sent, status, cap)
        # what a crowd sends is there or not; in the grounding it is there if one of them is
        grounded = held.const - (held.worth * (held.goes > 0)[..., None]).sum(axis=1)
        low[:, v] += grounded + alone[0] + np.minimum(held.worth, 0.0).sum(axis=1)
        high[:, v] += grounded + alone[1] + np.maximum(held.worth, 0.0).sum(axis=1)
