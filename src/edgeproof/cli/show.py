"""`edgeproof show`: the table of a sweep."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .progress import working
from .question import print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..sweep.table import Radii, Row


@click.command(short_help="The table of a sweep: solved, times, robust and vulnerable by budget.")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option("--sql", metavar="QUERY", help="Ask duckdb instead; the views are `answers` and `lines`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(folder: str, sql: str | None, as_json: bool) -> None:
    """What a sweep has found out so far; it may still be running.

    \b
        edgeproof show cora
        edgeproof show cora --sql "select node, budget, spent from answers order by spent desc limit 5"

    Times are over solved questions: the mean, and the geometric mean shifted by ten seconds, as in the paper. The
    fields of a line are described in docs/store.md.
    """
    from ..report.gather import tell_skipped
    from ..sweep.table import common_errors, connect, radii, skipped, summary

    with working("reading"):
        connection = connect(folder)
    left_out = skipped(connection)
    if left_out:
        click.echo(f"edgeproof: {tell_skipped(left_out)}", err=True)
    if sql is not None:
        _ask(connection, sql, as_json)
        return
    verdicts, found = summary(connection), radii(connection)
    if as_json:
        print_json({"verdicts": [row._asdict() for row in verdicts], "radii": [row._asdict() for row in found]})
        return
    _show(verdicts, found)
    for message, count in common_errors(connection):
        click.echo(f"{count:,} error{'s' if count > 1 else ''}: {message}")


def _console() -> Console:
    from rich.console import Console

    console = Console()
    # a file has no width: nothing is cut off in it
    return console if console.is_terminal else Console(width=200)


def _show(verdicts: list[Row], found: list[Radii]) -> None:
    console = _console()
    for (network, dataset), some in itertools.groupby(verdicts, key=lambda row: (row.network, row.dataset)):
        console.print(_verdict_table(f"{network} on {dataset}", list(some)))
    implied = sum(row.implied for row in verdicts)
    if implied:
        console.print(
            f"{implied:,} of {sum(row.questions for row in verdicts):,} verdicts followed from others at no cost; "
            "sweep with --no-share --no-passes to measure each alone."
        )
    if found:
        console.print(_radius_table(found))
    if not verdicts and not found:
        console.print("no answers yet")


def _table(title: str, texts: list[str], numbers: list[str]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in texts:
        table.add_column(heading)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _verdict_table(title: str, rows: list[Row]) -> Table:
    """Columns that say the same in every row are left out, so that the table is as wide as the sweep is varied."""
    from rich.text import Text

    names = {"engine": "engine", "options": "options", "target": "against", "threat": "flips"}
    kept = [name for name in names if len({getattr(row, name) for row in rows}) > 1]
    numbers = ["budget", "local", "solved", "mean", "shifted", "longest", "robust", "vulnerable", "unknown"]
    errors = any(row.errors for row in rows)
    table = _table(title, [names[name] for name in kept], numbers + ["errors"] * errors)
    for row in rows:
        table.add_row(
            *(Text(str(getattr(row, name))) for name in kept), _limit(row.budget), _limit(row.local_budget),
            f"{row.solved:,}/{row.questions:,}", *map(_seconds, (row.mean, row.shifted, row.longest)),
            f"{row.robust:,}", f"{row.vulnerable:,}", f"{row.unknown:,}", *([f"{row.errors:,}"] if errors else []),
        )  # fmt: skip
    return table


def _radius_table(rows: list[Radii]) -> Table:
    from rich.text import Text

    values = sorted({radius for row in rows for radius in row.by_radius})
    errors = any(row.errors for row in rows)
    heads = ["cap", "questions", "unknown", *(["errors"] if errors else []), "robust", *(f"r = {r}" for r in values)]
    table = _table("Radii", ["network", "graph"], [*heads, "mean"])
    for row in rows:
        table.add_row(
            Text(row.network), Text(row.dataset), _limit(row.cap), f"{row.questions:,}", f"{row.unknown:,}",
            *([f"{row.errors:,}"] if errors else []), f"{row.robust:,}",
            *(f"{row.by_radius.get(radius, 0):,}" for radius in values), _seconds(row.mean),
        )  # fmt: skip
    return table


def _limit(number: int | None) -> str:
    return "-" if number is None else str(number)


def _seconds(value: float | None) -> str:
    """Three digits are enough, and all that fits."""
    if value is None:
        return ""
    number, unit = (1000 * value, "ms") if value < 1 else (value, "s")
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {unit}"


def _ask(connection: Any, sql: str, as_json: bool) -> None:
    import duckdb

    try:
        result = connection.execute(sql)
        names = [column[0] for column in result.description]
        rows = result.fetchall()
    except duckdb.Error as problem:
        raise InputError(f"sql: {problem}") from None
    if as_json:
        print_json({"columns": names, "rows": [list(row) for row in rows]})
        return
    from rich.text import Text

    table = _table("", [], names)
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row))
    _console().print(table)
