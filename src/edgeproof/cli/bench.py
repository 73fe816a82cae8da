"""`edgeproof bench`: the paper's experiments, their tables and figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .watch import watched

if TYPE_CHECKING:
    from ..bench.experiments import Experiment
    from ..bench.tables import Table
    from ..sweep.drive import Sweep

NAMES = ("datasets", "node", "ablation", "radius", "graph")


@click.command(short_help="The paper's experiments: tables and figures.")
@click.argument("name", type=click.Choice(NAMES))
@click.option("--data", metavar="DIR", help="Folder with datasets/ and models/ [default: EDGEPROOF_DATA].")
@click.option("--out", default="bench", show_default=True, metavar="DIR", help="Answers, tables and figures.")
@click.option("--sample", type=click.IntRange(min=1), help="So many nodes or graphs a dataset [default: all].")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample.")
@click.option("--engine", "engines", multiple=True, metavar="E", help="search, mip, mip:highs, .. Repeatable.")
@click.option("--dataset", "datasets", multiple=True, metavar="D", help="Only these datasets. Repeatable.")
@click.option("--budget", "budgets", multiple=True, type=int, help="Only these global budgets. Repeatable.")
@click.option("--timeout", type=float, help="Seconds an instance [default: the paper's, 300 or 600].")
@click.option("--workers", type=int, default=1, show_default=True, help="Processes; times are cleanest with one.")
def bench(
    name: str, data: str | None, out: str, sample: int | None, seed: int, engines: tuple[str, ...],
    datasets: tuple[str, ...], budgets: tuple[int, ...], timeout: float | None, workers: int,
) -> None:  # fmt: skip
    """Run an experiment of the paper, print its tables and write them as CSV and LaTeX, with its figures.

    \b
    A quick look, both engines side by side:
        edgeproof bench node --data ../shared --sample 20 --engine search --engine mip --timeout 10
    All of Cornell with the paper's limits:
        edgeproof bench node --data ../shared --dataset Cornell

    \b
    datasets   what the datasets are (Table 1)
    node       node classification: weak and general, sum, max, mean; budgets 1, 2, 5, 10
    ablation   each option of the search off, and all of them
    radius     exact radii
    graph      graph classification: MUTAG, ENZYMES; six budget pairs

    Every instance runs alone under the full limit. Running it again resumes: answers are kept in OUT/NAME.
    """
    from ..bench.data import data_folder, load_dataset
    from ..bench.experiments import EXPERIMENTS, GRAPH_DATASETS, NODE_DATASETS, ablation_variants, engine_variant
    from ..bench.figures import draw_figures
    from ..bench.run import Settings, run
    from ..bench.tables import benchmarks_table, tables_of

    folder = data_folder(data)
    results = Path(out) / name
    if name == "datasets":
        names = datasets or (*NODE_DATASETS, *GRAPH_DATASETS)
        _show([benchmarks_table([(one, load_dataset(folder, one)) for one in names])], results)
        return
    experiment = _narrowed(EXPERIMENTS[name], datasets, budgets)
    variants = tuple(engine_variant(one) for one in engines or ("search",))
    if experiment.ablation:
        variants = ablation_variants()
    settings = Settings(folder, results, sample, seed, timeout, workers)
    instances = list(run(experiment, variants, settings, _watching))
    _show(tables_of(experiment, instances), results / "tables")
    for path in draw_figures(experiment, instances, results / "figures"):
        click.echo(f"figure: {path}")


def _narrowed(experiment: Experiment, datasets: tuple[str, ...], budgets: tuple[int, ...]) -> Experiment:
    from dataclasses import replace

    from ..errors import InputError

    for one in datasets:
        if one not in experiment.datasets:
            known = ", ".join(experiment.datasets)
            raise InputError(f"dataset: {experiment.name} is about {known}, got {one!r}")
    kept = tuple(pair for pair in experiment.budgets if not budgets or pair[0] in budgets)
    if experiment.budgets and not kept:
        raise InputError(f"budget: expected some of {sorted({b for b, _ in experiment.budgets})}, got {list(budgets)}")
    return replace(experiment, datasets=datasets or experiment.datasets, budgets=kept)


@contextmanager
def _watching(sweep: Sweep, what: str) -> Iterator[None]:
    click.echo(f"{what}: {sweep.total:,} questions", err=True)
    with watched(sweep):
        yield


def _show(tables: list[Table], folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table as Shown

    from ..bench.tables import write_table

    console = Console(width=None if sys.stdout.isatty() else 160)
    for table in tables:
        shown = Shown(title=f"{table.name}: {table.title}")
        for heading in table.headings:
            shown.add_column(heading)
        for row in table.rows:
            shown.add_row(*row)
        console.print(shown)
        write_table(table, folder)
    click.echo(f"tables: {folder}")
