"""Options for threats beyond flips of equal cost: costs, features, new vertices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .pages import shows
from .parse import parse_costs, parse_numbers

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..model.injection import Injection

_OPTIONS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("--cost", "U,V,C|@FILE", "What flipping a pair costs, if not 1. Repeatable.", {"multiple": True}),
    ("--feature-flips", "N|shared", "Most flips of 0/1 features; shared: they take of --budget.", {}),
    ("--feature-local", "N", "Most flips of features at a vertex.", {"type": int}),
    ("--feature-nodes", "WHICH", "Vertices whose features flip: numbers, a mask. [default: all]", {}),
    ("--inject", "N", "Up to N new vertices.", {"type": int}),
    ("--inject-edges", "N", "Most edges of a new vertex [default: 1].", {"type": int}),
    ("--inject-rows", "WHICH", "Vertices whose features new ones may have. [default: all]", {}),
)
_PAGE = "Threats beyond flips of edges that cost one unit each:\n" + "\n".join(
    f"  {name + ' ' + metavar:<25} {text}" for name, metavar, text, _ in _OPTIONS
)
WIDER_OPTIONS = (
    *(click.option(name, metavar=metavar, help=text, hidden=True, **more) for name, metavar, text, more in _OPTIONS),
    click.option(
        "--help-threats",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=shows(_PAGE),
        help="Show costs, features and new vertices, and exit.",
    ),
)
NAMES = ("cost", "feature_flips", "feature_local", "feature_nodes", "inject", "inject_edges", "inject_rows")


def more_of(graph: Graph, typed: Mapping[str, Any]) -> dict[str, Any]:
    """These options as arguments of Threat; `typed` has NAMES."""
    from ..model.feature_threats import FeatureFlips

    more: dict[str, Any] = {"cost": _costs(typed["cost"])} if typed["cost"] else {}
    flips = typed["feature_flips"]
    for name in ("feature_local", "feature_nodes"):
        if typed[name] is not None and flips is None:
            raise InputError(f"{name.replace('_', ' ')}: expected --feature-flips beside it")
    for name in ("inject_edges", "inject_rows"):
        if typed[name] is not None and typed["inject"] is None:
            raise InputError(f"{name.replace('_', ' ')}: expected --inject beside it")
    if flips is not None:
        nodes = None if typed["feature_nodes"] is None else _vertices(typed["feature_nodes"], graph)
        more["features"] = FeatureFlips(_budget(flips), typed["feature_local"], nodes)
    if typed["inject"] is not None:
        more["inject"] = _injection(graph, typed)
    return more


def _costs(given: Sequence[Any]) -> dict[tuple[int, int], int]:
    """As typed, or as lists [u, v, cost] of a plan file."""
    if all(isinstance(one, str) for one in given):
        return parse_costs(given)
    if not all(isinstance(one, list) and len(one) == 3 for one in given):
        raise InputError("cost: expected lists [u, v, cost]")
    return {(u, v): cost for u, v, cost in given}


def _budget(given: str | int) -> int | None:
    if given == "shared":
        return None
    try:
        return int(given)
    except ValueError:
        raise InputError(f"feature flips: expected a number, or shared, got {given!r}") from None


def _vertices(given: str | Sequence[int], graph: Graph) -> list[int]:
    from ..sweep.plan import choose

    found = parse_numbers(given) if isinstance(given, str) else list(given)
    return [int(v) for v in choose(found, graph)]


def _injection(graph: Graph, typed: Mapping[str, Any]) -> Injection:
    """Of equal rows one is enough."""
    import numpy as np

    from ..model.injection import Injection

    rows = graph.features.dense(np.array(_vertices(typed["inject_rows"] or "all", graph)))
    edges = typed["inject_edges"]
    return Injection(typed["inject"], 1 if edges is None else edges, features=np.unique(rows, axis=0))
