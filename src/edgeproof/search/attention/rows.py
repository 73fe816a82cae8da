"""What the last layer makes of a hidden row: rows of weights for logits, and for the lead of each rival.

With one output head, a rival leads iff the sum over neighbours u of w_u g_u is positive, where g_u is a row times h_u.

Theory: "The target of an attention layer".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arithmetic.attention import EXTRA, growth
from ...model.arrays import FloatArray, IntArray
from ...model.attention import AttentionKind
from ...model.network import Network
from ...model.query import Query

SAFETY = 1.001


class LastRows(NamedTuple):
    """Rows of `weight` times a hidden row plus `bias`: first `channels` for what a sender adds to logits, then one a
    rival for g, then `channels` for what the receiver adds, then one a rival for what it adds to every g itself.

    norm: the sum of magnitudes of each row; loose: what rounding adds to its error beside that, per unit of norm.
    """

    weight: FloatArray
    bias: FloatArray
    norm: FloatArray
    factor: FloatArray  # (channels,) of a logit
    slope: float
    channels: int
    rivals: IntArray
    loose: float


def single_head(network: Network) -> int | None:
    """The head of the last layer that the scores are made of, where it is one."""
    last = network.layers[-1]
    attention = last.attention
    if attention is None or not last.is_linear:
        return None
    if attention.mean:
        return 0 if attention.heads == 1 else None
    used = np.flatnonzero(last.A.reshape(-1, attention.heads, attention.channels).any(axis=(0, 2)))
    return int(used[0]) if used.size == 1 else None


def last_rows(query: Query, rivals: IntArray) -> LastRows:
    """Rows of classes are subtracted first: where they are equal, g is exactly 0."""
    last = query.network.layers[-1]
    attention, head, label = last.attention, single_head(query.network), query.claim.label
    assert attention is not None
    assert head is not None
    channels, width = attention.channels, last.width_in
    column = slice(0, channels) if attention.mean else slice(head * channels, (head + 1) * channels)
    values, values_bias = attention.values[head], attention.values_bias[head]
    mine = last.A[:, column]
    leads = mine[rivals] - mine[label]
    g = leads @ values
    g_bias = leads @ values_bias + (last.b[rivals] - last.b[label])
    extra = last.C[rivals] - last.C[label]
    if attention.kind is AttentionKind.GATV2:
        source, source_bias, factor = values, values_bias, attention.source[head].copy()
        assert attention.target_values is not None
        assert attention.target_bias is not None
        target, target_bias = attention.target_values[head], attention.target_bias[head]
    else:
        assert attention.target is not None
        source, target = attention.source[[head]] @ values, attention.target[[head]] @ values
        source_bias, target_bias = attention.source[[head]] @ values_bias, attention.target[[head]] @ values_bias
        factor = np.ones(1)
    weight = np.concatenate([source, g, target, extra])
    bias = np.concatenate([source_bias, g_bias, target_bias, np.zeros(rivals.size)])
    # of each row, what the magnitudes of its own products amount to: they bound its error as well
    inner = abs(values).sum(axis=1)
    doubled = abs(leads) @ (inner + abs(values_bias)) + abs(last.b[rivals] - last.b[label])
    if attention.kind is AttentionKind.GATV2:
        sizes = [abs(source).sum(axis=1) + abs(source_bias), abs(target).sum(axis=1) + abs(target_bias)]
    else:
        reach = inner + abs(values_bias)
        assert attention.target is not None
        sizes = [abs(attention.source[[head]]) @ reach, abs(attention.target[[head]]) @ reach]
    norm = np.concatenate([sizes[0], doubled, sizes[1], abs(extra).sum(axis=1)])
    terms = 2 * (channels + width) + EXTRA
    return LastRows(
        weight, bias, SAFETY * norm, factor, attention.slope, factor.size, rivals, growth(terms) + growth(EXTRA)
    )
