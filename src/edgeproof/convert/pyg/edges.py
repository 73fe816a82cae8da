"""What `forward` does to the edges before a layer gets them, and whether the layer may have them so."""

from __future__ import annotations

from typing import Any

from .refuse import refusal

EDGES = "edge_index"
BATCH = "batch"
BATCHES = (BATCH, "batch_index", "batch_idx", "batch_vec", "batch_vector")

# functions of torch_geometric.utils that are recorded as one step, and what they do to self-loops
LOOPS = {"add_self_loops": "added", "add_remaining_self_loops": "completed", "remove_self_loops": "removed"}
DROPS = ("dropout_edge", "dropout_adj", "dropout_node")
RECORDED = (
    *LOOPS, *DROPS, "degree", "scatter", "softmax", "to_dense_batch", "to_dense_adj", "to_undirected", "coalesce",
    "subgraph", "k_hop_subgraph", "get_laplacian", "sort_edge_index", "contains_self_loops", "spmm", "segment",
)  # fmt: skip


class Given:
    """An argument of `forward` that is no feature: the edges, the batch, or a field of a Data object by its name."""

    def __init__(self, what: str, sparse: bool = False, loops: str = "") -> None:
        """sparse: the edges come as data.adj_t. loops: see `Call`."""
        self.what, self.sparse, self.loops = what, sparse, loops


def changed_edges(name: str, args: list[Any], kwargs: dict[str, Any], where: str) -> Any:
    """What a function of edges gives: whoever uses what cannot be read says what is wrong with it."""
    edges = args[0] if args else kwargs.get(EDGES)
    if isinstance(edges, Given) and edges.what == EDGES:
        if name in LOOPS:
            if any(isinstance(one, Given) for one in [*args[1:2], kwargs.get("edge_attr")]):
                raise refusal(
                    where, name, "it carries weights of edges along, which are not supported; give it edges only"
                )
            before, loops = edges.loops, LOOPS[name]
            # after a removal every way of adding puts exactly one at every vertex
            loops = "completed" if loops in ("added", "completed") and before in ("removed", "completed") else loops
            return [Given(EDGES, edges.sparse, loops), None]
        if name in DROPS:
            training = kwargs.get("training", args[3] if name == "dropout_edge" and len(args) > 3 else True)
            if training and kwargs.get("p", args[1] if len(args) > 1 else 0.5) != 0:
                raise refusal(where, name, "it drops edges in evaluation too; give it training=self.training")
            return [edges, None, None]
        if name in ("contiguous", "to", "long", "clone", "coalesce", "sort_edge_index", "cpu", "cuda"):
            return edges
    return Given(f"{EDGES} after {name}")


def require_plain(edges: Any, others: list[Any], where: str, name: str) -> Given:
    """The edges, if a layer gets them as they are, but for self-loops, and nothing that belongs to an edge."""
    if not (isinstance(edges, Given) and edges.what == EDGES):
        found = f" but {edges.what}" if isinstance(edges, Given) else ""
        why = f"it does not get the edges as they are given{found}; change the Data before, not the edges in forward"
        raise refusal(where, name, why)
    for one in others:
        if one is not None:
            found = f" ({one.what})" if isinstance(one, Given) else ""
            why = (
                f"it gets weights or features of edges{found}, which are not supported: a pair that an "
                f"adversary inserts "
                "has none; call it with x and edge_index only"
            )
            raise refusal(where, name, why)
    return edges
