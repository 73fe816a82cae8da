"""The trained model: layers, aggregation, activation, readout; plain arrays, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import FloatArray, content_hash, frozen_floats
from .errors import InputError

if TYPE_CHECKING:
    from .convert.raw import RawNetwork
    from .graph import Graph


class Aggregation(StrEnum):
    """How a vertex combines its in-neighbours; over none of them, sum, max and mean give the zero vector.

    `gcn` sums `h(u) / sqrt(deg u * deg v)` over the in-neighbours u of v and v itself, which counts once, whether or
    not it has a self-loop; deg is the in-degree with that one included.
    """

    SUM = "sum"
    MAX = "max"
    MEAN = "mean"
    GCN = "gcn"


class Activation(StrEnum):
    """What a layer applies to its pre-activation, entry by entry."""

    RELU = "relu"
    LEAKY_RELU = "leaky_relu"
    NONE = "none"


_Kind = TypeVar("_Kind", Aggregation, Activation)


def _choice(kind: type[_Kind], value: str, where: str, but: _Kind | None = None) -> _Kind:
    known = [member.value for member in kind if member is not but]
    if value not in known:
        raise InputError(f"{where}: expected one of {', '.join(known)}, got {value!r}")
    return kind(value)


@dataclass(frozen=True, eq=False)
class Layer:
    """`h'(v) = act(C h(v) + A agg{h(u) : u -> v} + b)`; with `A = 0` an ordinary dense layer.

    C, A: (out, in); b: (out,). `slope` is the factor of LeakyReLU on negative numbers, from 0 to 1.
    """

    C: FloatArray
    A: FloatArray
    b: FloatArray
    aggregation: Aggregation = Aggregation.SUM
    activation: Activation = Activation.RELU
    slope: float = 0.01

    def __init__(
        self,
        C: ArrayLike,
        A: ArrayLike,
        b: ArrayLike,
        aggregation: str = "sum",
        activation: str = "relu",
        slope: float = 0.01,
    ) -> None:
        put = object.__setattr__
        put(self, "C", frozen_floats(C, "C", (None, None)))
        put(self, "A", frozen_floats(A, "A", self.C.shape))
        put(self, "b", frozen_floats(b, "b", (self.C.shape[0],)))
        put(self, "aggregation", _choice(Aggregation, aggregation, "aggregation"))
        put(self, "activation", _choice(Activation, activation, "activation"))
        if 0 in self.C.shape:
            raise InputError(f"C: expected at least one row and one column, got {self.C.shape}")
        if not (isinstance(slope, int | float) and 0 <= slope <= 1):
            raise InputError(f"slope: expected a number from 0 to 1, got {slope!r}")
        put(self, "slope", float(slope))

    @classmethod
    def dense(cls, C: ArrayLike, b: ArrayLike, activation: str = "relu", slope: float = 0.01) -> Layer:
        """A layer that looks at no neighbour."""
        return cls(C, np.zeros_like(np.asarray(C, dtype=np.float64)), b, "sum", activation, slope)

    @property
    def width_in(self) -> int:
        return int(self.C.shape[1])

    @property
    def width_out(self) -> int:
        return int(self.C.shape[0])

    @cached_property
    def is_dense(self) -> bool:
        return not self.A.any()

    @property
    def negative_slope(self) -> float:
        """What the activation multiplies negative numbers with: 0 for ReLU, 1 for none."""
        fixed = {Activation.RELU: 0.0, Activation.NONE: 1.0}
        return fixed.get(self.activation, self.slope)

    def __repr__(self) -> str:
        kind = "dense" if self.is_dense else self.aggregation.value
        act = f"leaky_relu({self.slope:g})" if self.activation is Activation.LEAKY_RELU else self.activation.value
        return f"Layer({self.width_in} -> {self.width_out}, {kind}, {act})"


@dataclass(frozen=True, eq=False)
class Readout:
    """Graph tasks: `scores = C pool{h_L(v)} + b`, pooled over all vertices."""

    C: FloatArray
    b: FloatArray
    pool: Aggregation = Aggregation.SUM

    def __init__(self, C: ArrayLike, b: ArrayLike, pool: str = "sum") -> None:
        put = object.__setattr__
        put(self, "C", frozen_floats(C, "readout C", (None, None)))
        put(self, "b", frozen_floats(b, "readout b", (self.C.shape[0],)))
        put(self, "pool", _choice(Aggregation, pool, "pool", but=Aggregation.GCN))

    def __repr__(self) -> str:
        return f"Readout({self.pool.value}, {self.C.shape[1]} -> {self.C.shape[0]})"


@dataclass(frozen=True, eq=False)
class Network:
    """A message-passing network. With a readout it classifies graphs, without one it classifies vertices.

    >>> net = Network([Layer([[1.0]], [[2.0]], [0.5], "sum", "none")])
    >>> net
    Network(node task, 1 layer, widths 1 -> 1, sum)
    """

    layers: tuple[Layer, ...]
    readout: Readout | None = None
    name: str = field(default="", compare=False)

    def __init__(self, layers: Iterable[Layer], readout: Readout | None = None, name: str = "") -> None:
        put = object.__setattr__
        put(self, "layers", tuple(layers))
        put(self, "readout", readout)
        put(self, "name", str(name))
        if not self.layers:
            raise InputError("layers: expected at least one layer, got none")
        width = self.layers[0].width_in
        for number, layer in enumerate(self.layers, 1):
            if layer.width_in != width:
                raise InputError(f"layer {number}: expected {width} inputs, got {layer.width_in}")
            width = layer.width_out
        if readout is not None and readout.C.shape[1] != width:
            raise InputError(f"readout C: expected {width} columns, got {readout.C.shape[1]}")
        if self.num_classes < 2:
            raise InputError(f"a network must tell at least 2 classes apart, this one has {self.num_classes}")

    @property
    def task(self) -> Literal["node", "graph"]:
        return "node" if self.readout is None else "graph"

    @property
    def num_features(self) -> int:
        return self.layers[0].width_in

    @property
    def num_classes(self) -> int:
        return self.layers[-1].width_out if self.readout is None else int(self.readout.C.shape[0])

    @cached_property
    def normalises(self) -> bool:
        """Whether some layer weighs messages by degrees: then what happens at the senders' in-edges matters too."""
        return any(one.aggregation is Aggregation.GCN and not one.is_dense for one in self.layers)

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths from the input features to the scores."""
        hidden = (self.num_features, *(layer.width_out for layer in self.layers))
        return hidden if self.readout is None else (*hidden, self.num_classes)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that determines the scores."""
        parts: list[object] = []
        for layer in self.layers:
            parts += [layer.C, layer.A, layer.b, layer.aggregation.value, layer.negative_slope]
        if self.readout is not None:
            parts += ["readout", self.readout.C, self.readout.b, self.readout.pool.value]
        return content_hash(*parts)

    def scores(self, graph: Graph, node: int | None = None) -> FloatArray:
        """Scores in float64: (n, classes), or (classes,) for one node or for a graph task."""
        from .evaluate import evaluate

        return evaluate(self, graph, node)

    def predict(self, graph: Graph, node: int | None = None) -> int | np.ndarray:
        """The class with the largest score, lowest index on ties (in float64)."""
        best = np.argmax(self.scores(graph, node), axis=-1)
        return int(best) if best.ndim == 0 else best

    @classmethod
    def from_raw(cls, raw: RawNetwork) -> Network:
        """Validate what a reader of `convert/` found in a file."""
        layers = []
        for number, one in enumerate(raw.layers, 1):
            try:
                layers.append(Layer(one.C, one.A, one.b, one.aggregation, one.activation, one.slope))
            except InputError as problem:
                raise InputError(f"{raw.origin}: layer {number}: {problem}") from None
        try:
            readout = None if raw.readout is None else Readout(*raw.readout)
            return cls(layers, readout, raw.name)
        except InputError as problem:
            raise InputError(f"{raw.origin}: {problem}") from None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Network:
        """Read `.safetensors` (native), `.npz` or `.gnnx`."""
        from .convert.files import read_network

        return cls.from_raw(read_network(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Write `.safetensors` (native) or, where it can carry the network, `.gnnx`."""
        from .convert.files import write_network

        write_network(self.to_raw(), path)

    def to_raw(self) -> RawNetwork:
        """Plain arrays for the writers of `convert/`."""
        from .convert.raw import RawLayer, RawNetwork, RawReadout

        layers = tuple(
            RawLayer(one.C, one.A, one.b, one.aggregation.value, one.activation.value, one.slope) for one in self.layers
        )
        held = self.readout
        readout = None if held is None else RawReadout(held.C, held.b, held.pool.value)
        return RawNetwork(layers, readout, self.name, origin=self.name or "network")

    def __repr__(self) -> str:
        kinds = list(dict.fromkeys("dense" if one.is_dense else one.aggregation.value for one in self.layers))
        count = f"{len(self.layers)} layer{'s' if len(self.layers) > 1 else ''}"
        name = f"{self.name!r}, " if self.name else ""
        pool = f", {self.readout.pool.value} pool" if self.readout is not None else ""
        arrows = " -> ".join(map(str, self.widths))
        return f"Network({name}{self.task} task, {count}, widths {arrows}, {'/'.join(kinds)}{pool})"
