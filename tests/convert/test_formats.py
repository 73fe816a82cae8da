"""Round trips and refusals of every file format."""

from __future__ import annotations

import io
import os
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgeproof import Graph, InputError, Layer, Network, Readout, load_graphs, save_graphs
from example_files import a_graph, a_network, graph_arrays, model_arrays, node_arrays, npz
from strategies import graphs, networks

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@quick
@given(networks())
def test_safetensors_gives_back_every_network_bit_by_bit(folder: Path, network: Network) -> None:
    network.save(folder / "n.safetensors")
    again = Network.load(folder / "n.safetensors")
    assert again.fingerprint == network.fingerprint
    assert again.name == (network.name or "n")  # what has no name is called after its file
    assert repr(again).endswith(repr(network).removeprefix("Network("))


@quick
@given(networks(paper=True))
def test_gnnx_gives_back_what_it_can_carry(folder: Path, network: Network) -> None:
    network.save(folder / "n.gnnx")
    again = Network.load(folder / "n.gnnx")
    assert [layer.activation for layer in again.layers] == [layer.activation for layer in network.layers]
    for ours, theirs in zip(network.layers, again.layers, strict=True):
        assert all(np.array_equal(getattr(ours, field), getattr(theirs, field)) for field in ("C", "A", "b"))
        assert ours.is_dense or ours.aggregation == theirs.aggregation
    assert (again.readout is None) == (network.readout is None)
    if network.readout is not None and again.readout is not None:
        assert np.array_equal(again.readout.C, network.readout.C)
        assert np.array_equal(again.readout.b, network.readout.b)


@quick
@given(graphs())
def test_graph_and_feat_give_back_the_graph(folder: Path, graph: Graph) -> None:
    graph.save(folder / "g.graph")
    assert Graph.load(folder / "g.graph").fingerprint == graph.fingerprint


@quick
@given(graphs(), st.data())
def test_npz_gives_back_the_graph_with_its_classes_and_masks(folder: Path, graph: Graph, data: st.DataObject) -> None:
    n = graph.num_vertices
    labels = data.draw(st.none() | st.integers(0, 3) | st.lists(st.integers(0, 3), min_size=n, max_size=n))
    masks = {key: data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for key in ("train", "test_0")}
    known = Graph(
        np.stack([graph.sources, graph.targets]), graph.features, directed=graph.directed, labels=labels, masks=masks
    )
    known.save(folder / "g.npz")
    again = Graph.load(folder / "g.npz")
    assert again.fingerprint == known.fingerprint
    assert (again.labels is None) == (labels is None)
    assert labels is None or again.labels.tolist() == labels
    assert {key: mask.tolist() for key, mask in again.masks.items()} == masks


def test_many_graphs_of_one_kind_go_into_one_file(tmp_path: Path) -> None:
    one = Graph([[0, 1], [1, 0]], [[1.0, 0.5], [0.0, 0.0]], directed=False, labels=1)
    other = Graph([[0], [0]], [[0.0, -3.0]], directed=False, labels=0)
    save_graphs([one, other], tmp_path / "many.npz")
    again = load_graphs(tmp_path / "many.npz")
    assert [graph.fingerprint for graph in again] == [one.fingerprint, other.fingerprint]
    assert [int(graph.labels) for graph in again] == [1, 0]
    directed = Graph([[0], [0]], [[0.0, -3.0]], directed=True, labels=0)
    by_vertex = Graph([[0], [0]], [[0.0, -3.0]], directed=False, labels=[0])
    for wrong, path, complaint in (
        ([], "many.npz", "expected at least one graph"),
        ([one, other], "many.graph", r"a \.graph file holds one graph, got 2; \.npz takes many"),
        ([one, directed], "many.npz", "the same direction"),
        ([one, by_vertex], "many.npz", "labels: expected one class a graph"),
    ):
        with pytest.raises(InputError, match=complaint):
            save_graphs(wrong, tmp_path / path)


def test_a_graph_keeps_its_name_or_is_called_after_its_file(tmp_path: Path) -> None:
    a_graph().save(tmp_path / "g.npz")
    assert Graph.load(tmp_path / "g.npz").name == "g"
    Graph([[0], [0]], [[1.0]], directed=True, name="a loop").save(tmp_path / "g.npz")
    assert Graph.load(tmp_path / "g.npz").name == "a loop"


def test_float32_weights_take_four_bytes_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    narrow = rng.normal(size=(64, 64)).astype(np.float32)
    for array, size in ((narrow, 4), (rng.normal(size=(64, 64)), 8)):
        network = Network([Layer(array, array, np.zeros(64))])
        network.save(tmp_path / "n.safetensors")
        assert 2 * array.size * size < (tmp_path / "n.safetensors").stat().st_size < 2 * array.size * size + 2000
        assert Network.load(tmp_path / "n.safetensors").fingerprint == network.fingerprint


