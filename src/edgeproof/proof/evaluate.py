"""Groundings: the scores of many graphs at once in float64, kept stage by stage for those who need them."""

from __future__ import annotations

import numpy as np

from ..model.arrays import BoolArray, FloatArray
from ..model.network import Aggregation
from .boxes import activate
from .chain import Kind
from .setting import Setting


def evaluate_graphs(setting: Setting, there: BoolArray) -> list[FloatArray]:
    """there: (B, S) which slots are edges. Returns h_t (B, active[t], D) for t = 1..T, at index t; index 0 is empty."""
    region, size = setting.region, len(there)
    values = [np.zeros((size, 0, 0))]
    below: FloatArray | None = None
    for t in range(1, setting.T + 1):
        stage, count = setting.stage(t), setting.active[t]
        if stage.kind is Kind.POOL:
            assert below is not None
            before = _pooled(stage.how, below) @ stage.A.T + stage.b
        elif below is None:
            before = np.repeat(setting.own[None, :count], size, axis=0)
        else:
            before = below[:, :count] @ stage.C.T + stage.b
        if stage.kind is Kind.GRAPH and t == 1 and setting.takes_raw:
            for v, raw in setting.raw.items():
                edges = there[:, region.ptr[v] : region.ptr[v + 1], None]
                largest = np.where(edges, raw.x, -np.inf).max(axis=1)
                before[:, v] += np.where(edges.any(axis=1), largest, 0.0) @ raw.weight
        elif stage.kind is Kind.GRAPH:
            if below is None:
                sent = setting.sent[None]
            else:
                sent = below @ stage.A.T if stage.products else below
            for group in setting.groups[t]:
                edges = there[:, group.slots, None]
                rows = sent[:, region.source[group.slots]]
                if stage.how is Aggregation.MAX:
                    largest = np.where(edges, rows, -np.inf).max(axis=2)
                    before[:, group.vertices] += np.where(edges.any(axis=2), largest, 0.0) @ stage.A.T
                else:
                    total = (rows * edges).sum(axis=2)
                    share = np.maximum(edges.sum(axis=2), 1) if stage.how is Aggregation.MEAN else 1
                    before[:, group.vertices] += total / share
        below = activate(before, stage.slope)
        values.append(below)
    return values


def _pooled(how: Aggregation, below: FloatArray) -> FloatArray:
    pooled: FloatArray = below.max(axis=1, keepdims=True)
    if how is not Aggregation.MAX:
        pooled = below.sum(axis=1, keepdims=True) / (below.shape[1] if how is Aggregation.MEAN else 1)
    return pooled


def objectives(setting: Setting, values: list[FloatArray]) -> FloatArray:
    """(B, rivals): `score[rival] - score[label]`, the claim holds where all are <= 0."""
    out: FloatArray = values[-1][:, 0] @ setting.chain.objective.T
    return out
