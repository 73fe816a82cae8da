"""Attention in float64, and what its rounding amounts to.

With logits off by at most d, softmax weights change by factors from e^(-2d) to e^(2d), so a weighted mean of messages
moves by at most (e^(2d) - 1) times the largest of their magnitudes, beside their own errors.

Theory: "Rounding of attention".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.arrays import FloatArray, IntArray
from ..model.attention import Attention, AttentionKind

UNIT = 2.0**-53
# covers the rounding of the bound itself
SAFETY = 1.001
# how far exp may be off, relative to it: four units in the last place, five times what libraries were seen to be
EXP_OFF = 4 * 2.0**-52
# roundings of a term beside those of sums: of products, biases, activations, the shift of logits and the division
EXTRA = 40
# more than what is lost where a weight, or a product, underflows
TINY = 2.0**-960
# messages that are gathered in one go
SLICE = 1 << 20


class Heard(NamedTuple):
    """What each vertex aggregates; a bound on the magnitudes of its entries, and on their errors."""

    values: FloatArray
    size: FloatArray
    error: FloatArray


def stacked_weights(attention: Attention) -> FloatArray:
    """(numbers, in): what a vertex multiplies its features with to send; below that, for gatv2, to receive."""
    flat = attention.values.reshape(-1, attention.width_in)
    if attention.target_values is None:
        return flat
    return np.concatenate([flat, attention.target_values.reshape(-1, attention.width_in)])


def stacked_biases(attention: Attention) -> FloatArray:
    if attention.target_bias is None:
        return attention.values_bias.ravel()
    return np.concatenate([attention.values_bias.ravel(), attention.target_bias.ravel()])


def in_arcs(
    attention: Attention, sources: IntArray, counts: IntArray, selves: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Sources and targets of all messages in the order of targets, and how many each hears; `counts` edges into each
    vertex, whose own place among the sources is `selves`.
    """
    targets = np.repeat(np.arange(counts.size), counts)
    if not attention.self_loops:
        return sources, targets, counts
    kept = sources != selves[targets]
    every = np.concatenate([selves, sources[kept]])
    into = np.concatenate([np.arange(counts.size), targets[kept]])
    order = np.argsort(into, kind="stable")
    return every[order], into[order], np.bincount(into, minlength=counts.size)


def attend(
    attention: Attention,
    products: FloatArray,
    terms: int,
    sources: IntArray,
    counts: IntArray,
    selves: IntArray,
    clock: Clock = UNLIMITED,
) -> Heard:
    """products: rows of `stacked_weights` times h, then a bound on the magnitudes that were added up in each of these,
    then a bound on their errors from those of h; terms: how many were added up.
    """
    biases = stacked_biases(attention)
    sent = products[:, :-2] + biases
    size = products[:, -2] + abs(biases).max()
    error = products[:, -1] + growth(2 * terms + EXTRA) * size + TINY
    heads, channels = attention.heads, attention.channels
    messages = sent[:, : heads * channels].reshape(-1, heads, channels)
    source, target, factor, reach = _logit_parts(attention, messages, sent[:, heads * channels :], selves)
    out = Heard(np.zeros((counts.size, attention.width)), np.zeros(counts.size), np.zeros(counts.size))
    arcs = in_arcs(attention, sources, counts, selves)
    ends = np.cumsum(arcs[2])
    start, first = 0, 0
    while start < counts.size:
        clock.look()
        last = first + SLICE // (heads * channels)
        stop = max(start + 1, int(np.searchsorted(ends, last, side="right")))
        end = int(ends[stop - 1])
        piece = slice(first, end)
        some = arcs[0][piece], arcs[1][piece], arcs[2][start:stop]
        logits = _logits(attention, source[some[0]], target[some[1]], factor)
        off = reach * (error[some[0]] + error[selves[some[1]]])
        off += growth(2 * channels + EXTRA) * reach * (size[some[0]] + size[selves[some[1]]])
        _combine(attention, logits, off, messages, size, error, some, start, out)
        start, first = stop, end
    return out


def _logit_parts(
    attention: Attention, messages: FloatArray, received: FloatArray, selves: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """What the ends of an edge add to each channel of its logit, the factor of each channel, and how far a change by
    one at either end can move a logit.
    """
    if attention.kind is AttentionKind.GAT:
        assert attention.target is not None
        source = (messages * attention.source).sum(axis=2)[:, :, None]
        target = (messages[selves] * attention.target).sum(axis=2)[:, :, None]
        norms = [abs(one).sum(axis=1).max() for one in (attention.source, attention.target)]
        return source, target, np.ones((attention.heads, 1)), float(max(norms)) * SAFETY
    target = received[selves].reshape(-1, attention.heads, attention.channels)
    return messages, target, attention.source, float(abs(attention.source).sum(axis=1).max()) * SAFETY


def _logits(attention: Attention, source: FloatArray, target: FloatArray, factor: FloatArray) -> FloatArray:
    """(messages, heads)."""
    added = source + target
    bent = np.maximum(added, attention.slope * added)
    total: FloatArray = (bent * factor).sum(axis=2)
    return total


def _combine(
    attention: Attention,
    logits: FloatArray,
    off: FloatArray,
    messages: FloatArray,
    size: FloatArray,
    error: FloatArray,
    arcs: tuple[IntArray, IntArray, IntArray],
    start: int,
    out: Heard,
) -> None:
    """Softmax and weighted means of the vertices from `start` on."""
    sources, targets, counts = arcs
    some = np.flatnonzero(counts)
    if not some.size:
        return
    firsts = (np.cumsum(counts) - counts)[some]
    place = np.zeros(counts.size, dtype=np.int64)
    place[some] = np.arange(some.size)
    group = place[targets - start]
    peak = np.maximum.reduceat(logits, firsts, axis=0)
    weights = np.exp(logits - peak[group])
    total = np.add.reduceat(weights, firsts, axis=0)
    summed = np.add.reduceat(weights[:, :, None] * messages[sources], firsts, axis=0) / total[:, :, None]
    values = summed.mean(axis=1) if attention.mean else summed.reshape(some.size, -1)
    largest = np.maximum.reduceat(size[sources], firsts)
    spread = np.maximum.reduceat(off, firsts) + EXP_OFF
    roundings = 2 * (int(counts.max()) + attention.heads) + EXTRA
    moved = SAFETY * np.expm1(2.0 * spread) + growth(roundings)
    at = start + some
    out.values[at] = values
    out.size[at] = largest
    out.error[at] = SAFETY * (np.maximum.reduceat(error[sources], firsts) + moved * largest) + TINY


def growth(roundings: int) -> float:
    """g; infinite where it is not small."""
    share = roundings * UNIT
    return SAFETY * share / (1.0 - share) if share < 2.0**-14 else np.inf
