"""What cannot be verified, refused by name: which submodule, why, and what to do instead."""

from __future__ import annotations

from typing import Any

from ...errors import InputError

_ATTENTION = "attention weighs every message by a learned function of both its ends, which no layer of a Network can"
_BENDS = "it bends in more than one place, and a Network bends only at 0; retrain with ReLU, LeakyReLU or PReLU"
_DATA_NORM = "it divides by a statistic of the data it sees; retrain with BatchNorm, which is fixed after training"

# By class name, so that nothing has to be imported and new releases are met by name too.
_REASONS = {
    **dict.fromkeys(
        ("GATConv", "GATv2Conv", "TransformerConv", "AGNNConv", "SuperGATConv", "RGATConv", "HGTConv", "HANConv",
         "FusedGATConv", "GPSConv", "MultiheadAttention", "FAConv", "PointTransformerConv", "DNAConv"),
        f"{_ATTENTION}; retrain with SAGEConv, GraphConv, GINConv or GCNConv",
    ),
    **dict.fromkeys(
        ("ELU", "GELU", "SiLU", "Tanh", "Sigmoid", "SELU", "CELU", "Softplus", "Mish", "Hardswish", "Hardtanh", "ReLU6",
         "Softsign", "LogSigmoid", "RReLU", "Hardsigmoid"),
        _BENDS,
    ),
    **dict.fromkeys(
        ("LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm", "GraphNorm", "PairNorm", "GraphSizeNorm",
         "MessageNorm", "DiffGroupNorm", "MeanSubtractionNorm", "RMSNorm"),
        _DATA_NORM,
    ),
    **dict.fromkeys(
        ("GINEConv", "NNConv", "CGConv", "GMMConv", "SplineConv", "PDNConv", "RGCNConv", "FastRGCNConv", "GENConv"),
        "its messages depend on edge features, and a pair that an adversary inserts has none",
    ),
    **dict.fromkeys(
        ("TopKPooling", "SAGPooling", "EdgePooling", "ASAPooling", "MemPooling", "PANPooling"),
        "it drops vertices by a ranking; use global_add_pool, global_mean_pool or global_max_pool",
    ),
    "ClusterGCNConv": "it divides by the in-degree plus one, which no aggregation does; use SAGEConv or GCNConv",
    "PNAConv": "its degree scalers and standard deviations are not piecewise linear; use SAGEConv or GraphConv",
    "Embedding": "it looks features up by number; give the looked-up vectors as features instead",
    "LSTM": "its gates are not piecewise linear",
    "Bilinear": "a product of two inputs is not piecewise linear",
}  # fmt: skip

SUPPORTED = (
    "supported are SAGEConv, GraphConv, GINConv, GCNConv, SimpleConv, Linear, BatchNorm, Dropout, "
    "ReLU, LeakyReLU, PReLU, JumpingKnowledge and global pooling; any other network can be written as ep.Layer's"
)


def refusal(where: str, what: str, why: str) -> InputError:
    return InputError(f"{where} ({what}): {why}" if where else f"{what}: {why}")


def refused_module(where: str, module: Any) -> InputError:
    """By its class or, if it is of somebody's own, by what it is a subclass of."""
    name = type(module).__name__
    for base in type(module).__mro__:
        if base.__name__ in _REASONS:
            return refusal(where, name, _REASONS[base.__name__])
    for base in type(module).__mro__[1:]:
        if base.__name__ in SUPPORTED and base.__module__.startswith(("torch_geometric.nn.conv.", "torch.nn.modules.")):
            return refusal(where, name, f"a subclass of {base.__name__} may compute anything; use {base.__name__}")
    return refusal(where, name, f"not supported; {SUPPORTED}")


def refused_function(where: str, name: str) -> InputError:
    spelt = {one.lower(): reason for one, reason in _REASONS.items()}
    return refusal(where, name, spelt.get(name.lower().removesuffix("_"), f"not supported; {SUPPORTED}"))
