"""Why what is refused is refused, by class and by function, each with an alternative."""

from __future__ import annotations

_USE = "retrain with SAGEConv, GraphConv, GINConv or GCNConv"
_ATTENTION = (
    f"attention weighs every message by a learned function of both its ends, which no layer of a Network can; {_USE}"
)
CURVED = (
    "it is curved in a way that no bound here knows; retrain with GELU, SiLU, ELU, tanh, ReLU or another activation in "
    "the table of docs/pyg.md"
)
_DATA_NORM = "it divides by a statistic of the data it sees; retrain with BatchNorm, which is fixed after training"
_EDGES = f"its messages depend on edge features, and a pair that an adversary inserts has none; {_USE}"
_TYPED = f"its messages depend on the types of edges, which a Graph does not carry; {_USE} on one type of edges"
_DROPS = "it drops vertices by a ranking; use global_add_pool, global_mean_pool or global_max_pool"
_COARSE = (
    "it merges vertices into new ones, so that what is pooled depends on the graph; pool once, by "
    "global_add_pool or its like"
)
_GATES = "its gates multiply what two tensors hold, which is not piecewise linear"
_POINTS = f"it looks at positions of points in space, which a Graph does not carry; {_USE}"
_BOTH_ENDS = (
    f"each message is a nonlinear function of both its ends, and a layer of a Network sends what one end holds; {_USE}"
)
_TIED = "hyperedges join many vertices, and a flip adds or deletes one edge between two; expand them to edges first"
_CURVED = "it is curved, and a verdict needs pieces that are linear; leave it out or retrain without it"

MODULES = {
    **dict.fromkeys(
        ("TransformerConv", "AGNNConv", "SuperGATConv", "FusedGATConv", "GPSConv", "FAConv",
         "MultiheadAttention", "PointTransformerConv", "DNAConv", "FeaStConv", "AttentionalAggregation",
         "CuGraphGATConv", "SelfAttention", "PerformerAttention", "GeneralConv"),
        _ATTENTION,
    ),
    **dict.fromkeys(
        ("Mish", "Softsign", "Swish"),
        CURVED,
    ),
    **dict.fromkeys(
        ("LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm", "GraphNorm", "PairNorm", "MessageNorm",
         "DiffGroupNorm", "MeanSubtractionNorm", "RMSNorm", "LocalResponseNorm"),
        _DATA_NORM,
    ),
    "GraphSizeNorm": "it divides by the root of the number of vertices, which is not the same for all graphs; "
        "use BatchNorm",
    **dict.fromkeys(("GINEConv", "NNConv", "ECConv", "CGConv", "GMMConv", "PDNConv", "GENConv", "EGConv"), _EDGES),
    **dict.fromkeys(("RGCNConv", "FastRGCNConv", "RGATConv", "FiLMConv", "HGTConv", "HANConv", "HeteroConv",
                     "HEATConv", "SignedConv", "CuGraphRGCNConv", "HeteroLinear", "HeteroDictLinear"), _TYPED),
    **dict.fromkeys(("TopKPooling", "SAGPooling", "ASAPooling", "PANPooling", "SortAggregation"), _DROPS),
    **dict.fromkeys(("EdgePooling", "ClusterPooling", "MemPooling", "DMoNPooling"), _COARSE),
    **dict.fromkeys(
        ("PointNetConv", "PPFConv", "PointGNNConv", "SplineConv", "XConv", "GravNetConv", "DynamicEdgeConv"), _POINTS
    ),
    **dict.fromkeys(("EdgeConv", "ResGatedGraphConv", "CrystalConv"), _BOTH_ENDS),
    **dict.fromkeys(("GatedGraphConv", "LSTM", "GRU", "LSTMCell", "GRUCell", "LSTMAggregation", "GRUAggregation"),
                    f"{_GATES}; {_USE}"),
    "HypergraphConv": _TIED,
    "ClusterGCNConv": "it divides by the in-degree plus one, which no aggregation of a Network does; use "
        "SAGEConv (a mean and "
                      "the vertex itself, each with weights of its own) or GCNConv",
    "LEConv": "it takes away a vertex's own features times its degree, a product that no aggregation gives; use "
        "GraphConv",
    "MFConv": "it has other weights for every degree, and degrees change with flips; use GraphConv",
    "PNAConv": "its degree scalers and standard deviations are not piecewise linear; use SAGEConv(aggr=['mean', "
        "'max'])",
    "PANConv": "it weighs powers of the adjacency matrix and normalises them by their own row sums; use "
        "MixHopConv or SGConv",
    "WLConv": "it hashes colours, which no small change moves smoothly; use GINConv",
    "WLConvContinuous": "it weighs by degrees as no aggregation of a Network does; use SAGEConv(aggr='mean')",
    "AntiSymmetricConv": "it subtracts from its weight the transpose, which from_pyg does not read; use GCN2Conv",
    "DirGNNConv": "it hears along the reversed edges too, and a Network hears along the given ones; use an "
        "undirected graph",
    "MeshCNNConv": "it orders the four neighbours of an edge in a mesh, which a Graph does not carry",
    "Embedding": "it looks features up by number; give the looked-up vectors as features instead",
    "Bilinear": "a product of two inputs is not piecewise linear; use Linear on both side by side",
    "Hardswish": "it multiplies its input with a function of it, which is not piecewise linear; use ReLU6 or LeakyReLU",
    "GLU": "it multiplies one half of its input with a function of the other; use LeakyReLU",
    "Hardshrink": "it jumps, and a jump is no limit of linear pieces; use Softshrink",
    "Threshold": "it jumps where its value is not its threshold; use ReLU or clamp",
    **dict.fromkeys(("Softmax", "LogSoftmax"), "it divides by a sum of exponentials, which is fine as the very "
        "last step "
                    "only; leave it out in between"),
    "Softmin": "it is curved; as the very last step give its input instead",
    "Conv1d": "it slides along an order of entries, which from_pyg does not read; use Linear",
    "Set2Set": f"{_GATES}; use global_add_pool or one of its like",
    **dict.fromkeys(
        ("SoftmaxAggregation", "PowerMeanAggregation"),
        "it weighs by powers or exponentials of what is sent, which is not piecewise linear; use mean or max",
    ),
    **dict.fromkeys(
        ("StdAggregation", "VarAggregation", "VariancePreservingAggregation", "MulAggregation"),
        "it squares, multiplies or takes roots of what is sent, which is not piecewise linear; use sum, mean or max",
    ),
    **dict.fromkeys(
        ("MedianAggregation", "QuantileAggregation"),
        "it picks what is sent by rank, which a Network does for the largest and the smallest only; use max or min",
    ),
    "DegreeScalerAggregation": "its scalers are logarithms of degrees, which change with flips; use "
        "SAGEConv(aggr=['mean', 'max'])",
    "EquilibriumAggregation": "it minimises an energy, which is not piecewise linear; use global_add_pool or "
        "one of its like",
}  # fmt: skip

