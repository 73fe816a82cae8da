"""`edgeproof report`: tables, plots and attack pictures of a sweep."""

from __future__ import annotations

import click

from ..errors import InputError
from .progress import working


@click.command(short_help="Tables, plots and attack pictures of a sweep, as one page.")
@click.argument("folders", metavar="DIR [DIR]", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--out", metavar="FILE", default="report.html", show_default=True, type=click.Path(),
              help="The page to write.")  # fmt: skip
@click.option("--graph", "graph_files", multiple=True, metavar="FILE", type=click.Path(),
              help="Where a graph is now, if it has moved since the sweep. Repeatable.")  # fmt: skip
@click.option("--model", "network_files", multiple=True, metavar="FILE", type=click.Path(),
              help="The same for a network: the scores beside a picture need it. Repeatable.")  # fmt: skip
@click.option("--figures", metavar="DIR", type=click.Path(), help="Also write each plot as PNG, SVG and PDF.")
@click.option("--title", help="The heading [default: the name of DIR].")
@click.option("--classes", metavar="A,B,..", help="Names of the classes, in their order.")
@click.option("--pictures", type=click.IntRange(0), default=5000, show_default=True,
              help="Draw at most so many attacks, about 2 kB each.")  # fmt: skip
def report(
    folders: tuple[str, ...], out: str, graph_files: tuple[str, ...], network_files: tuple[str, ...],
    figures: str | None, title: str | None, classes: str | None, pictures: int,
) -> None:  # fmt: skip
    """One self-contained page about what a sweep has found out: numbers at each budget, classes, radii, times, a table
    of all nodes, and on a click the attack drawn, with the scores before and after it. It needs no network.

    \b
        edgeproof sweep Cora_sum.npz Cora.npz --budget 1 --budget 2 --out cora
        edgeproof report cora -o cora.html

    With two sweeps, the page compares them and lists the nodes whose verdict differs:

    \b
        edgeproof report cora_sum cora_mean -o both.html

    Pictures need the graphs: they are looked for where the sweep found them, and recognised by their contents.
    """
    from ..report.gather import tell_skipped
    from ..report.write import write_report

    if len(folders) > 2:
        raise InputError(f"report: expected one sweep, or two to compare, got {len(folders)}")
    names = tuple(part.strip() for part in classes.split(",")) if classes else ()
    if any(not name for name in names):
        raise InputError(f"classes: expected names with commas between them, got {classes!r}")
    with working("reading") as say:
        answers = write_report(
            folders[0], out, second=folders[1] if len(folders) > 1 else None, graph_files=graph_files,
            network_files=network_files, title=title, names=names,
            most_pictures=pictures, progress=lambda done, todo: say(f"drawing {done:,} of {todo:,} attacks"),
        )  # fmt: skip
        if figures is not None:
            from ..report.figures import write_figures

            say("figures")
            write_figures(answers, figures, names)
    if answers.skipped:
        click.echo(f"edgeproof: {tell_skipped(answers.skipped)}", err=True)
    click.echo(f"{out}: {len(answers.rows):,} questions" + ("" if figures is None else f"; figures in {figures}"))
