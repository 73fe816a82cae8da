"""Classes whose scores are the same expression: those with equal rows in the last layer.

Only where nothing decides ties exactly it matters that they are known to tie.
"""

from __future__ import annotations

from typing import Any

from ..model.arrays import FloatArray
from ..model.memo import NetworkMemo
from ..model.network import Layer, Network, Readout


def _twins(network: Network) -> tuple[int, ...]:
    if network.has_exact_scores:  # which tell
        return tuple(range(network.num_classes))
    last = network.head[-1] if network.head else network.readout or network.layers[-1]
    first: dict[Any, int] = {}
    return tuple(first.setdefault(_row(last, c), c) for c in range(network.num_classes))


def _row(last: Layer | Readout, c: int) -> Any:
    """All that tells the score of class c from others."""
    row: list[Any] = [_bytes(last.C[c]), float(last.b[c])]
    if isinstance(last, Readout):
        return tuple(row)
    row.append(float(last.bends[c]))
    attention = last.attention
    if attention is None:
        return (*row, _bytes(last.A[c]))
    heard = []
    for column in last.A[c].nonzero()[0].tolist():
        factor, (head, channel) = float(last.A[c, column]), divmod(column, attention.channels)
        heads = range(attention.heads) if attention.mean else [head]
        for k in heads:
            sent = _bytes(attention.values[k, channel]), float(attention.values_bias[k, channel])
            heard.append((k, factor, *sent))
    return (*row, tuple(sorted(heard)))


def _bytes(numbers: FloatArray) -> bytes:
    """The same for 0 and -0."""
    return (numbers + 0.0).tobytes()


_kept: NetworkMemo[tuple[int, ...]] = NetworkMemo(_twins)


def first_twin(network: Network) -> tuple[int, ...]:
    """Of each class, the first one whose score is the same."""
    return _kept(network)