FUNCTIONS = {
    **dict.fromkeys(("mish", "softsign"), CURVED),
    **dict.fromkeys(("exp", "log", "log1p", "sqrt", "rsqrt", "square", "pow", "erf", "sin", "cos", "reciprocal"),
                    _CURVED),
    **dict.fromkeys(("layer_norm", "group_norm", "instance_norm", "var", "std", "var_mean", "std_mean"), _DATA_NORM),
    **dict.fromkeys(("normalize", "norm", "vector_norm"),
                    "it divides by or takes a norm, which no layer of a Network can; leave it out or use BatchNorm"),
    **dict.fromkeys(("scatter", "scatter_add", "index_add", "scatter_reduce", "spmm", "index_select", "gather",
        "segment",
                     "scatter_mean", "scatter_max"),
                    "it passes messages by hand; write it as SimpleConv, or as ep.Layer(C, A, b, aggregation)"),
    **dict.fromkeys(("topk", "sort", "argsort", "argmax", "argmin", "median", "kthvalue", "unique"),
                    "it ranks, which is not piecewise linear; leave it to the verdict, which compares the scores"),
    **dict.fromkeys(("where", "masked_fill", "gt", "lt", "ge", "le", "eq", "ne", "sign", "heaviside", "round",
        "floor", "ceil"),
                    "it asks which of two numbers is larger and jumps there; use relu, clamp or maximum"),
    **dict.fromkeys(("transpose", "permute", "t", "unsqueeze", "expand", "repeat", "tile", "roll"),
                    "it changes the shape of the features; keep them as (vertices, features)"),
    **dict.fromkeys(("prod", "cumprod", "bmm", "einsum", "outer", "dot", "bilinear"),
                    "a product of two computed tensors is not piecewise linear; multiply with fixed weights only"),
    **dict.fromkeys(("logsumexp", "cumsum", "cumax"), _CURVED),
    "hardswish": MODULES["Hardswish"],
    "hardshrink": MODULES["Hardshrink"],
    "threshold": MODULES["Threshold"],
    "glu": MODULES["GLU"],
    "embedding": MODULES["Embedding"],
    "to_dense_batch": "it pads graphs to one size; use global_add_pool, global_mean_pool or global_max_pool",
    "to_dense_adj": "it computes with the adjacency matrix itself; use the layers in the table of docs/pyg.md",
    "degree": "it computes with degrees themselves, which flips change; use GCNConv or aggregation mean, which "
        "divide by them",
}  # fmt: skip
