"""Damaged files: every reader gives a clean error or a valid object, nothing else."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgeproof import Graph, InputError, Network, load_graphs
from example_files import a_graph, a_network, graph_arrays, model_arrays, node_arrays, npz, saved_arrays
from strategies import damaged

few = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def survives(read: Callable[[], object]) -> None:
    message = ""
    try:
        assert repr(read())
    except InputError as problem:
        message = str(problem)
    assert "\n" not in message
    assert len(message) < 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mangled")


def written(save: Callable[[Path], None], path: Path) -> bytes:
    save(path)
    return path.read_bytes()


@few
@given(st.data())
def test_safetensors(folder: Path, data: st.DataObject) -> None:
    path = folder / "m.safetensors"
    path.write_bytes(data.draw(damaged(written(a_network().save, path))))
    survives(lambda: Network.load(path))


@few
@given(st.data())
def test_safetensors_with_a_damaged_header_of_the_right_length(folder: Path, data: st.DataObject) -> None:
    path = folder / "h.safetensors"
    whole = written(a_network().save, path)
    (length,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8 : 8 + length])
    header["__metadata__"]["edgeproof"] = data.draw(
        damaged(header["__metadata__"]["edgeproof"].encode()).map(lambda text: text.decode("latin-1"))
    )
    text = json.dumps(header).encode()
    if data.draw(st.booleans()):
        text = data.draw(damaged(text))
    path.write_bytes(struct.pack("<Q", len(text)) + text + whole[8 + length :])
    survives(lambda: Network.load(path))


@few
@given(st.data())
def test_gnnx(folder: Path, data: st.DataObject) -> None:
    path = folder / "m.gnnx"
    path.write_bytes(data.draw(damaged(written(a_network().save, path))))
    survives(lambda: Network.load(path))


@few
@given(st.data(), st.sampled_from((".graph", ".feat")))
def test_graph_and_feat(folder: Path, data: st.DataObject, suffix: str) -> None:
    path = folder / "g.graph"
    a_graph().save(path)
    changed = path.with_suffix(suffix)
    changed.write_bytes(data.draw(damaged(changed.read_bytes())))
    survives(lambda: Graph.load(path))


READERS: dict[str, tuple[dict[str, Any], Callable[[Path], object]]] = {
    "model": (model_arrays(), Network.load),
    "node": (node_arrays(), Graph.load),
    "graph": (graph_arrays(), load_graphs),
    "saved": (saved_arrays(), Graph.load),
}


@few
@given(st.data(), st.sampled_from(sorted(READERS)))
def test_npz(folder: Path, data: st.DataObject, kind: str) -> None:
    arrays, load = READERS[kind]
    path = folder / f"{kind}.npz"
    path.write_bytes(data.draw(damaged(npz(arrays))))
    survives(lambda: load(path))


@few
@given(st.data(), st.sampled_from(sorted(READERS)))
def test_npz_with_a_damaged_member_and_a_right_checksum(folder: Path, data: st.DataObject, kind: str) -> None:
    arrays, load = READERS[kind]
    path = folder / f"member-{kind}.npz"
    chosen = data.draw(st.sampled_from(sorted(arrays)))
    with zipfile.ZipFile(io.BytesIO(npz(arrays))) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, data.draw(damaged(content)) if name == f"{chosen}.npy" else content)
    survives(lambda: load(path))


numbers = st.integers(-3, 6) | st.sampled_from((-(2**63), 2**31 - 1, 2**62, 2**63 - 1))


@few
@given(st.data(), st.sampled_from(sorted(READERS)))
def test_npz_with_other_numbers(folder: Path, data: st.DataObject, kind: str) -> None:
    arrays, load = READERS[kind]
    path = folder / f"numbers-{kind}.npz"
    changed = dict(arrays)
    for chosen in data.draw(st.lists(st.sampled_from(sorted(arrays)), min_size=1, max_size=2)):
        array = np.array(changed[chosen])
        if array.dtype.kind == "U":
            changed[chosen] = np.array(data.draw(st.text(max_size=4)))
        elif array.dtype.kind == "f":
            array[...] = data.draw(st.floats())
            changed[chosen] = array
        else:
            wide = array.astype(np.int64).reshape(-1)
            wide[data.draw(st.integers(0, wide.size - 1))] = data.draw(numbers)
            changed[chosen] = wide.reshape(array.shape)
        if data.draw(st.integers(0, 4)) == 0:
            del changed[chosen]
            break
    path.write_bytes(npz(changed))
    survives(lambda: load(path))
