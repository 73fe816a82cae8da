"""`Data` and `Batch` objects as plain graphs, and attacks back into them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..raw import RawGraph
from .networks import require_torch

_OF_EDGES = ("edge_weight", "edge_attr")


def read_data(data: Any) -> tuple[list[RawGraph], bool]:
    """The graphs that it holds, and whether it is a batch of them."""
    require_torch()
    from torch_geometric.data import Batch, Data

    if isinstance(data, Batch):
        return [_graph(one, f"data[{number}]") for number, one in enumerate(data.to_data_list())], True
    if not isinstance(data, Data):
        raise InputError(f"graph_from_pyg: expected a Data or Batch object, got {type(data).__name__}")
    return [_graph(data, "data")], False


def _graph(data: Any, origin: str) -> RawGraph:
    for field in _OF_EDGES:
        if getattr(data, field, None) is not None:
            raise InputError(
                f"{origin}.{field}: weights and features of edges are not supported: a pair that is inserted has none; "
                f"if the model does not use them, say data.{field} = None"
            )
    x, edges = _numbers(data, "x", origin), _numbers(data, "edge_index", origin)
    if x.ndim != 2 or x.dtype.kind not in "fiub":
        raise InputError(f"{origin}.x: expected real numbers, one row a vertex, got {x.dtype} {x.shape}")
    if edges.ndim != 2 or len(edges) != 2:
        raise InputError(f"{origin}.edge_index: expected shape 2 x E, got {'x'.join(map(str, edges.shape))}")
    rows, columns = np.nonzero(x)
    ptr = np.searchsorted(rows, np.arange(len(x) + 1))
    features = (ptr, columns, x[rows, columns].astype(np.float64), x.shape[1])
    return RawGraph(
        len(x), edges[0], edges[1], features, _classes(data, len(x)), None, _masks(data, len(x)), "", origin
    )  # fmt: skip


def _numbers(data: Any, field: str, origin: str) -> NDArray[Any]:
    found = getattr(data, field, None)
    if found is None:
        raise InputError(f"{origin}.{field}: expected a tensor, there is none")
    if getattr(found, "is_sparse", False):
        found = found.to_dense()
    return np.asarray(found.detach().cpu().numpy())


def _classes(data: Any, n: int) -> NDArray[Any] | None:
    """True classes, one a vertex or one for the graph; anything else (regression, many labels) is none of ours."""
    y = getattr(data, "y", None)
    if y is None or not hasattr(y, "numel") or y.is_floating_point() or y.numel() not in (1, n):
        return None
    flat: NDArray[Any] = y.detach().cpu().numpy().reshape(-1)
    return flat if flat.size == n > 1 else flat.reshape(())


def _masks(data: Any, n: int) -> dict[str, NDArray[Any]]:
    """`test_mask` becomes "test"; where a dataset has many splits, the first one "test_0"."""
    masks = {}
    for field in data.keys():  # noqa: SIM118 - not a dict
        value = data[field]
        if not field.endswith("_mask") or getattr(value, "dtype", None) is None or str(value.dtype) != "torch.bool":
            continue
        array, name = value.detach().cpu().numpy(), field.removesuffix("_mask")
        if array.shape == (n,):
            masks[name] = array
        elif array.ndim == 2 and len(array) == n:
            masks |= {f"{name}_{split}": array[:, split] for split in range(array.shape[1])}
    return masks


def flip_data(data: Any, pairs: Iterable[tuple[int, int]], directed: bool | None) -> Any:
    """A copy with these pairs flipped; columns of edges that stay keep their order."""
    (raw,), _ = read_data(data)
    edges = list(zip(raw.sources.tolist(), raw.targets.tolist(), strict=True))
    flips = flips_of(edges, pairs, directed)
    kept = [edge for edge in edges if edge not in flips] + sorted(flips - set(edges))
    flipped = copy.copy(data)
    index = data.edge_index
    flipped.edge_index = index.new_tensor(kept).reshape(-1, 2).t().contiguous()
    return flipped


def flips_of(
    edges: Sequence[tuple[int, int]], pairs: Iterable[tuple[int, int]], directed: bool | None
) -> set[tuple[int, int]]:
    """The columns that these pairs mean: both directions in an undirected graph."""
    if directed is None:
        there = set(edges)
        directed = any((v, u) not in there for u, v in edges)
    listed = list(pairs)
    return set(listed) | (set() if directed else {(v, u) for u, v in listed})


def change_data(
    data: Any,
    pairs: Iterable[tuple[int, int]],
    directed: bool | None,
    features: Iterable[tuple[int, int]],
    values: Iterable[float] | None,
    rows: list[list[float]],
) -> Any:
    """A copy with these pairs flipped, features flipped between 0 and 1 (or set to `values`), and vertices added.

    Where a mask or a class belongs to each vertex, new ones have False and -1.
    """
    (raw,), _ = read_data(data)
    changed = copy.copy(data)
    n = raw.num_vertices
    x = data.x.clone()
    held = None if values is None else list(values)
    for at, (vertex, column) in enumerate(features):
        x[vertex, column] = (0.0 if float(x[vertex, column]) else 1.0) if held is None else held[at]
    if rows:
        x = _joined([x, x.new_tensor(rows)])
        for field in data.keys():  # noqa: SIM118 - not a dict
            value = data[field]
            if field != "x" and getattr(value, "shape", ())[:1] == (n,):
                shape = (len(rows), *value.shape[1:])
                blank = value.new_zeros(shape) if str(value.dtype) == "torch.bool" else value.new_full(shape, -1)
                changed[field] = _joined([value, blank])
        if getattr(data, "num_nodes", None) is not None and "num_nodes" in data:
            changed.num_nodes = n + len(rows)
    changed.x = x
    return flip_data(changed, pairs, directed)


def _joined(parts: list[Any]) -> Any:
    import torch

    return torch.cat(parts)
