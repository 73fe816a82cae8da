"""One sweep as it was typed, or as a table of a TOML file says it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..model.by_degree import ByDegree
from .parse import parse_budget, parse_numbers
from .wider import NAMES, more_of

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..sweep.limits import Limits
    from ..sweep.plan import Plan, Target

One = int | ByDegree | None
Budget = tuple[One, One]  # global, local


@dataclass(frozen=True)
class Spec:
    """The fields are the keys of a plan file. budgets: numbers, rules such as "degree+2", or pairs of global and local
    budget.
    """

    model: str = ""
    graph: str = ""
    nodes: str | Sequence[int] = "all"
    budgets: Sequence[int | str | Sequence[int | str]] = ()
    local_budget: int | str | ByDegree | Sequence[int] | None = None
    delete: bool = True
    insert: bool | str = False
    fragile: Sequence[Sequence[int]] | None = None
    protected: Sequence[Sequence[int]] = ()
    label: int | None = None
    targets: Sequence[int | str] = ("all",)
    radius: bool = False
    directed: bool | None = None
    timeout: float | None = None
    node_limit: int | None = None
    memory: float | None = None
    engine: str = "search"
    options: Mapping[str, Any] = field(default_factory=dict)
    cost: Sequence[Any] = ()
    feature_flips: int | str | None = None
    feature_local: int | None = None
    feature_nodes: str | Sequence[int] | None = None
    inject: int | None = None
    inject_edges: int | None = None
    inject_rows: str | Sequence[int] | None = None

    def plan(self, graph: Graph | None = None) -> Plan:
        """graph: what vertices, masks and rows of features are those of; needed where features or vertices change."""
        from ..model.threat import Threat
        from ..sweep.plan import Plan

        wider = {name: getattr(self, name) for name in NAMES}
        more = {} if graph is None else more_of(graph, wider)
        threats = [
            Threat(
                budget,
                _local(self.local_budget) if local is None else local,
                self.delete,
                self.insert,  # type: ignore[arg-type]  # checked there
                None if self.fragile is None else [(u, v) for u, v in self.fragile],
                [(u, v) for u, v in self.protected],
                **more,
            )
            for budget, local in map(_budget, self.budgets or (None,))
        ]
        return Plan(threats, _nodes(self.nodes), [_target(one) for one in self.targets], self.label, self.radius)

    def limits(self) -> Limits:
        from ..sweep.limits import Limits

        return Limits(self.timeout, self.node_limit, self.memory)


def read_specs(path: Path) -> list[Spec]:
    """A plan file: keys at the top hold for every `[[sweep]]` table that does not say otherwise."""
    from ..convert.disk import read_bytes

    try:
        found = tomllib.loads(read_bytes(path).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise InputError(f"{path}: expected a TOML file: {problem}") from None
    tables = found.pop("sweep", [{}])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path}: sweep: expected tables [[sweep]]")
    specs = []
    for number, table in enumerate(tables, 1):
        where = f"{path}: sweep {number}"
        spec = _read_spec({**found, **table}, where)
        if not spec.model or not spec.graph:
            raise InputError(f"{where}: expected model and graph")
        specs.append(replace(spec, model=str(path.parent / spec.model), graph=str(path.parent / spec.graph)))
    return specs


_KINDS: Mapping[str, tuple[type, ...]] = {
    "model": (str,), "graph": (str,), "nodes": (str, list), "budgets": (list,), "local_budget": (int, str, list),
    "delete": (bool,), "insert": (bool, str), "fragile": (list,), "protected": (list,), "label": (int,),
    "targets": (list,), "radius": (bool,), "directed": (bool,), "timeout": (int, float), "node_limit": (int,),
    "cost": (list,), "feature_flips": (int, str), "feature_local": (int,), "feature_nodes": (str, list),
    "inject": (int,), "inject_edges": (int,), "inject_rows": (str, list), "memory": (int, float), "engine": (str,),
    "options": (dict,),
}  # fmt: skip


def _read_spec(table: Mapping[str, Any], where: str) -> Spec:
    known = [one.name for one in fields(Spec)]
    for key, value in table.items():
        if key not in known:
            raise InputError(f"{where}: unknown key {key!r}; there are {', '.join(known)}")
        kinds = _KINDS[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = {str: "text", list: "a list", int: "a whole number", float: "a number", bool: "true or false"}
            wanted = " or ".join(names.get(kind, "a table") for kind in kinds)
            raise InputError(f"{where}: {key}: expected {wanted}, got {value!r}")
    for key in ("fragile", "protected"):
        if any(not isinstance(pair, list) or len(pair) != 2 for pair in table.get(key, [])):
            raise InputError(f"{where}: {key}: expected a list of pairs [u, v]")
    return Spec(**table)


def _budget(given: object) -> Budget:
    if given is None or isinstance(given, int | str | ByDegree):
        return parse_budget(given), None
    if isinstance(given, list | tuple) and len(given) == 2:
        return parse_budget(given[0]), parse_budget(given[1], "local budget")
    raise InputError(
        f"budget: expected a number, a rule such as degree+2, or a pair of global and local budget, got {given!r}"
    )


def _local(given: int | str | ByDegree | Sequence[int] | None) -> One | Sequence[int]:
    return parse_budget(given, "local budget") if isinstance(given, str) else given


def _target(given: int | str) -> Target:
    if given == "all":
        return None
    if given == "next":
        return "next"
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    raise InputError(f"target: expected a class, all or next, got {given!r}")


def _nodes(given: str | Sequence[int]) -> str | list[int]:
    return parse_numbers(given) if isinstance(given, str) else list(given)
