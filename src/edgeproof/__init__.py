"""Edgeproof proves how many edges an adversary must add or remove before a GNN changes its answer."""

from .accuracy import CertifiedAccuracy, certified_accuracy
from .ask import radius, verify
from .checking import check
from .errors import EdgeproofError, InputError, Interrupted, RejectedError, StoreError, TooLargeError
from .load import load_graphs, save_graphs
from .model.attention import Attention
from .model.by_degree import ByDegree
from .model.feature_threats import FeatureBox, FeatureFlips
from .model.graph import Graph
from .model.injection import Injection
from .model.network import Layer, Network, Readout
from .model.threat import Threat
from .model.verdict import Attack, Lead, Radius, Stats, Verdict
from .pyg import from_pyg, graph_from_pyg
from .shrink import minimise
from .sweep.answer import Answer, Failure
from .sweep.many import verify_many
from .sweep.plan import Plan, Question
from .version import __version__

__all__ = [
    "Answer", "Attack", "Attention", "ByDegree", "CertifiedAccuracy", "EdgeproofError", "Failure", "FeatureBox",
    "FeatureFlips", "Graph", "Injection", "InputError", "Interrupted",
    "Layer", "Lead", "Network", "Plan", "Question", "Radius", "Readout", "RejectedError", "Stats", "StoreError",
    "Threat", "TooLargeError", "Verdict", "__version__", "certified_accuracy", "check", "from_pyg", "graph_from_pyg",
    "load_graphs", "minimise", "radius", "save_graphs", "verify", "verify_many",
]  # fmt: skip
