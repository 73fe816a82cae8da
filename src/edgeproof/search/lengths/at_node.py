"""What the node itself loses with each of its own edges, as a margin of each rival.

Theory: "Lengths alone".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray
from ...model.query import Query
from ..base.layout import (
    ALONE,
    GATHERED,
    GATHERED_ERROR,
    GCN,
    HIDDEN,
    HIDDEN_ERROR,
    MAX,
    MEAN,
    SENT,
    SENT_ERROR,
    Base,
)
from ..base.values import view
from ..charges.norms import ROUND_UP


def own_edges(query: Query, base: Base, each: int) -> FloatArray:
    """(edges into the node, rivals): lost messages of the last layer, at most `each` of them."""
    node, last = query.claim.node, base.L - 1
    assert node is not None
    senders = base.source[base.in_ptr[node] : base.in_ptr[node + 1]]
    how, rivals = int(base.how[last]), list(query.rivals)
    most = min(each, senders.size)
    if how == ALONE or most == 0:
        return np.zeros((senders.size, len(rivals)))
    if how == MAX:
        weight = query.network.layers[last].A
        return _lost_maxima(base, senders, abs(weight[query.claim.label] - weight[rivals]), most)
    return _lost_messages(query, base, senders, most)


def _lost_messages(query: Query, base: Base, senders: np.ndarray, most: int) -> FloatArray:
    node, last, label, rivals = query.claim.node, base.L - 1, query.claim.label, list(query.rivals)
    sent, gathered = view(base, last, SENT), view(base, last, GATHERED)
    bounds, how = base.bounds[last], int(base.how[last])

    def margin(rows: FloatArray) -> FloatArray:
        of: FloatArray = rows[..., label][..., None] - rows[..., rivals]
        return of

    beta = 1.0 / np.sqrt(base.heard[senders] + 1.0) if how == GCN else np.ones(senders.size)
    messages, error = beta[:, None] * margin(sent[senders]), beta * bounds[SENT_ERROR, senders]
    out = np.zeros(messages.shape)
    for k in range(1, most + 1):
        before, after = (_alpha(how, senders.size - gone) for gone in (0, k))
        own = (after - before) / k
        self_ = (after**2 - before**2) / k if how == GCN else 0.0
        gains = own * margin(gathered[node]) + self_ * margin(sent[node])
        magnitude = own * abs(margin(gathered[node])) + self_ * abs(margin(sent[node])) + after * abs(messages)
        off = own * bounds[GATHERED_ERROR, node] + self_ * bounds[SENT_ERROR, node] + after * error
        out = np.maximum(out, after * messages - gains + 2.0 * off[:, None] + (ROUND_UP - 1.0) * magnitude)
    return out


def _alpha(how: int, count: int) -> float:
    if how == GCN:
        return float(1.0 / np.sqrt(count + 1.0))
    return 1.0 / max(count, 1) if how == MEAN else 1.0


def _lost_maxima(base: Base, senders: np.ndarray, weight: FloatArray, most: int) -> FloatArray:
    """weight: (rivals, width), magnitudes. Only the sender of the largest value is charged: it must be among those that
    go, if anything is lost.
    """
    out = np.zeros((senders.size, len(weight)))
    last = base.L - 1
    if last == 0:
        rows, error = np.zeros((senders.size, base.width[0])), 0.0
        for at, x in enumerate(senders.tolist()):
            some = slice(base.feature_ptr[x], base.feature_ptr[x + 1])
            rows[at, base.feature_column[some]] = base.feature_value[some]
    else:
        rows = view(base, last - 1, HIDDEN)[senders]
        error = float(base.bounds[last - 1, HIDDEN_ERROR, senders].max())
    ranked = np.sort(rows, axis=0)[::-1]
    gaps = ranked[0] - ranked[min(most, senders.size - 1)]
    if most == senders.size:
        gaps = np.maximum(gaps, abs(ranked[0]))
    np.add.at(out, rows.argmax(axis=0), (weight * gaps).T)
    out += 2.0 * error * weight.sum(axis=1)
    return out * ROUND_UP
