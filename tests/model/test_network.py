"""Layers, readouts and networks validate what they are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edgeproof import InputError, Layer, Network, Readout
from edgeproof.model.activation import CODES, Activation

GOOD = {"C": [[1.0, 2.0]], "A": [[0.0, 1.0]], "b": [0.0]}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"C": [[np.nan, 1.0]]}, r"C: expected finite numbers, got nan at \[0, 0\]"),
        ({"A": [[1.0, -np.inf]]}, "A: expected finite numbers"),
        ({"A": [[1.0]]}, "A: expected shape 1x2, got 1x1"),
        ({"b": [0.0, 0.0]}, "b: expected shape 1, got 2"),
        ({"b": 0.0}, "b: expected shape 1, got a scalar"),
        ({"C": [["x", "y"]]}, "C: expected real numbers"),
        ({"C": [[1.0], [1.0, 2.0]]}, "C: expected an array of numbers"),
        ({"C": np.zeros((0, 2)), "A": np.zeros((0, 2)), "b": []}, "C: expected at least one row"),
        ({"b": np.zeros(1, dtype=np.complex128)}, "b: expected real numbers"),
        ({"aggregation": "median"}, "aggregation: expected one of sum, max, mean, gcn, sym, attention, got 'median'"),
        ({"activation": "swish"}, "activation: expected one of relu, leaky_relu, none, elu, selu, gelu"),
        ({"slope": 1.5}, "slope: expected a number from 0 to 1"),
        ({"slope": float("nan")}, "slope"),
        ({"slope": [0.5, 0.5]}, "slope: expected shape 1, got 2"),
        ({"slope": [1.5]}, "slope: expected numbers from 0 to 1, got 1.5"),
        ({"slope": "steep"}, "slope: expected real numbers"),
        ({"b": np.array([2**53 + 1])}, "does not fit into float64"),
    ],
)
def test_layers_refuse(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Layer(**(GOOD | changes))  # type: ignore[arg-type]


def test_networks_refuse_layers_that_do_not_fit() -> None:
    one, two = Layer([[1.0]] * 3, [[1.0]] * 3, [0.0] * 3), Layer([[1.0, 1.0]], [[1.0, 1.0]], [0.0])
    with pytest.raises(InputError, match="layer 2: expected 3 inputs, got 2"):
        Network([one, two])
    with pytest.raises(InputError, match="at least one layer"):
        Network([])
    with pytest.raises(InputError, match="at least 2 classes"):
        Network([two])
    with pytest.raises(InputError, match="readout C: expected 3 columns, got 1"):
        Network([one], Readout([[1.0], [2.0]], [0.0, 0.0]))
    dense, deaf = Layer.dense([[1.0], [2.0]], [0.0, 0.0]), Layer([[1.0]] * 2, [[1.0]] * 2, [0.0] * 2)
    readout = Readout([[1.0, 1.0, 1.0]], [0.0])
    with pytest.raises(InputError, match="head layer 1: expected a dense layer"):
        Network([one], readout, head=[deaf])
    with pytest.raises(InputError, match="head layer 2: expected 2 inputs, got 1"):
        Network([one], readout, head=[dense, dense])
    with pytest.raises(InputError, match="head: it follows a readout, and there is none"):
        Network([one], head=[dense])
    with pytest.raises(InputError, match="at least 2 classes"):
        Network([one], readout)
    with pytest.raises(InputError, match="pool: expected one of sum, max, mean"):
        Readout([[1.0], [2.0]], [0.0, 0.0], "min")
    with pytest.raises(InputError, match="pool: expected one of sum, max, mean, got 'gcn'"):
        Readout([[1.0], [2.0]], [0.0, 0.0], "gcn")


def test_arrays_are_copied_and_cannot_be_changed() -> None:
    C = np.ones((2, 1))
    layer = Layer(C, C, [0, 0])
    C[0, 0] = 5
    assert layer.C[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        layer.C[0, 0] = 5


def test_fingerprints_follow_the_function_not_its_spelling() -> None:
    def network(**changes: object) -> str:
        return Network([Layer(**({"C": [[1.0], [2.0]], "A": [[0.0], [1.0]], "b": [0, 0]} | changes))]).fingerprint  # type: ignore[arg-type]

    assert network(activation="relu") == network(activation="leaky_relu", slope=0)
    assert network(activation="none") == network(activation="leaky_relu", slope=1)
    assert network(activation="leaky_relu", slope=[0.5, 0.5]) == network(activation="leaky_relu", slope=0.5)
    assert network(activation="leaky_relu", slope=[0.5, 0.25]) != network(activation="leaky_relu", slope=0.5)
    assert network(A=[[0.0], [1.0]], b=[0, 0.5], aggregation="mean", activation="leaky_relu", slope=0.2).startswith(
        "96d00cca02a020c0"  # stored sweeps name networks by this: it never changes
    )
    assert len({network(), network(aggregation="max"), network(b=[0, 1]), network(activation="none")}) == 4


@pytest.mark.parametrize("at", CODES, ids=str)
def test_curved_activations_survive_a_file(at: Activation, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)

    def layer(activation: str | tuple[str, ...]) -> Layer:
        return Layer(rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), [0.0] * 3, "mean", activation, 0.3)

    each = (at.value, "none", "leaky_relu")
    last = Layer.dense(rng.normal(size=(2, 3)), [0.0, 1.0], at.value)
    head = [Layer.dense(rng.normal(size=(2, 2)), [0.0, 1.0], (at.value, "relu")), Layer.dense(np.eye(2), [0, 0])]
    for first in (layer(at.value), layer(each)):
        pooled = Network([first], Readout(rng.normal(size=(2, 3)), [0.0, 0.0], "sum"), head=head)
        for network in (Network([first, last]), pooled):
            network.save(tmp_path / "net.safetensors")
            again = Network.load(tmp_path / "net.safetensors")
            assert again.fingerprint == network.fingerprint
            assert [one.activation for one in again.layers] == [one.activation for one in network.layers]
            with pytest.raises(InputError, match="gnnx"):
                network.save(tmp_path / "net.gnnx")
    assert layer(each).bends.tolist() == [CODES[at], 1.0, 0.3]
    assert layer((at.value,) * 3).activation is at
    with pytest.raises(TypeError, match="curved"):
        _ = layer(each).negative_slopes
    with pytest.raises(InputError, match="one for each of 3 outputs, got 2"):
        layer((at.value, "none"))


def test_reprs_tell_what_matters() -> None:
    dense, leaky = Layer.dense([[1.0]], [0.0]), Layer([[1.0]] * 2, [[1.0]] * 2, [0, 0], "max", "leaky_relu", 0.2)
    assert repr(dense) == "Layer(1 -> 1, dense, relu)"
    assert repr(leaky) == "Layer(1 -> 2, max, leaky_relu(0.2))"
    assert repr(Network([dense, leaky], name="n")) == "Network('n', node task, 2 layers, widths 1 -> 1 -> 2, dense/max)"
