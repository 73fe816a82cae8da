"""What readers hand over and writers take: plain arrays, not validated yet."""

from __future__ import annotations

from typing import Any, NamedTuple

# Curved activations, as in model/activation.py: where a slope on negative numbers is expected, from 0 to 1, these stand
# for them.
CURVES = {
    name: 2 + at
    for at, name in enumerate(("elu", "selu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "softplus"))
}  # fmt: skip


class RawAttention(NamedTuple):
    kind: str
    values: Any
    source: Any
    target: Any = None
    target_values: Any = None
    values_bias: Any = None
    target_bias: Any = None
    slope: Any = 0.2
    mean: bool = False
    self_loops: bool = True


class RawLayer(NamedTuple):
    C: Any
    A: Any
    b: Any
    aggregation: str
    activation: str | tuple[str, ...]  # one, or one for each output
    slope: Any = 0.01  # one number, or one for each output
    attention: RawAttention | None = None


class RawReadout(NamedTuple):
    C: Any
    b: Any
    pool: str


class RawNetwork(NamedTuple):
    layers: tuple[RawLayer, ...]
    readout: RawReadout | None
    name: str
    origin: str  # the file, for error messages
    head: tuple[RawLayer, ...] = ()  # dense layers behind the readout; their A is not written


class RawGraph(NamedTuple):
    """Features are (indptr, columns, values, number of columns): sparse until someone needs them dense."""

    num_vertices: int
    sources: Any
    targets: Any
    features: tuple[Any, Any, Any, int]
    labels: Any  # one class a vertex, one class for the graph, or None
    directed: bool | None  # None: not said, find out from the edges
    masks: dict[str, Any]
    name: str
    origin: str
    original: Any = None  # what each vertex was called in the graph that this one was made of