def test_gnnx_is_laid_out_as_the_paper_s_tool_expects(tmp_path: Path) -> None:
    layer = Layer([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [9.0, 0.5], "max", "none")
    Network([layer], Readout([[1.0, -1.0], [0.0, 2.0]], [0.25, 0.0])).save(tmp_path / "n.gnnx")
    head, numbers = ["GRAPH", "MAX", "1", "2 2 2"], [1, 2, 3, 4, 5, 6, 7, 8, 9, 0.5, 1, -1, 0, 2, 0.25, 0]
    lines = (tmp_path / "n.gnnx").read_text().splitlines()
    assert lines[:4] == head
    assert [float(line) for line in lines[4:]] == numbers


def test_graph_text_is_laid_out_as_the_paper_s_tool_expects(tmp_path: Path) -> None:
    Graph([[0, 2, 1], [1, 1, 1]], [[1, 0], [0, 0], [0.5, 1]], directed=True).save(tmp_path / "g.graph")
    assert (tmp_path / "g.graph").read_text() == "3\nDIRECTED\n0\n3 0 1 2\n0\n"
    assert (tmp_path / "g.feat").read_text() == "1 0\n0 0\n0.5 1\n"


@pytest.mark.parametrize(
    ("network", "complaint"),
    [
        (a_network("max"), "pool: .gnnx means sum"),
        (Network([Layer([[1.0], [1.0]], [[1.0], [1.0]], [0.0, 0.0])]), "layer 1: .gnnx means activation none"),
        (
            Network(
                [Layer([[1.0]], [[1.0]], [0.0], "sum", "none"), Layer([[1.0]] * 2, [[1.0]] * 2, [0] * 2, "sum", "none")]
            ),
            "layer 1: .gnnx means activation relu",
        ),
        (
            Network([Layer([[1.0]], [[1.0]], [0.0], "sum"), Layer([[1.0]] * 2, [[1.0]] * 2, [0] * 2, "max", "none")]),
            "one for all layers",
        ),
    ],
)
def test_gnnx_refuses_what_it_cannot_carry_and_leaves_nothing(tmp_path: Path, network: Network, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        network.save(tmp_path / "n.gnnx")
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_keeps_its_edges_features_and_classes(tmp_path: Path) -> None:
    (tmp_path / "d.npz").write_bytes(npz(node_arrays()))
    graph = Graph.load(tmp_path / "d.npz")
    assert graph.directed
    assert graph.edge_pairs() == [(0, 1), (1, 2), (2, 2)]
    assert graph.features.dense().tolist() == [[0, 1], [1, 1], [0, 0]]
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 1, 1]


def test_a_dataset_of_graphs_is_cut_at_its_pointers(tmp_path: Path) -> None:
    (tmp_path / "d.npz").write_bytes(npz(graph_arrays()))
    first, second = load_graphs(tmp_path / "d.npz")
    assert (first.num_vertices, first.directed, first.edge_pairs(), int(first.labels)) == (2, False, [(0, 1)], 1)
    assert (second.num_vertices, second.edge_pairs(), int(second.labels)) == (1, [(0, 0)], 0)
    assert first.features.dense().tolist() == [[0, 1], [1, 1]]
    assert Graph.load(tmp_path / "d.npz", index=1).fingerprint == second.fingerprint


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"aggr": "median"}, "aggr: expected one of sum, max, mean, got 'median'"),
        ({"task": "edge"}, "task: expected node or graph"),
        ({"C1": np.full((2, 2), np.nan)}, "layer 1: C: expected finite numbers"),
        ({"b2": np.array([np.inf, 0])}, "layer 2: b: expected finite numbers"),
        ({"A2": np.zeros((2, 3))}, "A2: expected shape 2x2 as dims says, got 2x3"),
        ({"b1": np.zeros((2, 1))}, "b1: expected 1 dimensions"),
        ({"dims": np.array([2, 2])}, "dims: expected positive widths"),
        ({"dims": np.array([2.0, 2.0, 2.0, 2.0])}, "dims: expected whole numbers"),
        ({"C1": np.zeros((2, 2), dtype=np.complex128)}, "C1: truncated or damaged"),
    ],
)
def test_model_archives_are_refused_with_field_and_expectation(
    tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(npz(model_arrays() | changes))
    with pytest.raises(InputError) as caught:
        Network.load(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"edge_index": np.array([[0, 3], [1, 1]])}, "edges: (3, 1) is out of range, there are 3 vertices"),
        ({"edge_index": np.array([[0, 0], [1, 1]])}, "edges: (0, 1) is given twice"),
        ({"edge_index": np.array([0, 1])}, "edge_index: expected 2 dimensions"),
        ({"edge_index": np.zeros((2, 0), dtype=np.int32)}, "a graph without edges must be told"),
        ({"x_row": np.array([0, 1, 3])}, "x_row: 3 is out of range, there are 3 vertices"),
        ({"x_col": np.array([0, -1, 1])}, "x_col: -1 is out of range, there are 2 features"),
        ({"x_row": np.array([1, 1, 1]), "x_col": np.array([0, 1, 1])}, "feature (1, 1) is given twice"),
        ({"x_row": np.array([1])}, "x_row, x_col: expected equal lengths"),
        ({"y": np.array([0, 1])}, "y: expected 3 classes, got 2"),
        ({"x_val": np.array([0.5])}, "x_val: expected 3 values, one a feature, got 1"),
        ({"x_val": np.array([0.5, np.nan, 1.0])}, "expected finite numbers"),
        ({"test_mask": np.array([True])}, "test_mask: expected 3 booleans, one a vertex, got 1"),
        ({"test_mask": np.array([1, 0, 0])}, "test_mask: expected true or false"),
        ({"directed": np.array(False)}, "the graph is undirected, but (0, 1) has no reverse"),
        ({"num_nodes": np.int64(0)}, "num_nodes: expected at least one vertex"),
        ({"num_nodes": np.int64(2**40)}, "num_nodes: 1099511627776 vertices do not fit"),
        ({"num_features": np.int64(-1)}, "num_features: expected a number from 0 on, got -1"),
    ],
)
def test_datasets_are_refused_with_field_and_expectation(
    tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    path = tmp_path / "d.npz"
    path.write_bytes(npz(node_arrays() | changes))
    with pytest.raises(InputError) as caught:
        Graph.load(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "features", "complaint"),
    [
        ("2\nUNDIRECTED\n1 1\n0\n", "1\n1\n", "undirected, but (1, 0) has no reverse"),
        ("2\nDIRECTED\n2 1 1\n0\n", "1\n1\n", "edges: (1, 0) is given twice"),
        ("2\nDIRECTED\n1 2\n0\n", "1\n1\n", "vertex 0: in-neighbour 2 is out of range"),
        ("2\nDIRECTED\n1 1\n", "1\n1\n", "vertex 1: expected its in-degree, got the end"),
        ("2\nDIRECTED\n1 1\n3 0\n", "1\n1\n", "vertex 1: expected 3 in-neighbours, got 1"),
        ("2\nDIRECTED\n0\n0\n7\n", "1\n1\n", "expected the end of the file"),
        ("0\nDIRECTED\n", "", "number of vertices"),
        ("9999999999\nDIRECTED\n0\n", "1\n", "number of vertices"),
        ("2\nSIDEWAYS\n0\n0\n", "1\n1\n", "direction: expected DIRECTED or UNDIRECTED"),
        ("2\nDIRECTED\n0\n0\n", "1\n", "expected 2 lines of features"),
        ("2\nDIRECTED\n0\n0\n", "1\n1 2\n", "vertex 1: expected 1 features"),
        ("2\nDIRECTED\n0\n0\n", "1\nnan\n", "vertex 1: expected finite numbers"),
        ("2\nDIRECTED\n0\n0\n", "1\nx\n", "vertex 1: expected numbers"),
        ("2\nDIRECTED\n0\n0\n", "1\n1_0\n", "line 2: unexpected character"),
        ("2\nDIRECTED\n0\n0\n", "1\n\xe9\n", "line 2: expected plain text"),
    ],
)
def test_graph_text_is_refused_with_vertex_and_expectation(
    tmp_path: Path, edges: str, features: str, complaint: str
) -> None:
    (tmp_path / "g.graph").write_text(edges)
    (tmp_path / "g.feat").write_text(features, encoding="latin-1")
    with pytest.raises(InputError) as caught:
        Graph.load(tmp_path / "g.graph")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("NODE\nSUM\n1\n", "expected four lines"),
        ("EDGE\nSUM\n1\n1 2\n", "task: expected NODE or GRAPH"),
        ("NODE\nMEDIAN\n1\n1 2\n", "aggregation: expected one of SUM, MAX, MEAN"),
        ("NODE\nSUM\n0\n1 2\n", "number of layers"),
        ("NODE\nSUM\n1\n1 2 3\n", "widths: expected 2 whole numbers, got 3"),
        ("NODE\nSUM\n1\n999999999 999999999\n1\n", "weights: expected"),
        ("NODE\nSUM\n1\n1 2\n1\n2\n3\n4\n5\n", "weights: expected 6 numbers for these widths, got 5"),
        ("NODE\nSUM\n1\n1 2\n1\n2\n3\nx\n5\n6\n", "A1: expected numbers"),
        ("NODE\nSUM\n1\n1 2\n1\n2\n3\n4\ninf\n6\n", "layer 1: b: expected finite numbers"),
        ("NODE\nSUM\n1\n1 1\n1\n2\n3\n", "at least 2 classes"),
    ],
)
def test_gnnx_is_refused_with_field_and_expectation(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "m.gnnx").write_text(text)
    with pytest.raises(InputError) as caught:
        Network.load(tmp_path / "m.gnnx")
    assert complaint in str(caught.value)


