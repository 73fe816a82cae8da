"""`edgeproof demo`: the exact radius of every member of the karate club."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ..convert.disk import tell
from ..errors import EdgeproofError, InputError
from .failure import UNKNOWN
from .question import print_json
from .words import count

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..model.network import Network
    from ..model.verdict import Radius
    from ..sweep.answer import Answer

INSERT_BUDGET = 2  # 561 pairs may flip: more would take minutes


@click.command(short_help="Exact radii of a small club's members; nothing to download.")
@click.option(
    "--max-budget", type=int, help="Look no further than this many flips [default: no limit; 2 with --insert]."
)
@click.option("--insert/--no-insert", default=False, show_default=True, help="New friendships count as flips too.")
@click.option("--engine", default="search", show_default=True, help="search, or brute (every graph; small budgets).")
@click.option(
    "-o", "--out", metavar="FILE", default="edgeproof-demo.html", show_default=True, type=click.Path(), help="The page."
)
@click.option("--open/--no-open", "show", default=True, show_default=True, help="Open the page, at a terminal.")
@click.option("--files", metavar="DIR", type=click.Path(), help="Save network and graph, to try other commands on.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and write no page.")
def demo(
    max_budget: int | None, insert: bool, engine: str, out: str, show: bool, files: str | None, as_json: bool
) -> int:
    """Zachary's karate club split in two. A small network says which side each of its 34 members took; how many
    friendships must break before it changes its mind about a member? A table, and a page with every attack drawn.

    \b
        edgeproof demo
        edgeproof demo --insert
        edgeproof demo --files .
    """
    from ..demo.karate import SIDES, karate_graph, karate_network
    from ..model.threat import Threat
    from ..model.verdict import Radius
    from ..report.write import write_report
    from ..sweep.many import verify_many
    from ..sweep.plan import Plan

    graph, network = karate_graph(), karate_network()
    saved = None if files is None else _save(network, graph, Path(files))
    cap = INSERT_BUDGET if max_budget is None and insert else max_budget
    plan = Plan([Threat(budget=cap, insert=insert)], radius=True)
    with TemporaryDirectory() as store:
        answers = verify_many(network, graph, plan, workers=0, engine=engine, passes=False, store=store)
        results = [one.result for one in _with_progress(answers, graph.num_vertices)]
        radii = [one for one in results if isinstance(one, Radius)]
        if len(radii) < len(results):
            raise EdgeproofError(next(str(one) for one in results if not isinstance(one, Radius)))
        radii.sort(key=lambda one: one.node or 0)
        if as_json:
            print_json({"members": [one.to_dict() for one in radii]})
        else:
            known = {graph.fingerprint: graph}
            found = write_report(store, out, graphs=known, title="Zachary's karate club", names=SIDES)
            _print_table(graph, radii, cap)
            top = found.most_flipped(3)
            if top:
                pairs = ", ".join(f"{one.pair[0]}-{one.pair[1]} ({count(one.times, 'attack')})" for one in top)
                click.echo(f"The most fragile friendships: {pairs}.")
            _tell_page(out, show)
            if saved is not None:
                click.echo(f"Its network and graph: {saved}; for instance")
                click.echo(f"  edgeproof verify {saved} --node 8 --budget 1")
    return 0 if all(one.exact for one in radii) else UNKNOWN


def _save(network: Network, graph: Graph, folder: Path) -> str:
    """The files as the other commands take them: one after the other."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder}: cannot make this folder: {tell(problem)}") from None
    model, data = folder / "karate.safetensors", folder / "karate.npz"
    network.save(model)
    graph.save(data)
    return f"{model} {data}"


def _tell_page(out: str, show: bool) -> None:
    """A page that nobody sees is opened for nobody: only at a terminal."""
    click.echo(f"Every attack, drawn: {out}")
    if show and sys.stdout.isatty():
        import webbrowser

        webbrowser.open(Path(out).resolve().as_uri())


def _with_progress(answers: Iterable[Answer], total: int) -> Iterable[Answer]:
    if not sys.stderr.isatty():
        return answers
    from rich.console import Console
    from rich.progress import track

    return track(answers, "members", total=total, console=Console(stderr=True), transient=True)


def _print_table(graph: Graph, radii: list[Radius], cap: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from ..demo.karate import SIDES

    table = Table(title="How many changed friendships does a prediction survive?")
    for heading in ("member", "friends", "predicted side", "survives", "smallest attack"):
        table.add_column(heading, justify="right" if heading in ("member", "friends", "survives") else "left")
    assert graph.labels is not None
    for node, one in enumerate(radii):
        wrong = "" if one.label == graph.labels[node] else " (wrong)"
        attack = "" if one.attack is None else ", ".join(_tell_flip(graph, u, v) for u, v in one.attack)
        table.add_row(
            str(node), str(graph.in_neighbours(node).size), SIDES[one.label] + wrong, _tell_radius(one, cap), attack,
        )  # fmt: skip
    console = Console()
    console.print(table)
    unbroken, broken = sum(one.robust for one in radii), sum(one.exact and not one.robust for one in radii)
    many = "any set of changes" if cap is None else f"any {count(cap, 'change')}"
    console.print(f"{unbroken} of {len(radii)} predictions are proved to survive {many}.")
    console.print(f"{broken} break: the number is exact, and the attack is one change larger.")


def _tell_flip(graph: Graph, u: int, v: int) -> str:
    return f"{'' if graph.has_edge(u, v) else '+'}{u}-{v}"


def _tell_radius(one: Radius, cap: int | None) -> str:
    if one.robust:
        return "all" if cap is None else f"{cap} or more"
    return str(one.lower) if one.exact else f"{one.lower} to {'?' if one.upper is None else one.upper}"
