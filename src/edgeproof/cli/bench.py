"""`edgeproof bench`: the paper's experiments, their tables and figures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .failure import DISAGREE
from .watch import stoppable, watched

if TYPE_CHECKING:
    from ..bench.experiments import Experiment, Variant
    from ..bench.instance import Clock
    from ..bench.tables import Table
    from ..sweep.drive import Sweep

QUICK = 10.0  # seconds an instance has in a sample
Function = Callable[..., Any]


class _InOrder(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder, short_help="The paper's experiments: tables and figures.")
def bench() -> None:
    """Run an experiment of the paper, print its tables and write them as CSV and LaTeX, with its figures.

    \b
    A quick look, both engines side by side:
        edgeproof bench node --data ../shared --sample 20
    All of Cornell with the paper's limits:
        edgeproof bench node --data ../shared --dataset Cornell
    Past the paper, with networks of your own:
        edgeproof bench train --data ../shared --models deep --layers 6 --width 64 --dataset Cora
        edgeproof bench node --data ../shared --models deep --layers 6 --width 64 --dataset Cora

    --data is a folder with datasets/ and models/; a dataset that is not there is downloaded with PyTorch Geometric.
    Every instance runs alone under the full limit. Running a command again resumes: answers are kept in OUT/NAME.
    Exit status 1: engines disagree about an instance, which is a bug to report.
    """


DATA = click.option("--data", metavar="DIR", help="Folder with datasets/ and models/ [default: EDGEPROOF_DATA].")
_OUT = click.option("--out", default="bench", show_default=True, metavar="DIR", help="Answers, tables and figures.")
DATASET = click.option("--dataset", "datasets", multiple=True, metavar="D", help="Only these datasets. Repeatable.")
LAYERS = click.option("--layers", type=click.IntRange(min=1), help="Of the networks [default: the paper's 4].")
WIDTH = click.option("--width", type=click.IntRange(min=1), help="Of their layers [default: the paper's 32 or 16].")

_RUN = (
    DATA,
    click.option("--models", metavar="DIR", help="Folder of the models [default: models/ of --data]."),
    LAYERS,
    WIDTH,
    _OUT,
    click.option(
        "--sample", type=click.IntRange(min=1),
        help=f"So many nodes or graphs in all, each under {QUICK:g} s [default: all, under the paper's limit].",
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="Of the sample; a larger one contains it."),
    DATASET,
    click.option("--row", "rows", multiple=True, metavar="R", help="Only 'weak sum', sum, max or mean. Repeatable."),
    click.option(
        "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S",
        help="Seconds an instance, instead of the limits above.",
    ),
    click.option(
        "--clock", type=click.Choice(("wall", "cpu")), default="wall", show_default=True,
        help="Of times and limits; cpu where others use the machine too.",
    ),
    click.option("--workers", type=int, default=1, show_default=True, help="Processes; times are cleanest with one."),
)  # fmt: skip
_ENGINE = click.option(
    "--engine", "engines", multiple=True, metavar="E",
    help="search, mip, mip:highs, mip:aggressive, .. Repeatable [default: search; in a sample also mip].",
)  # fmt: skip
_BUDGET = click.option("--budget", "budgets", multiple=True, type=int, help="Only these global budgets. Repeatable.")


def _with(*options: Function) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@bench.command(short_help="What the datasets are (Table 1).")
@_with(DATA, _OUT, DATASET)
def datasets(data: str | None, out: str, datasets: tuple[str, ...]) -> None:
    """Table 1 of the paper: sizes of the datasets."""
    from ..bench.data import data_folder, load_dataset
    from ..bench.tables import benchmarks_table

    names = known_datasets(datasets)
    folder = data_folder(data)
    show_tables([benchmarks_table([(one, load_dataset(folder, one)) for one in names])], Path(out) / "datasets")


@bench.command(short_help="Node classification: weak and general, sum, max, mean.")
@_with(*_RUN, _ENGINE, _BUDGET)
def node(**typed: Any) -> int:
    """Deletions on Cora, CiteSeer, Cornell, Texas and Wisconsin; budgets 1, 2, 5 and 10; 300 s an instance.

    Tables node_simple, node_all_1 .. node_all_10, node_weak and, with two engines, node_speed; figure node.
    """
    return _run("node", **typed)


@bench.command(short_help="Each option of the search off, and all of them.")
@_with(*_RUN)
def ablation(**typed: Any) -> int:
    """The nodes' queries with budget 10; each option of the search off, all off, and the paper's algorithm.

    Table variants, on the instances that every variant solves; figure prof.
    """
    return _run("ablation", **typed)


@bench.command(short_help="Exact radii.")
@_with(*_RUN, _ENGINE)
def radius(**typed: Any) -> int:
    """Radii of the nodes under deletions, without a cap; 600 s an instance. Table radius."""
    typed["engines"] = typed["engines"] or ("search",)  # a program a budget and rival: the mip engine is no match
    return _run("radius", **typed)


@bench.command(short_help="Graph classification with insertions and deletions.")
@_with(*_RUN, _ENGINE, _BUDGET)
def graph(**typed: Any) -> int:
    """Insertions and deletions on MUTAG and ENZYMES; six pairs of budgets; 600 s an instance.

    Tables graph_simple, graph_all_1 .. graph_all_6 and, with two engines, graph_speed; figure graph.
    """
    return _run("graph", **typed)


def _run(
    name: str, *, data: str | None, models: str | None, layers: int | None, width: int | None, out: str,
    sample: int | None, seed: int, datasets: tuple[str, ...], rows: tuple[str, ...], timeout: float | None,
    clock: Clock, workers: int, engines: tuple[str, ...] = (), budgets: tuple[int, ...] = (),
) -> int:  # fmt: skip
    from ..bench.agree import disagreements
    from ..bench.architecture import Architecture
    from ..bench.data import data_folder
    from ..bench.experiments import EXPERIMENTS
    from ..bench.figures import draw_figures
    from ..bench.instance import write_instances
    from ..bench.run import Settings, run
    from ..bench.tables import tables_of

    experiment = _narrowed(EXPERIMENTS[name], datasets, rows, budgets)
    folder, results = data_folder(data), Path(out) / name
    limit = timeout or (QUICK if sample else experiment.timeout)
    settings = Settings(
        folder, Path(models) if models else folder / "models", results, sample, seed, limit, workers,
        Architecture(layers, width), clock,
    )  # fmt: skip
    click.echo(f"each instance: at most {limit:g} s (the paper: {experiment.timeout:g} s)", err=True)
    stopped: list[int] = []
    instances = list(run(experiment, _variants(experiment, engines, sample), settings, _watching(stopped)))
    if stopped:
        click.echo(
            f"stopped; {len(instances):,} answers are in {results}. Run the same command again to go on from here."
        )
        return 128 + stopped[0]
    write_instances(instances, results / "instances.csv")
    show_tables(tables_of(experiment, instances), results / "tables")
    for path in draw_figures(experiment, instances, results / "figures"):
        click.echo(f"figure: {path}")
    wrong = disagreements(instances)
    for line in wrong:
        click.echo(f"edgeproof: disagreement: {line}", err=True)
    return DISAGREE if wrong else 0


def _variants(experiment: Experiment, engines: tuple[str, ...], sample: int | None) -> tuple[Variant, ...]:
    from ..bench.experiments import ablation_variants, engine_variant

    if experiment.ablation:
        return ablation_variants()
    return tuple(engine_variant(one) for one in engines or (("search", "mip") if sample else ("search",)))


def known_datasets(datasets: tuple[str, ...]) -> tuple[str, ...]:
    from ..bench.experiments import GRAPH_DATASETS, NODE_DATASETS

    known = (*NODE_DATASETS, *GRAPH_DATASETS)
    for one in datasets:
        if one not in known:
            raise InputError(f"dataset: expected some of {', '.join(known)}, got {one!r}")
    return datasets or known


def _narrowed(
    experiment: Experiment, datasets: tuple[str, ...], rows: tuple[str, ...], budgets: tuple[int, ...]
) -> Experiment:
    from dataclasses import replace

    for what, asked, known in (
        ("dataset", datasets, experiment.datasets),
        ("row", rows, [row.name for row in experiment.rows]),
        ("budget", budgets, [budget for budget, _ in experiment.budgets]),
    ):
        for one in asked:
            if one not in known:
                told = ", ".join(map(str, dict.fromkeys(known)))
                raise InputError(f"{what}: {experiment.name} is about {told}, got {one!r}")
    return replace(
        experiment,
        datasets=datasets or experiment.datasets,
        rows=tuple(row for row in experiment.rows if not rows or row.name in rows),
        budgets=tuple(pair for pair in experiment.budgets if not budgets or pair[0] in budgets),
    )


def _watching(stopped: list[int]) -> Any:
    """Says what runs; a Ctrl-C ends it with everything stored, and leaves its number in `stopped`."""

    @contextmanager
    def watch(sweep: Sweep, what: str) -> Iterator[None]:
        click.echo(f"{what}: {sweep.total:,} questions", err=True)
        with stoppable(sweep) as seen, watched(sweep):
            yield
        stopped.extend(seen)

    return watch


def show_tables(tables: list[Table], folder: Path) -> None:
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
