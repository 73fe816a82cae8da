"""What is computed once for a network, or for a network and a graph, and forgotten with either of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from .graph import Graph
from .network import Network

Kept = TypeVar("Kept")


class NetworkMemo(Generic[Kept]):
    """Calls `make(network)` once for each network that is alive."""

    def __init__(self, make: Callable[[Network], Kept]) -> None:
        self._make = make
        self._kept: WeakKeyDictionary[Network, Kept] = WeakKeyDictionary()

    def __call__(self, network: Network) -> Kept:
        kept = self._kept.get(network)
        if kept is None:
            kept = self._kept[network] = self._make(network)
        return kept


class Memo(Generic[Kept]):
    """Calls `make(network, graph)` once for each pair of them that is alive."""

    def __init__(self, make: Callable[[Network, Graph], Kept]) -> None:
        self._make = make
        self._kept: NetworkMemo[WeakKeyDictionary[Graph, Kept]] = NetworkMemo(lambda _: WeakKeyDictionary())

    def __call__(self, network: Network, graph: Graph) -> Kept:
        graphs = self._kept(network)
        kept = graphs.get(graph)
        if kept is None:
            kept = graphs[graph] = self._make(network, graph)
        return kept
