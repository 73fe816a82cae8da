"""`edgeproof demo`: the exact radius of every member of the karate club."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from .failure import UNKNOWN
from .question import print_json
from .words import count

if TYPE_CHECKING:
    from ..graph import Graph
    from ..verdict import Radius


@click.command(short_help="Exact radii of a small club's members; nothing to download.")
@click.option("--max-budget", type=int, default=3, show_default=True, help="Look no further than this many flips.")
@click.option("--insert/--no-insert", default=False, show_default=True, help="New friendships count as flips too.")
@click.option("--engine", default="search", show_default=True, help="search, or brute (every graph; small budgets).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def demo(max_budget: int, insert: bool, engine: str, as_json: bool) -> int:
    """Zachary's karate club split in two. A small network says which side each of its 34 members took; how many
    friendships must break before it changes its mind about a member?

    \b
        edgeproof demo
        edgeproof demo --insert --max-budget 1
    """
    from ..demo.karate import karate_graph, karate_network
    from ..threat import Threat
    from ..verify import radius

    graph, network = karate_graph(), karate_network()
    threat = Threat(budget=max_budget, insert=insert)
    nodes = _with_progress(range(graph.num_vertices))
    radii = [radius(network, graph, threat, node, engine=engine) for node in nodes]
    if as_json:
        print_json({"members": [one.to_dict() for one in radii]})
    else:
        _print_table(graph, radii, max_budget)
    return 0 if all(one.exact for one in radii) else UNKNOWN


def _with_progress(nodes: range) -> Iterable[int]:
    if not sys.stderr.isatty():
        return nodes
    from rich.console import Console
    from rich.progress import track

    return track(nodes, "members", console=Console(stderr=True), transient=True)


def _print_table(graph: Graph, radii: list[Radius], cap: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from ..demo.karate import SIDES

    table = Table(title="How many friendships must change before the network changes its mind?")
    for heading in ("member", "friends", "predicted side", "survives", "smallest attack"):
        table.add_column(heading, justify="right" if heading in ("member", "friends", "survives") else "left")
    assert graph.labels is not None
    for node, one in enumerate(radii):
        wrong = "" if one.label == graph.labels[node] else " (wrong)"
        attack = "" if one.attack is None else ", ".join(_tell_flip(graph, u, v) for u, v in one.attack)
        table.add_row(
            str(node), str(graph.in_neighbours(node).size), SIDES[one.label] + wrong, _tell_radius(one), attack,
        )  # fmt: skip
    console = Console()
    console.print(table)
    unbroken, broken = sum(one.robust for one in radii), sum(one.exact and not one.robust for one in radii)
    console.print(f"{unbroken} of {len(radii)} predictions are proved to survive any {count(cap, 'change')}.")
    console.print(f"For {broken} the number is exact: the attack, one change larger, breaks the prediction.")


def _tell_flip(graph: Graph, u: int, v: int) -> str:
    return f"{'' if graph.has_edge(u, v) else '+'}{u}-{v}"


def _tell_radius(one: Radius) -> str:
    if one.robust:
        return f"{one.lower} or more"
    return str(one.lower) if one.exact else f"{one.lower} to {'?' if one.upper is None else one.upper}"
