"""Answers: the verdict, the radius, the attack, and what it took to find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from numpy.typing import ArrayLike

from ..errors import InputError
from ..picture.answer import Shown
from .arrays import FloatArray, frozen_floats
from .graph import Graph, Pair
from .perturb import perturb

Status = Literal["robust", "vulnerable", "unknown"]


Entry = tuple[int, int]  # a vertex and a column of its features


class Attack(tuple[Pair, ...]):
    """What breaks the claim: the flips as a tuple of pairs (u, v), sorted, and beside them what else it changes.

    features: ((vertex, column), ..), the features that flip, or that are moved; values: what moved ones become.
    injected: for each new vertex the number of its row in the pool. types: of inserted edges, where they have types.
    cost: what budgets count. An attack is always true, also where it needs no flips; two are equal where all but costs
    and values is.

    >>> Attack([(3, 1), (0, 2)])
    Attack((0, 2), (3, 1))
    >>> Attack([(0, 9)], features=[(4, 1)], injected=[2]).cost
    1
    """

    features: tuple[Entry, ...]
    values: tuple[float, ...] | None
    injected: tuple[int, ...]
    types: tuple[int, ...]
    cost: int
    pool: FloatArray | None  # the rows of new vertices

    def __new__(
        cls,
        pairs: Iterable[Pair],
        *,
        features: Iterable[Entry] = (),
        values: Iterable[float] | None = None,
        injected: Iterable[int] = (),
        types: Iterable[int] = (),
        cost: int | None = None,
        pool: FloatArray | None = None,
    ) -> Attack:
        made = super().__new__(cls, sorted((int(u), int(v)) for u, v in pairs))
        places = [(int(v), int(c)) for v, c in features]
        order = sorted(range(len(places)), key=lambda at: places[at])
        made.features = tuple(places[at] for at in order)
        given = None if values is None else [float(x) for x in values]
        made.values = None if given is None else tuple(given[at] for at in order)
        made.injected = tuple(int(row) for row in injected)
        made.types = tuple(int(one) for one in types)
        made.cost = len(made) if cost is None else int(cost)
        made.pool = None if pool is None or not made.injected else pool
        return made

    @property
    def more(self) -> dict[str, Any]:
        """What it changes beside flips, as keyword arguments."""
        return {
            "features": self.features, "values": self.values, "injected": self.injected, "types": self.types,
            "cost": self.cost, "pool": self.pool,
        }  # fmt: skip

    def __reduce__(self) -> Any:
        return _attack, (tuple(self), self.more)

    def __bool__(self) -> bool:
        return True

    def _parts(self) -> tuple[Any, ...]:
        return self.features, self.injected, self.types

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple):
            return NotImplemented
        parts = other._parts() if isinstance(other, Attack) else ((), (), ())
        return tuple(self) == tuple(other) and self._parts() == parts

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self._parts())) if any(self._parts()) else hash(tuple(self))

    def apply(self, graph: Graph, *, pool: ArrayLike | None = None) -> Graph:
        """The perturbed graph. pool: the rows of new vertices, where the attack was read from a file without them."""
        return perturb(graph, self, self._pool(pool))

    def to_pyg(self, data: Any, *, directed: bool | None = None, pool: ArrayLike | None = None) -> Any:
        """A copy of the PyG `Data` object with all of this done to it; `directed` as given to `graph_from_pyg`."""
        from ..convert.pyg.graphs import change_data, flip_data

        held = self._pool(pool)
        if not (self.features or self.injected):
            return flip_data(data, self, directed)
        rows = [] if held is None else [held[row].tolist() for row in self.injected]
        return change_data(data, self, directed, self.features, self.values, rows)

    def _pool(self, given: ArrayLike | None) -> FloatArray | None:
        if not self.injected:
            return None
        held = self.pool if given is None else frozen_floats(given, "pool", (None, None))
        if held is None:
            raise InputError("pool: this attack came without the rows of its new vertices, expected pool=")
        if max(self.injected) >= len(held):
            raise InputError(f"pool: expected at least {max(self.injected) + 1} rows, got {len(held)}")
        return held

    def to_dict(self) -> dict[str, Any]:
        """Fields of JSON and of the store; without flips of features and new vertices, only pairs and their cost."""
        return {
            "attack": [list(pair) for pair in self],
            "features": [list(one) for one in self.features] or None,
            "values": None if self.values is None else list(self.values),
            "injected": list(self.injected) or None,
            "types": list(self.types) or None,
            "cost": self.cost,
        }

    def to_explanation(self, data: Any, *, directed: bool | None = None) -> Any:
        """A PyG `Explanation` of the `Data` object whose `edge_mask` is 1 on the edges that this attack deletes.

        Of a smallest attack it is an exact counterfactual explanation: without these edges the class changes, and no
        smaller set of edges has this effect. `get_complement_subgraph()` of it is the graph after the attack. An attack
        that inserts edges is refused, since a mask can only speak of edges that are there.
        """
        from ..convert.pyg.explain import explain_data

        return explain_data(data, self, directed)

    def __repr__(self) -> str:
        told = [str(pair) for pair in self]
        told += [
            f"{name}={value}" for name, value in (("features", self.features), ("injected", self.injected)) if value
        ]
        return f"Attack({', '.join(told)})"


NO_ATTACK: Mapping[str, Any] = dict.fromkeys(("attack", "features", "values", "injected", "types", "cost"))


def _attack(pairs: tuple[Pair, ...], more: dict[str, Any]) -> Attack:
    return Attack(pairs, **more)


def count_changes(attack: Attack) -> str:
    """Such as `2 flips and 1 feature`."""
    parts = [(len(attack), "flip"), (len(attack.features), "feature"), (len(attack.injected), "new vertex")]
    named = [(number, thing) for number, thing in parts if number or thing == "flip"]
    if len(named) > 1 and not len(attack):
        named = named[1:]
    plural = {"new vertex": "new vertices"}
    said = [f"{number} {thing if number == 1 else plural.get(thing, thing + 's')}" for number, thing in named]
    return " and ".join(said)


def attack_fields(attack: Attack | None) -> Mapping[str, Any]:
    return NO_ATTACK if attack is None else attack.to_dict()


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


def _shared_fields(answer: Verdict | Radius, certified: bool, lead: Lead | None) -> dict[str, Any]:
    return {
        "status": answer.status, "robust": answer.robust, "vulnerable": answer.vulnerable, "node": answer.node,
        "label": answer.label, "rival": answer.rival,
        **attack_fields(answer.attack),
        "reason": answer.reason, "directed": answer.directed, "certified": certified, "stats": dict(answer.stats),
        "lead": None if lead is None else {"flips": [list(pair) for pair in lead.flips], "margin": lead.margin},
    }  # fmt: skip


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
        """Plain values under the same names, for JSON; a radius has all of these too, and its interval."""
        return _shared_fields(self, self.certified, self.lead)

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        text = f"{where}, class {self.label}: {self.status}{', certified' * self.certified}"
        if self.attack is not None:
            text += f", {count_changes(self.attack)} {list(self.attack)}"
            text += f" give{'s' if len(self.attack) == 1 else ''} class {self.rival}"
        if self.reason is not None:
            text += f" ({self.reason})"
        return f"Verdict({text})"


@dataclass(frozen=True)
class Radius(Shown):
    """The largest budget for which the claim is proved, as an interval that closes when the search is finished.

    lower: largest budget proved (-1: the claim fails on the input graph). upper: cost of the cheapest known attack
    minus 1 (its number of flips, where each costs 1), None if none is known. exact: the search is finished. robust: no
    admissible graph within the cap breaks the claim (then `upper` is None and `lower` is the cap, or without one what
    flipping all fragile pairs costs).
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
        """Plain values under the same names, for JSON: those of a verdict, and the interval."""
        return {"lower": self.lower, "upper": self.upper, "exact": self.exact, **_shared_fields(self, False, None)}

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        if self.robust:
            text = f"robust up to {self.lower}: no admissible graph breaks it"
        elif self.exact:
            text = f"radius {self.lower}"
        else:
            text = f"radius from {self.lower} to {'?' if self.upper is None else self.upper} ({self.reason})"
        return f"Radius({where}, class {self.label}: {text})"
