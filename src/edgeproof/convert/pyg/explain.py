"""Attacks that delete edges as explanations of PyTorch Geometric: masks over the columns of `edge_index`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import InputError
from .graphs import flips_of, read_data


def explain_data(data: Any, pairs: Iterable[tuple[int, int]], directed: bool | None) -> Any:
    """An `Explanation` with x, edge_index, y and edge_mask: 1 where an edge is deleted, 0 where it stays."""
    (raw,), _ = read_data(data)
    edges = list(zip(raw.sources.tolist(), raw.targets.tolist(), strict=True))
    flips = flips_of(edges, pairs, directed)
    inserted = sorted(flips - set(edges))
    if inserted:
        raise InputError(
            f"to_explanation: the attack inserts the edge {inserted[0]}, expected deletions: a mask speaks of edges "
            "that are there"
        )
    import torch
    from torch_geometric.explain import Explanation

    mask = torch.tensor([float(edge in flips) for edge in edges], device=data.edge_index.device)
    made = Explanation(x=data.x, edge_index=data.edge_index, edge_mask=mask)
    if getattr(data, "y", None) is not None:
        made.y = data.y
    return made
