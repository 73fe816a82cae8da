"""Gains of flips at a mean (docs/proofs.md, "Lines")."""

from __future__ import annotations

import numpy as np

from ..model.arrays import FloatArray, IntArray


def mean_gains(low: FloatArray, high: FloatArray, there: np.ndarray, moves: np.ndarray, cap: IntArray) -> FloatArray:
    """Gains (k, slots) over the mean of those that are there."""
    goes, comes = there & moves, ~there & moves
    present, deletable, insertable = (one.sum(axis=1) for one in (there, goes, comes))
    total_high = (high * there).sum(axis=1)
    gains = np.zeros(low.shape)
    mixed = insertable > 0
    if mixed.any():
        gains[mixed] = _mixed_gains(low[mixed], high[mixed], there[mixed], goes[mixed], comes[mixed], cap[mixed])
    only = ~mixed & (deletable > 0)
    if only.any():
        gains[only] = _deletion_gains(
            low[only], high[only], goes[only], present[only], np.minimum(cap, deletable)[only], total_high[only]
        )
    return gains


def _deletion_gains(
    low: FloatArray, high: FloatArray, goes: np.ndarray, present: IntArray, most: IntArray, total: FloatArray
) -> FloatArray:
    """Neighbours can only go, at most `most` of k. Without i of them the mean has changed by at most the sum of
    q(u, i) = (total - i high(u) - (k - i) low(u)) / (k (k - i)), where total is that of all `high`. A pair gains
    q(u, 1) and a surplus: the largest over i of the mean of q(u, i) - q(u, 1) over the i lowest `high`. With nobody
    left the mean is 0, which asks for a surplus of -total / k^2.
    """
    k = present.astype(np.float64)
    middle = total / k
    ranked = np.sort(np.where(goes, high, np.inf), axis=1)
    over = np.cumsum(np.where(np.isfinite(ranked), middle[:, None] - ranked, 0.0), axis=1)
    surplus = np.zeros(len(low))
    for i in range(2, int(np.minimum(most, present - 1).max(initial=0)) + 1):
        possible = i <= np.minimum(most, present - 1)
        share = (i - 1) * over[:, i - 1] / np.where(possible, i * (k - i) * (k - 1.0), 1.0)
        surplus = np.where(possible, np.maximum(surplus, share), surplus)
    surplus = np.where(most == present, np.maximum(surplus, -middle / k), surplus)
    several = (k > 1)[:, None]
    others = (total[:, None] - high) / np.where(several, k[:, None] * (k[:, None] - 1.0), 1.0)
    one = np.where(several, others - low / k[:, None] + surplus[:, None], -low)
    return np.where(goes, one, 0.0)


def _mixed_gains(
    low: FloatArray, high: FloatArray, there: np.ndarray, goes: np.ndarray, comes: np.ndarray, cap: IntArray
) -> FloatArray:
    """Deleting D and inserting I moves the mean M0 of k by [sum over D of (M0 - s) + sum over I of (s - M0)] divided
    by k - |D| + |I|: every term at its worst, over the denominator that makes it largest.
    """
    present, deletable, insertable = (one.sum(axis=1) for one in (there, goes, comes))
    share = (1.0 / np.maximum(present, 1))[:, None]
    total_low, total_high = ((end * there).sum(axis=1)[:, None] for end in (low, high))
    leaves = share * (total_high - high) - low * (1.0 - share)
    enters = high - share * total_low
    least_left = np.maximum(present - np.minimum(cap, deletable), 1)[:, None]
    most_left = np.maximum(present - 1 + np.minimum(cap - 1, insertable), 1)[:, None]
    least_come = (present - np.minimum(cap - 1, deletable) + 1)[:, None]
    most_come = (present + np.minimum(cap, insertable))[:, None]
    gone = leaves / np.where(leaves > 0.0, least_left, most_left)
    empties = (present == deletable) & (deletable <= cap) & (present > 0)
    gone = np.where(empties[:, None], np.maximum(gone, -share * (share * total_low)), gone)
    come = enters / np.maximum(np.where(enters > 0.0, least_come, most_come), 1)
    return np.where(goes, gone, np.where(comes, come, 0.0))
