"""The graphs and networks of a report: found by the store's own notes, or given; recognised by their contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from ..errors import EdgeproofError
from ..load import load_graphs
from ..model.graph import Graph
from ..model.network import Network
from ..sweep.read import read_sources

Folder = str | PathLike[str]


def _sources(folders: Iterable[Folder]) -> dict[str, dict[str, Any]]:
    return {content: one for folder in folders for content, one in read_sources(folder).items()}


class Graphs:
    """Graphs by their hash; a file is read when something in it is asked for."""

    def __init__(
        self, folders: Sequence[Folder], files: Sequence[str] = (), held: Mapping[str, Graph] | None = None
    ) -> None:
        self._sources = _sources(folders)
        self._held = dict(held or {})
        self._read: set[tuple[str, bool | None]] = set()
        self.missing: dict[str, str] = {}  # name of a graph: why it cannot be drawn
        for path in files:  # what was given must be readable
            for said in (None, True):
                self._load(path, said)

    def find(self, content: str, name: str, directed: bool) -> Graph | None:
        """None where its file has gone or changed: a picture of another graph would be wrong."""
        source = self._sources.get(content)
        if content not in self._held and source is None:
            self.missing[name] = "the store does not say where it is"
        elif content not in self._held and source is not None:
            for said in (None, directed):  # as a sweep reads it, without --directed and with
                if content in self._held or (source["path"], said) in self._read:
                    continue
                self._read.add((source["path"], said))
                try:
                    self._load(source["path"], said)
                except EdgeproofError:
                    continue  # told below
            if content not in self._held:
                self.missing[name] = f"it is no longer in {source['path']}"
        return self._held.get(content)

    def _load(self, path: str, directed: bool | None) -> None:
        self._held.update({graph.fingerprint: graph for graph in load_graphs(path, directed=directed)})


class Networks:
    """Networks by their hash, for the scores beside a picture."""

    def __init__(
        self, folders: Sequence[Folder], files: Sequence[str] = (), held: Mapping[str, Network] | None = None
    ) -> None:
        self._sources = _sources(folders)
        self._held: dict[str, Network | None] = dict(held or {})
        self.missing: dict[str, str] = {}  # name of a network: why its scores are left out
        for path in files:
            network = Network.load(path)
            self._held[network.fingerprint] = network

    def find(self, content: str, name: str) -> Network | None:
        """None where its file has gone or changed."""
        if content not in self._held:
            self._held[content] = self._load(content, name)
        return self._held[content]

    def _load(self, content: str, name: str) -> Network | None:
        source = self._sources.get(content)
        if source is None:
            self.missing[name] = "the store does not say where it is"
            return None
        try:
            network = Network.load(source["path"])
        except EdgeproofError:
            network = None
        if network is None or network.fingerprint != content:
            self.missing[name] = f"it is no longer in {source['path']}"
            return None
        return network
