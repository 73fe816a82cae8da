"""Answers: the verdict, the radius, the attack, and what it took to find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..picture.answer import Shown
from .graph import Graph, Pair

Status = Literal["robust", "vulnerable", "unknown"]


class Attack(tuple[Pair, ...]):
    """The flips that break the claim, as a tuple of pairs (u, v), sorted.

    >>> Attack([(3, 1), (0, 2)])
    Attack((0, 2), (3, 1))
    """

    __slots__ = ()

    def __new__(cls, pairs: Iterable[Pair]) -> Attack:
        return super().__new__(cls, sorted((int(u), int(v)) for u, v in pairs))

    def apply(self, graph: Graph) -> Graph:
        """The perturbed graph."""
        return graph.flip(self)

    def to_pyg(self, data: Any, *, directed: bool | None = None) -> Any:
        """A copy of the PyG `Data` object with these pairs flipped; `directed` as given to `graph_from_pyg`."""
        from ..convert.pyg.graphs import flip_data

        return flip_data(data, self, directed)

    def __repr__(self) -> str:
        return f"Attack({', '.join(map(str, self))})"


class Lead(NamedTuple):
    """Flips that come close to breaking the claim: a rival's score misses the label's by -margin, in floating point."""

    flips: Attack
    margin: float


class Stats(Mapping[str, Any]):
    """What an answer took; read as `stats["nodes"]` or `stats.nodes`.

    nodes: search nodes; seconds; leaves; fragile: fragile pairs that can matter; exploration: log2(nodes) /
    (fragile + 1), the paper's ratio; evaluations: graphs evaluated outside search nodes. Engines add their own.
    """

    __slots__ = ("_values",)

    def __init__(self, **values: Any) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self._values[key]
        except KeyError:
            raise AttributeError(f"no statistic {key!r}; there are {', '.join(self._values)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_stats, (self._values,)

    def __repr__(self) -> str:
        shown = (f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in self.items())
        return f"Stats({', '.join(shown)})"


def _rebuild_stats(values: dict[str, Any]) -> Stats:
    return Stats(**values)


@dataclass(frozen=True)
class Verdict(Shown):
    """`robust`, `vulnerable` (with the attack and the class that wins), or `unknown` (with the reason)."""

    status: Status
    label: int
    attack: Attack | None = None
    rival: int | None = None
    reason: str | None = None  # unknown only: "timeout", "node limit", "interrupted", "tie", ..
    node: int | None = None
    directed: bool = True
    stats: Stats = field(default_factory=Stats, compare=False)
    certified: bool = False  # the checker has re-established it
    graph: Graph | None = field(default=None, compare=False)  # for pictures
    lead: Lead | None = field(default=None, compare=False)  # unknown only: what comes closest to an attack

    @property
    def robust(self) -> bool:
        return self.status == "robust"

    @property
    def vulnerable(self) -> bool:
        return self.status == "vulnerable"

    def __bool__(self) -> bool:
        raise TypeError("a verdict is robust, vulnerable or unknown, so it is neither true nor false: ask v.robust")

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the same names, for JSON."""
        lead = self.lead
        return {
            "status": self.status, "node": self.node, "label": self.label, "rival": self.rival,
            "attack": None if self.attack is None else [list(pair) for pair in self.attack],
            "reason": self.reason, "directed": self.directed, "certified": self.certified, "stats": dict(self.stats),
            "lead": None if lead is None else {"flips": [list(pair) for pair in lead.flips], "margin": lead.margin},
        }  # fmt: skip

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        text = f"{where}, class {self.label}: {self.status}{', certified' * self.certified}"
        if self.attack is not None:
            text += f", {len(self.attack)} flip{'s' if len(self.attack) != 1 else ''} {list(self.attack)}"
            text += f" give{'s' if len(self.attack) == 1 else ''} class {self.rival}"
        if self.reason is not None:
            text += f" ({self.reason})"
        return f"Verdict({text})"


@dataclass(frozen=True)
class Radius(Shown):
    """The largest budget for which the claim is proved, as an interval that closes when the search is finished.

    lower: largest budget proved (-1: the claim fails on the input graph). upper: size of the smallest known attack
    minus 1, None if none is known. exact: the search is finished. robust: no admissible graph within the cap
    breaks the claim (then `upper` is None and `lower` is the cap, or the number of fragile pairs without one).
    """

    lower: int
    upper: int | None
    exact: bool
    robust: bool
    label: int
    attack: Attack | None = None
    rival: int | None = None
    reason: str | None = None
    node: int | None = None
    directed: bool = True
    stats: Stats = field(default_factory=Stats, compare=False)
    graph: Graph | None = field(default=None, compare=False)  # for pictures

    @property
    def status(self) -> Status:
        """`robust`: nothing within the cap breaks the claim; `vulnerable`: a smallest attack is known."""
        return "robust" if self.robust else "vulnerable" if self.exact else "unknown"

    @property
    def vulnerable(self) -> bool:
        return self.status == "vulnerable"

    def __bool__(self) -> bool:
        raise TypeError("a radius is an interval, so it is neither true nor false: ask r.robust, r.exact or r.lower")

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the same names, for JSON."""
        return {
            "lower": self.lower, "upper": self.upper, "exact": self.exact, "robust": self.robust,
            "node": self.node, "label": self.label, "rival": self.rival,
            "attack": None if self.attack is None else [list(pair) for pair in self.attack],
            "reason": self.reason, "directed": self.directed, "stats": dict(self.stats),
        }  # fmt: skip

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        if self.robust:
            text = f"robust up to {self.lower}: no admissible graph breaks it"
        elif self.exact:
            text = f"radius {self.lower}"
        else:
            text = f"radius from {self.lower} to {'?' if self.upper is None else self.upper} ({self.reason})"
        return f"Radius({where}, class {self.label}: {text})"
