"""`edgeproof demo`: the exact radius of every member of the karate club."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    from rich.table import Table

    from ..model.graph import Graph
    from ..model.network import Network
    from ..model.verdict import Radius

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
        answers = verify_many(network, graph, plan, workers=0, engine=engine, store=store)
        radii: list[Radius] = []
        with _table_that_grows(graph, cap, quiet=as_json) as show_row:
            for answer in answers:
                if not isinstance(answer.result, Radius):
                    raise EdgeproofError(str(answer.result))
                radii.append(answer.result)
                radii.sort(key=lambda one: one.node or 0)
                show_row(radii)
        if as_json:
            print_json({"members": [one.to_dict() for one in radii]})
        else:
            known = {graph.fingerprint: graph}
            found = write_report(
                store, out, graphs=known, networks={network.fingerprint: network}, title="Zachary's karate club",
                names=SIDES,
            )  # fmt: skip
            _print_summary(radii, cap)
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


@contextmanager
def _table_that_grows(graph: Graph, cap: int | None, *, quiet: bool) -> Iterator[Callable[[list[Radius]], None]]:
    """At a terminal every row is shown as soon as it is known; elsewhere the table is printed when it is whole."""
    from rich.console import Console
    from rich.live import Live

    console, latest = Console(quiet=quiet), _table(graph, [], cap)
    if not console.is_terminal or quiet:
        shown: list[Radius] = []
        yield lambda radii: shown.__setitem__(slice(None), radii)
        console.print(_table(graph, shown, cap))
        return
    with Live(latest, console=console, refresh_per_second=8) as live:
        yield lambda radii: live.update(_table(graph, radii, cap))


def _table(graph: Graph, radii: list[Radius], cap: int | None) -> Table:
    from rich.table import Table

    from ..demo.karate import SIDES

    table = Table(title="How many changed friendships does a prediction survive?")
    for heading in ("member", "friends", "predicted side", "survives", "smallest attack"):
        table.add_column(heading, justify="right" if heading in ("member", "friends", "survives") else "left")
    assert graph.labels is not None
    for one in radii:
        node = one.node or 0
        wrong = "" if one.label == graph.labels[node] else " (wrong)"
        attack = "" if one.attack is None else ", ".join(_tell_flip(graph, u, v) for u, v in one.attack)
        table.add_row(
            str(node), str(graph.in_neighbours(node).size), SIDES[one.label] + wrong, _tell_radius(one, cap), attack,
        )  # fmt: skip
    return table


def _print_summary(radii: list[Radius], cap: int | None) -> None:
    unbroken, broken = sum(one.robust for one in radii), sum(one.exact and not one.robust for one in radii)
    many = "any set of changes" if cap is None else f"any {count(cap, 'change')}"
    click.echo(f"{unbroken} of {len(radii)} predictions are proved to survive {many}.")
    click.echo(f"{broken} break: the number is exact, and the attack is one change larger.")


def _tell_flip(graph: Graph, u: int, v: int) -> str:
    return f"{'' if graph.has_edge(u, v) else '+'}{u}-{v}"


def _tell_radius(one: Radius, cap: int | None) -> str:
    if one.robust:
        return "all" if cap is None else f"{cap} or more"
    return str(one.lower) if one.exact else f"{one.lower} to {'?' if one.upper is None else one.upper}"
