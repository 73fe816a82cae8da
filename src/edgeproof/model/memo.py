"""What is computed once for a network, or for a network and a graph, and forgotten with either of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, ref

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

    def known(self, network: Network, graph: Graph) -> Kept | None:
        """What was made before, if it was."""
        return self._kept(network).get(graph)


class Latest(Generic[Kept]):
    """What was made last, for those who ask for the same again: of large things that many are made of."""

    def __init__(self) -> None:
        self._held: tuple[ref[Network], ref[Graph], Any, Kept] | None = None

    def __call__(self, network: Network, graph: Graph, key: Any, make: Callable[[], Kept]) -> Kept:
        held = self._held  # once: other threads may put theirs in its place
        if held is not None and held[0]() is network and held[1]() is graph and held[2] == key:
            return held[3]
        kept = make()
        self._held = ref(network), ref(graph, self._forget), key, kept
        return kept

    def _forget(self, gone: ref[Graph]) -> None:
        held = self._held
        if held is not None and held[1] is gone:
            self._held = None