def test_safetensors_of_others_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(3)}, tmp_path / "m.safetensors")
    with pytest.raises(InputError, match="metadata: expected the key 'edgeproof'"):
        Network.load(tmp_path / "m.safetensors")


def test_object_arrays_are_never_unpickled(tmp_path: Path) -> None:
    (tmp_path / "d.npz").write_bytes(npz(node_arrays() | {"y": np.array([print, 1, None], dtype=object)}))
    with pytest.raises(InputError, match="y: truncated or damaged"):
        Graph.load(tmp_path / "d.npz")


def test_bombs_are_refused_before_memory_is_used(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("edge_index.npy", bytes(100_000_000))
    (tmp_path / "d.npz").write_bytes(bomb.getvalue())
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="claim to unpack to"):
            Graph.load(tmp_path / "d.npz")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_shape_that_the_bytes_do_not_fill_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
        header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999,), }\n"
        for field in node_arrays():
            archive.writestr(f"{field}.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(InputError, match="does not fit"):
        Graph.load(tmp_path / "d.npz")


@pytest.mark.parametrize("load", [Network.load, Graph.load, load_graphs])
@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".gnnx", ".graph", ".pt", ""])
def test_missing_files_and_directories_get_one_line(tmp_path: Path, load: object, suffix: str) -> None:
    assert callable(load)
    with pytest.raises(InputError, match=r"nothing.*(no such file|expected a (model|graph))"):
        load(tmp_path / f"nothing{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(InputError, match=r"folder.*(is a directory|expected a (model|graph))"):
        load(tmp_path / f"folder{suffix}")


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "m.gnnx").touch(mode=0)
    with pytest.raises(InputError, match="permission denied"):
        Network.load(tmp_path / "m.gnnx")


