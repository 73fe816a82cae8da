"""How a layer weighs its neighbours by attention: GAT and GATv2."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import FloatArray, frozen_floats

if TYPE_CHECKING:
    from ..convert.raw import RawAttention


class AttentionKind(StrEnum):
    """What the logit of a message is made of."""

    GAT = "gat"
    GATV2 = "gatv2"


@dataclass(frozen=True, eq=False)
class Attention:
    """Each head k gives the mean of its messages `m_k(u) = values[k] h(u) + values_bias[k]` over the in-neighbours u of
    v, with weights `exp(e_k(u, v))`; `act(x) = max(x, slope x)`:

    - gat: `e_k(u, v) = act(source[k] . m_k(u) + target[k] . m_k(v))`;
    - gatv2: `e_k(u, v) = source[k] . act(m_k(u) + target_values[k] h(v) + target_bias[k])`.

    self_loops: v counts as its own in-neighbour once, whether or not the graph has a self-loop there (that of a vertex
    is then no edge); otherwise the edges are taken as they are, and over no in-neighbours a head gives zero. What the
    layer aggregates is one head after the other, or with `mean` the mean of all heads.

    values, target_values: (heads, channels, in); biases, source, target: (heads, channels). gat has `target`, gatv2
    has `target_values` and `target_bias`.
    """

    kind: AttentionKind
    values: FloatArray
    values_bias: FloatArray
    source: FloatArray
    target: FloatArray | None
    target_values: FloatArray | None
    target_bias: FloatArray | None
    slope: float
    mean: bool
    self_loops: bool

    def __init__(
        self,
        kind: str,
        values: ArrayLike,
        source: ArrayLike,
        *,
        target: ArrayLike | None = None,
        target_values: ArrayLike | None = None,
        values_bias: ArrayLike | None = None,
        target_bias: ArrayLike | None = None,
        slope: float = 0.2,
        mean: bool = False,
        self_loops: bool = True,
    ) -> None:
        put = object.__setattr__
        if kind not in list(AttentionKind):
            raise InputError(f"attention kind: expected one of {', '.join(AttentionKind)}, got {kind!r}")
        put(self, "kind", AttentionKind(kind))
        put(self, "values", frozen_floats(values, "attention values", (None, None, None)))
        if 0 in self.values.shape:
            raise InputError(f"attention values: expected heads, channels and inputs, got shape {self.values.shape}")
        put(self, "values_bias", self._of_heads(values_bias, "values_bias"))
        put(self, "source", self._of_heads(source, "source"))
        is_first = self.kind is AttentionKind.GAT
        if (target is None) is is_first or (target_values is None) is not is_first:
            raise InputError(
                f"attention: {kind} takes {'target' if is_first else 'target_values'}, and not the other one"
            )
        put(self, "target", self._of_heads(target, "target") if is_first else None)
        given = None if target_values is None else frozen_floats(target_values, "target_values", self.values.shape)
        put(self, "target_values", given)
        put(self, "target_bias", None if is_first else self._of_heads(target_bias, "target_bias"))
        if isinstance(slope, bool) or not isinstance(slope, int | float) or not 0 <= slope <= 1:
            raise InputError(f"attention slope: expected a number from 0 to 1, got {slope!r}")
        put(self, "slope", float(slope))
        put(self, "mean", bool(mean))
        put(self, "self_loops", bool(self_loops))

    def _of_heads(self, given: ArrayLike | None, field: str) -> FloatArray:
        shape = self.values.shape[:2]
        return frozen_floats(np.zeros(shape) if given is None else given, f"attention {field}", shape)

    @property
    def heads(self) -> int:
        return int(self.values.shape[0])

    @property
    def channels(self) -> int:
        return int(self.values.shape[1])

    @property
    def width_in(self) -> int:
        return int(self.values.shape[2])

    @property
    def width(self) -> int:
        """Of what is aggregated."""
        return self.channels if self.mean else self.heads * self.channels

    @cached_property
    def parts_of_fingerprint(self) -> list[object]:
        held = [self.values, self.values_bias, self.source, self.target, self.target_values, self.target_bias]
        return [self.kind.value, *held, self.slope, self.mean, self.self_loops]

    @classmethod
    def from_raw(cls, raw: RawAttention) -> Attention:
        return cls(**raw._asdict())

    def to_raw(self) -> RawAttention:
        from ..convert.raw import RawAttention

        return RawAttention(
            self.kind.value, self.values, self.source, self.target, self.target_values, self.values_bias,
            self.target_bias, self.slope, self.mean, self.self_loops,
        )  # fmt: skip

    def __repr__(self) -> str:
        heads = f"{self.heads} head{'s' if self.heads > 1 else ''}"
        return f"Attention({self.kind.value}, {heads} of {self.channels}{', mean' if self.mean else ''})"
