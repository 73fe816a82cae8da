"""`edgeproof report`: tables, plots and attack pictures of a sweep."""

from __future__ import annotations

import click

from ..errors import InputError
from .progress import working


@click.command(short_help="Tables, plots and attack pictures of a sweep, as one page.")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option("-o", "--out", metavar="FILE", default="report.html", show_default=True, type=click.Path(),
              help="The page to write.")  # fmt: skip
@click.option("--graph", "graph_files", multiple=True, metavar="FILE", type=click.Path(),
              help="Where a graph is now, if it has moved since the sweep. Repeatable.")  # fmt: skip
@click.option("--figures", metavar="DIR", type=click.Path(), help="Also write each plot as PNG, SVG and PDF.")
@click.option("--title", help="The heading [default: the name of DIR].")
@click.option("--classes", metavar="A,B,..", help="Names of the classes, in their order.")
@click.option("--pictures", type=click.IntRange(0), default=5000, show_default=True,
              help="Draw at most so many attacks, about 2 kB each.")  # fmt: skip
def report(
    folder: str, out: str, graph_files: tuple[str, ...], figures: str | None, title: str | None, classes: str | None,
    pictures: int,
) -> None:  # fmt: skip
    """One self-contained page about what a sweep has found out: numbers, share robust by budget, radii, times, a table
    of all questions, and on a click the neighbourhood with the attack drawn in it. It needs no network.

    \b
        edgeproof sweep Cora_sum.npz Cora.npz --budget 1 --budget 2 --out cora
        edgeproof report cora -o cora.html

    Pictures need the graphs: they are looked for where the sweep found them, and recognised by their contents.
    """
    from ..report.gather import tell_skipped
    from ..report.write import write_report

    names = tuple(part.strip() for part in classes.split(",")) if classes else ()
    if any(not name for name in names):
        raise InputError(f"classes: expected names with commas between them, got {classes!r}")
    with working("reading") as say:
        answers = write_report(
            folder, out, graph_files=graph_files, title=title, names=names, most_pictures=pictures,
            progress=lambda done, todo: say(f"drawing {done:,} of {todo:,} attacks"),
        )  # fmt: skip
        if figures is not None:
            from ..report.figures import write_figures

            say("figures")
            write_figures(answers, figures, names)
    if answers.skipped:
        click.echo(f"edgeproof: {tell_skipped(answers.skipped)}", err=True)
    click.echo(f"{out}: {len(answers.rows):,} questions" + ("" if figures is None else f"; figures in {figures}"))
