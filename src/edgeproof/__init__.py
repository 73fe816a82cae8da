"""Edgeproof proves how many edges an adversary must add or remove before a GNN changes its answer."""

from .check import check
from .errors import EdgeproofError, InputError, RejectedError, TooLargeError
from .graph import Graph
from .load import load_graphs
from .minimise import minimise
from .network import Layer, Network, Readout
from .threat import Threat
from .verdict import Attack, Radius, Stats, Verdict
from .verify import radius, verify

__version__ = "0.1.0"

__all__ = [
    "Attack", "EdgeproofError", "Graph", "InputError", "Layer", "Network", "Radius", "Readout", "RejectedError",
    "Stats", "Threat", "TooLargeError", "Verdict", "check", "load_graphs", "minimise", "radius", "verify",
]  # fmt: skip
