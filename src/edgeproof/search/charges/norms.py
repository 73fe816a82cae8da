"""Lengths of rows and of weights, and how far rounding can carry: scalars a vertex, once a network and graph.

Theory: "Rounding of charges".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray
from ...model.graph import Graph
from ...model.memo import Memo
from ...model.network import Network
from ..base.gather import gather_largest, gather_weighted
from ..base.layout import ALONE, GATHERED, GCN, HIDDEN, MAX, MEAN, SENT, Base
from ..base.values import base_values, view

# more than what is lost by computing a length, or a largest singular value, in floating point
ROUND_UP = 1.0 + 1e-9
# more than the length of what squares lose below the smallest normal number: 2**-511 an entry
LOST = 2.0**-500
# Charges are bounded where no magnitude is larger: products of four of them are finite, and what underflows beside
# three of them is far below FAINT, which every margin has to exceed (docs/theory/charges.md).
LARGE = 2.0**200
FAINT = 2.0**-400


class Lengths(NamedTuple):
    """Euclidean lengths of rows, rounded up: (L, n)."""

    sent: FloatArray
    gathered: FloatArray
    hidden: FloatArray


class Norms(NamedTuple):
    """Axes: L layers, n vertices."""

    lengths: Lengths
    spread: FloatArray  # (L,) largest singular value of A
    own_spread: FloatArray  # (L,) of C
    reach: list[FloatArray]  # of a layer, for each output the length of its rows of A and C together
    rounding: FloatArray  # (n,) error of a score, relative to magnitudes that no flip has changed
    largest: float  # magnitude of anything that is multiplied; more than LARGE, or no number: nothing can be charged


def row_lengths(rows: FloatArray) -> FloatArray:
    """Rounded up; infinite where squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths: FloatArray = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * ROUND_UP + LOST
    return lengths


def _largest_singular_value(weight: FloatArray) -> float:
    """LAPACK's is that of a matrix which differs by some hundred units of the last place, relative to its norm."""
    if not weight.any():
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(weight, 2)) * ROUND_UP


def _make(network: Network, graph: Graph) -> Norms:
    base = base_values(network, graph)
    L, n = base.L, base.n
    sent, gathered, hidden = (np.zeros((L, n)) for _ in range(3))
    for layer in range(L):
        for out, kind in ((sent, SENT), (gathered, GATHERED), (hidden, HIDDEN)):
            if base.block[layer, kind] >= 0:
                out[layer] = row_lengths(view(base, layer, kind))
    spread = np.array([_largest_singular_value(one.A) for one in network.layers])
    own_spread = np.array([_largest_singular_value(one.C) for one in network.layers])
    reach = [row_lengths(one.A) + row_lengths(one.C) for one in network.layers]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(spread > 0.0, own_spread / spread, 0.0)
    # np.max keeps what is no number
    every = (base.rows.max(), -base.rows.min(), *spread, *own_spread, *ratio, *(one.max() for one in reach))
    return Norms(
        lengths=Lengths(sent, gathered, hidden),
        spread=spread,
        own_spread=own_spread,
        reach=reach,
        rounding=_rounding(base, graph),
        largest=float(np.max(every)),
    )


def _rounding(base: Base, graph: Graph) -> FloatArray:
    """Of every vertex, what rounding can do to its last row: magnitudes are passed on with largest row sums, whatever
    the values are, and each layer adds what it rounds.
    """
    held = graph.features
    size, error = np.zeros(base.n), np.zeros(base.n)
    some = np.flatnonzero(np.diff(held.ptr))
    if some.size:
        size[some] = np.maximum.reduceat(abs(held.values), held.ptr[some])
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in range(base.L):
            norm_c, norm_a, norm_b = base.norm[layer]
            how, both = int(base.how[layer]), np.stack([size, error], axis=1)
            heard = np.zeros_like(both)
            if how != ALONE:
                beta = 1.0 / np.sqrt(base.heard + 1.0) if how == GCN else np.ones(base.n)
                if how == MAX:
                    gather_largest(base.in_ptr, base.source, both, heard)
                else:
                    gather_weighted(base.in_ptr, base.source, beta, both, heard)
                kept = beta if how == GCN else base.loop.astype(np.float64)
                heard += kept[:, None] * both
                if how in (GCN, MEAN):
                    heard *= (beta if how == GCN else 1.0 / np.maximum(base.heard + base.loop, 1))[:, None]
            size = norm_c * both[:, 0] + norm_a * heard[:, 0] + norm_b
            error = norm_c * both[:, 1] + norm_a * heard[:, 1] + base.unit[layer] * size
    return error


def supported(base: Base) -> bool:
    """Whether the bounds of this room hold: sums, means and GCN, without self-loops that a flip could delete."""
    return not (base.how == MAX).any() and not (base.how == ALONE).any() and not base.loop.any()


norms_of: Memo[Norms] = Memo(_make)
