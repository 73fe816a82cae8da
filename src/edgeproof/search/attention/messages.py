"""What every vertex sends and adds to logits in the first layer: made once for a network and a graph.

Features do not change, so neither do these. Errors are one number a vertex, as in `arithmetic/attention.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arithmetic.attention import EXTRA, TINY, growth, stacked_biases, stacked_weights
from ...arithmetic.float64 import times
from ...model.arrays import FloatArray
from ...model.attention import Attention, AttentionKind
from ...model.graph import Graph
from ...model.memo import Memo
from ...model.network import Network

SAFETY = 1.001


class Messages(NamedTuple):
    """Rows of vertices. A channel of a logit is `factor act(source of the sender + target of the receiver)`."""

    sent: FloatArray  # (n, heads * channels)
    source: FloatArray  # (n, heads * channels of a logit)
    target: FloatArray  # the same
    factor: FloatArray  # (heads, channels of a logit)
    size: FloatArray  # (n,) bounds all magnitudes that were added up in `sent`
    error: FloatArray  # (n,) bounds the error of `sent`
    off: FloatArray  # (n,) what a vertex at one end adds to the error of a logit
    own: FloatArray  # (n, out): C h + b
    own_error: FloatArray  # (n,)


def _first_messages(network: Network, graph: Graph) -> Messages:
    layer, held = network.layers[0], graph.features
    attention = layer.attention
    assert attention is not None
    stacked = stacked_weights(attention)
    magnitudes = held.magnitudes()
    terms = 2 * int(np.diff(held.ptr).max(initial=0)) + EXTRA
    products = times(held, stacked.T.copy()) + stacked_biases(attention)
    largest = np.ascontiguousarray(abs(stacked).max(axis=0)[:, None])
    size = times(magnitudes, largest)[:, 0] * SAFETY + abs(stacked_biases(attention)).max()
    error = growth(terms) * size + TINY
    width = attention.heads * attention.channels
    sent = np.ascontiguousarray(products[:, :width])
    source, target, factor, reach = logit_parts(attention, sent, products[:, width:])
    off = SAFETY * reach * (error + growth(2 * attention.channels + EXTRA) * size)
    own = times(held, layer.C.T.copy()) + layer.b
    own_size = times(magnitudes, np.ascontiguousarray(abs(layer.C).max(axis=0)[:, None]))[:, 0] + abs(layer.b).max()
    return Messages(sent, source, target, factor, size, error, off, own, growth(terms) * own_size + TINY)


first_messages: Memo[Messages] = Memo(_first_messages)


def logit_parts(
    attention: Attention, sent: FloatArray, received: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Rows of what both ends add to the channels of logits, the factors of these, and how far one unit at one end can
    move a logit.
    """
    heads, channels = attention.heads, attention.channels
    if attention.kind is AttentionKind.GATV2:
        reach = float(abs(attention.source).sum(axis=1).max())
        return sent, np.ascontiguousarray(received), attention.source.copy(), reach
    assert attention.target is not None
    by_head = sent.reshape(-1, heads, channels)
    source, target = ((by_head * one).sum(axis=2) for one in (attention.source, attention.target))
    reach = float(max(abs(one).sum(axis=1).max() for one in (attention.source, attention.target)))
    return source, target, np.ones((heads, 1)), reach
