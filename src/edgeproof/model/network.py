"""The trained model: layers, aggregation, activation, readout; plain arrays, no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .activation import AT_ZERO, FIRST_CODE, STEEPEST, Activation, bends_of, largest_of, read_activation, read_slope
from .arrays import FloatArray, content_hash, frozen_floats
from .attention import Attention

if TYPE_CHECKING:
    from ..convert.raw import RawLayer, RawNetwork
    from .graph import Graph


class Aggregation(StrEnum):
    """How a vertex combines its in-neighbours; over none of them, sum, max and mean give the zero vector.

    `gcn` sums `h(u) / sqrt(deg u * deg v)` over the in-neighbours u of v and v itself, which counts once, whether or
    not it has a self-loop; deg is the in-degree with that one included. `sym` is the same without v itself, for
    undirected graphs without self-loops: deg is the degree. `attention` is a weighted mean a head: see `Attention`.
    """

    SUM = "sum"
    MAX = "max"
    MEAN = "mean"
    GCN = "gcn"
    SYM = "sym"
    ATTENTION = "attention"

    @property
    def normalises(self) -> bool:
        """Whether messages are weighed by the degrees of both their ends."""
        return self in (Aggregation.GCN, Aggregation.SYM)


def _aggregation(value: str, where: str, but: tuple[Aggregation, ...] = ()) -> Aggregation:
    known = [member.value for member in Aggregation if member not in but]
    if value not in known:
        raise InputError(f"{where}: expected one of {', '.join(known)}, got {value!r}")
    return Aggregation(value)


@dataclass(frozen=True, eq=False)
class Layer:
    """`h'(v) = act(C h(v) + A agg{h(u) : u -> v} + b)`; with `A = 0` an ordinary dense layer.

    C, A: (out, in); b: (out,); with `attention`, A has a column for each number that it aggregates. `activation`: one
    for all outputs, or one for each, so that a layer can bend some of them and pass on the others as they are. `slope`
    is the factor of LeakyReLU on negative numbers, from 0 to 1: one for all, or one for each output.
    """

    C: FloatArray
    A: FloatArray
    b: FloatArray
    aggregation: Aggregation = Aggregation.SUM
    activation: Activation | tuple[Activation, ...] = Activation.RELU
    slope: float | FloatArray = 0.01
    attention: Attention | None = None

    def __init__(
        self,
        C: ArrayLike,
        A: ArrayLike,
        b: ArrayLike,
        aggregation: str = "sum",
        activation: str | Iterable[str] = "relu",
        slope: float | ArrayLike = 0.01,
        attention: Attention | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "C", frozen_floats(C, "C", (None, None)))
        put(self, "attention", _attention(attention, aggregation, self.width_in))
        put(self, "A", frozen_floats(A, "A", (self.width_out, attention.width) if attention else self.C.shape))
        if attention is not None and not self.A.any():
            raise InputError("A: expected numbers other than 0, or nothing of the attention is heard; leave it out")
        put(self, "b", frozen_floats(b, "b", (self.C.shape[0],)))
        put(self, "aggregation", _aggregation(aggregation, "aggregation"))
        if 0 in self.C.shape:
            raise InputError(f"C: expected at least one row and one column, got {self.C.shape}")
        put(self, "activation", read_activation(activation, self.width_out))
        put(self, "slope", read_slope(slope, self.width_out))

    @classmethod
    def dense(
        cls, C: ArrayLike, b: ArrayLike, activation: str | Iterable[str] = "relu", slope: float | ArrayLike = 0.01
    ) -> Layer:
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

    @cached_property
    def bends(self) -> FloatArray:
        """(out,): what bends each output: a slope on negative numbers (0 for ReLU, 1 for none), or a code from 2 on."""
        return bends_of(self.activation, self.slope, self.width_out)

    @cached_property
    def is_smooth(self) -> bool:
        """Whether an output is curved."""
        return bool((self.bends >= FIRST_CODE).any())

    @property
    def negative_slopes(self) -> FloatArray:
        """(out,): what the activation multiplies negative numbers with, for those who know no other activations."""
        if self.is_smooth:
            raise TypeError(f"{self!r} is curved: ask for its bends, or decline it first")
        return self.bends

    @cached_property
    def is_linear(self) -> bool:
        return bool((self.bends == 1.0).all())

    @cached_property
    def steepest(self) -> FloatArray:
        """(out,): by how much each activation may enlarge a difference at most; 1 for all that are not curved."""
        return largest_of(self.bends, STEEPEST, 1.0)

    @cached_property
    def at_zero(self) -> FloatArray:
        """(out,): the magnitude at 0 of each activation, at most."""
        return largest_of(self.bends, AT_ZERO, 0.0)

    def parts_of_fingerprint(self) -> list[object]:
        """What determines its outputs, however the activation was spelt."""
        bends = self.bends
        uniform = bool((bends == bends[0]).all())
        parts: list[object] = [self.C, self.A, self.b, self.aggregation.value, float(bends[0]) if uniform else bends]
        return parts if self.attention is None else [*parts, *self.attention.parts_of_fingerprint]

    def to_raw(self) -> RawLayer:
        """Plain arrays and names for the writers of `convert/`."""
        from ..convert.raw import RawLayer

        each = self.activation
        names = tuple(one.value for one in each) if isinstance(each, tuple) else each.value
        attention = None if self.attention is None else self.attention.to_raw()
        return RawLayer(self.C, self.A, self.b, self.aggregation.value, names, self.slope, attention)

    def __repr__(self) -> str:
        kind = "dense" if self.is_dense else self.aggregation.value
        if isinstance(self.activation, tuple):
            act = " and ".join(dict.fromkeys(one.value for one in self.activation))
        else:
            act = self.activation.value
        if self.activation is Activation.LEAKY_RELU:
            act = f"leaky_relu({self.slope:g})" if isinstance(self.slope, float) else "leaky_relu(one slope an output)"
        kind = repr(self.attention) if self.attention is not None else kind
        return f"Layer({self.width_in} -> {self.width_out}, {kind}, {act})"


def _attention(given: Attention | None, aggregation: str, width: int) -> Attention | None:
    if (given is None) is (aggregation == Aggregation.ATTENTION):
        raise InputError("attention: a layer with aggregation 'attention' has one, no other layer has")
    if given is not None and given.width_in != width:
        raise InputError(f"attention values: expected {width} columns, as many as C has, got {given.width_in}")
    return given


_NO_POOLS = (Aggregation.GCN, Aggregation.SYM, Aggregation.ATTENTION)


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
        put(self, "pool", _aggregation(pool, "pool", but=_NO_POOLS))

    def __repr__(self) -> str:
        return f"Readout({self.pool.value}, {self.C.shape[1]} -> {self.C.shape[0]})"


@dataclass(frozen=True, eq=False)
class Network:
    """A message-passing network. With a readout it classifies graphs, without one it classifies vertices.

    `head`: dense layers that follow the readout, so that their outputs are the scores.

    >>> net = Network([Layer([[1.0]], [[2.0]], [0.5], "sum", "none")])
    >>> net
    Network(node task, 1 layer, widths 1 -> 1, sum)
    """

    layers: tuple[Layer, ...]
    readout: Readout | None = None
    name: str = field(default="", compare=False)
    head: tuple[Layer, ...] = ()

    def __init__(
        self, layers: Iterable[Layer], readout: Readout | None = None, name: str = "", head: Iterable[Layer] = ()
    ) -> None:
        put = object.__setattr__
        put(self, "layers", tuple(layers))
        put(self, "readout", readout)
        put(self, "head", tuple(head))
        put(self, "name", str(name))
        if not self.layers:
            raise InputError("layers: expected at least one layer, got none")
        width = _chained("layer", self.layers, self.num_features)
        if readout is not None and readout.C.shape[1] != width:
            raise InputError(f"readout C: expected {width} columns, got {readout.C.shape[1]}")
        if readout is not None:
            _chained("head layer", self.head, int(readout.C.shape[0]))
        elif self.head:
            raise InputError("head: it follows a readout, and there is none; dense layers may stand among the layers")
        for number, layer in enumerate(self.head, 1):
            if not layer.is_dense:
                raise InputError(f"head layer {number}: expected a dense layer, got one that aggregates")
        if len({layer.aggregation for layer in self.layers if not layer.is_dense and layer.aggregation.normalises}) > 1:
            raise InputError(
                "layers: some are 'gcn', some 'sym': a network counts vertices themselves everywhere or nowhere"
            )
        if self.num_classes < 2:
            raise InputError(f"a network must tell at least 2 classes apart, this one has {self.num_classes}")

    @property
    def task(self) -> Literal["node", "graph"]:
        return "node" if self.readout is None else "graph"

    @property
    def num_features(self) -> int:
        return self.layers[0].width_in

    @cached_property
    def num_classes(self) -> int:
        return self.widths[-1]

    @cached_property
    def normalises(self) -> bool:
        """Whether some layer weighs messages by degrees: then what happens at the senders' in-edges matters too."""
        return any(one.aggregation.normalises and not one.is_dense for one in self.layers)

    @cached_property
    def attends(self) -> bool:
        """Whether some layer weighs messages by attention."""
        return any(layer.attention is not None for layer in self.layers)

    @cached_property
    def is_smooth(self) -> bool:
        """Whether some layer is curved."""
        return any(one.is_smooth for one in (*self.layers, *self.head))

    @property
    def has_exact_scores(self) -> bool:
        """Whether rational numbers and square roots reach the scores; curved activations and attention have none."""
        return not (self.is_smooth or self.attends)

    @cached_property
    def needs_simple_graph(self) -> bool:
        """Whether some layer is `sym`, which speaks of undirected graphs without self-loops only."""
        return any(one.aggregation is Aggregation.SYM and not one.is_dense for one in self.layers)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Widths from the input features to the scores."""
        hidden = (self.num_features, *(layer.width_out for layer in self.layers))
        if self.readout is None:
            return hidden
        return (*hidden, int(self.readout.C.shape[0]), *(layer.width_out for layer in self.head))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that determines the scores."""
        parts: list[object] = []
        for layer in self.layers:
            parts += layer.parts_of_fingerprint()
        if self.readout is not None:
            parts += ["readout", self.readout.C, self.readout.b, self.readout.pool.value]
        for layer in self.head:
            parts += ["head", *layer.parts_of_fingerprint()]
        return content_hash(*parts)

    def scores(self, graph: Graph, node: int | None = None) -> FloatArray:
        """Scores in float64: (n, classes), or (classes,) for one node or for a graph task."""
        from ..arithmetic.float64 import evaluate

        return evaluate(self, graph, node)

    def predict(self, graph: Graph, node: int | None = None) -> int | np.ndarray:
        """The class with the largest score, lowest index on ties (in float64)."""
        best = np.argmax(self.scores(graph, node), axis=-1)
        return int(best) if best.ndim == 0 else best

    @classmethod
    def from_raw(cls, raw: RawNetwork) -> Network:
        """Validate what a reader of `convert/` found in a file."""
        layers = [_from_raw(one, f"{raw.origin}: layer {number}") for number, one in enumerate(raw.layers, 1)]
        head = [_from_raw(one, f"{raw.origin}: head layer {number}") for number, one in enumerate(raw.head, 1)]
        try:
            readout = None if raw.readout is None else Readout(*raw.readout)
            return cls(layers, readout, raw.name, head)
        except InputError as problem:
            raise InputError(f"{raw.origin}: {problem}") from None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Network:
        """Read `.safetensors` (native), `.npz` or `.gnnx`."""
        from ..convert.files import read_network

        return cls.from_raw(read_network(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Write `.safetensors` (native) or, where it can carry the network, `.gnnx`."""
        from ..convert.files import write_network

        write_network(self.to_raw(), path)

    def to_raw(self) -> RawNetwork:
        """Plain arrays for the writers of `convert/`."""
        from ..convert.raw import RawNetwork, RawReadout

        layers, head = (tuple(one.to_raw() for one in some) for some in (self.layers, self.head))
        held = self.readout
        readout = None if held is None else RawReadout(held.C, held.b, held.pool.value)
        return RawNetwork(layers, readout, self.name, origin=self.name or "network", head=head)

    def __repr__(self) -> str:
        kinds = list(dict.fromkeys("dense" if one.is_dense else one.aggregation.value for one in self.layers))
        count = f"{len(self.layers)} layer{'s' if len(self.layers) > 1 else ''}"
        name = f"{self.name!r}, " if self.name else ""
        pool = f", {self.readout.pool.value} pool" if self.readout is not None else ""
        pool += f", head of {len(self.head)}" if self.head else ""
        arrows = " -> ".join(map(str, self.widths))
        return f"Network({name}{self.task} task, {count}, widths {arrows}, {'/'.join(kinds)}{pool})"


def _chained(kind: str, layers: Iterable[Layer], width: int) -> int:
    """Check that each layer takes what the one before it gives; returns what the last one gives."""
    for number, layer in enumerate(layers, 1):
        if layer.width_in != width:
            raise InputError(f"{kind} {number}: expected {width} inputs, got {layer.width_in}")
        width = layer.width_out
    return width


def _from_raw(raw: RawLayer, where: str) -> Layer:
    try:
        attention = None if raw.attention is None else Attention.from_raw(raw.attention)
        return Layer(raw.C, raw.A, raw.b, raw.aggregation, raw.activation, raw.slope, attention)
    except InputError as problem:
        raise InputError(f"{where}: {problem}") from None