@pytest.mark.parametrize(
    ("load", "way"), [(Network.load, "ep.from_pyg(model)"), (Graph.load, "ep.graph_from_pyg(data)")]
)
def test_what_torch_saved_is_told_the_way_in(tmp_path: Path, load: Callable[[Path], object], way: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path / "saved.pt")
    assert way in str(caught.value)


def test_a_missing_feat_is_named(tmp_path: Path) -> None:
    (tmp_path / "g.graph").write_text("1\nDIRECTED\n0\n")
    with pytest.raises(InputError, match=r"g\.feat: cannot read it"):
        Graph.load(tmp_path / "g.graph")


def test_index_picks_a_graph_and_is_checked(tmp_path: Path) -> None:
    (tmp_path / "many.npz").write_bytes(npz(graph_arrays()))
    a_graph().save(tmp_path / "one.graph")
    with pytest.raises(InputError, match="index: the file holds 2 graphs"):
        Graph.load(tmp_path / "many.npz")
    for index in (2, -1):
        with pytest.raises(InputError, match=r"index: .* is out of range"):
            Graph.load(tmp_path / "many.npz", index=index)
    assert Graph.load(tmp_path / "one.graph", index=0).fingerprint == a_graph().fingerprint
    assert [graph.fingerprint for graph in load_graphs(tmp_path / "one.graph")] == [a_graph().fingerprint]


@pytest.mark.parametrize("suffix", [".safetensors", ".gnnx"])
def test_failed_writes_leave_what_was_there(tmp_path: Path, suffix: str) -> None:
    for destination in (tmp_path / "none" / f"m{suffix}", tmp_path / f"folder{suffix}"):
        (tmp_path / f"folder{suffix}").mkdir(exist_ok=True)
        with pytest.raises(InputError, match="cannot write it"):
            a_network().save(destination)
    assert [path.name for path in tmp_path.rglob("*")] == [f"folder{suffix}"]


def test_an_unwritable_feat_keeps_the_old_graph(tmp_path: Path) -> None:
    (tmp_path / "g.feat").mkdir()
    (tmp_path / "g.graph").write_text("old")
    with pytest.raises(InputError, match=r"g\.feat: cannot write it"):
        a_graph().save(tmp_path / "g.graph")
    assert (tmp_path / "g.graph").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.feat", "g.graph"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_written_files_have_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    a_network().save(tmp_path / "m.safetensors")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "m.safetensors")}
    assert len(modes) == 1
