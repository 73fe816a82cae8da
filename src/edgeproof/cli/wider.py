"""Options for threats beyond flips of equal cost: costs, features, new vertices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .parse import parse_costs, parse_numbers

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..model.injection import Injection

WIDER_OPTIONS = (
    click.option(
        "--cost", multiple=True, metavar="U,V,C|@FILE", help="What flipping a pair costs, if not 1. Repeatable."
    ),
    click.option(
        "--feature-flips", metavar="N|shared", help="Most flips of 0/1 features; shared: they take of --budget."
    ),
    click.option("--feature-local", type=int, metavar="N", help="Most flips of features at a vertex."),
    click.option(
        "--feature-nodes", metavar="WHICH", help="Vertices whose features flip: numbers, a mask. [default: all]"
    ),
    click.option("--inject", type=int, metavar="N", help="Up to N new vertices."),
    click.option("--inject-edges", type=int, metavar="N", help="Most edges of a new vertex [default: 1]."),
    click.option("--inject-rows", metavar="WHICH", help="Vertices whose features new ones may have. [default: all]"),
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
