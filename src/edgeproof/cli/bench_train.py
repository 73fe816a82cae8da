"""`edgeproof bench train`: the paper's models, and deeper or wider ones."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .bench import DATA, DATASET, LAYERS, WIDTH, known_datasets, show_tables
from .progress import working

if TYPE_CHECKING:
    from ..bench.tables import Table

AGGREGATIONS = ("sum", "max", "mean")
HEADINGS = ("model", "training", "validation", "test", "epoch")


@click.command(short_help="Train the paper's models, or deeper and wider ones.")
@DATA
@click.option("--models", required=True, metavar="DIR", help="Where the models go; those that are there stay.")
@DATASET
@click.option(
    "--aggregation", "aggregations", multiple=True, type=click.Choice(AGGREGATIONS), help="Only these. Repeatable."
)
@LAYERS
@WIDTH
@click.option("--epochs", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the split and of the weights.")
def train(
    data: str | None, models: str, datasets: tuple[str, ...], aggregations: tuple[str, ...], layers: int | None,
    width: int | None, epochs: int, seed: int,
) -> None:  # fmt: skip
    """Train SAGEConv networks with PyTorch Geometric and the paper's hyperparameters.

    \b
    The paper's 21 models:
        edgeproof bench train --data ../shared --models models
    A deeper one, and what the search says about one of its nodes:
        edgeproof bench train --data ../shared --models deep --layers 6 --width 64 --dataset Cora --aggregation sum
        edgeproof verify deep/Cora_sum_6x64.npz ../shared/datasets/Cora.npz --node 17 --budget 5

    Adam, learning rate 0.001, weight decay 5e-5; 30/20/50 % of the nodes (80/10/10 % of the graphs) for training,
    validation and test. The state with the best validation accuracy is kept. Files are .npz, with the parts in
    splits.npz; layers and width are part of a name where they are not the paper's.
    """
    from ..bench.architecture import Architecture
    from ..bench.data import data_folder, load_dataset
    from ..bench.tables import write_table
    from ..bench.train import PARTS, check_parts, parts_of, save
    from ..bench.train import train as train_one

    folder, shape = data_folder(data), Architecture(layers, width)
    rows = _rows_before(Path(models) / "training.csv")
    for dataset in known_datasets(datasets):
        with working(f"reading {dataset}"):
            graphs = load_dataset(folder, dataset)
        parts = parts_of(dataset, graphs, seed)
        check_parts(Path(models), dataset, parts)
        for aggregation in aggregations or AGGREGATIONS:
            path = Path(models) / shape.file_name(dataset, aggregation)
            if path.exists():
                click.echo(f"{path}: is there already, left alone")
                continue
            with working(f"{path.stem}: first epoch") as say:
                tell = _teller(say, path.stem, epochs)
                trained = train_one(dataset, graphs, parts, aggregation, shape.on(dataset), epochs, seed, tell)
            save(trained, path)
            accuracies = [f"{trained.accuracy[part]:.3f}" for part in PARTS]
            click.echo(f"{path}: training {accuracies[0]}, validation {accuracies[1]}, test {accuracies[2]}")
            rows[path.stem] = (path.stem, *accuracies, str(trained.epoch))
            write_table(_table(rows), Path(models))
    show_tables([_table(rows)], Path(models))


def _table(rows: dict[str, tuple[str, ...]]) -> Table:
    from ..bench.tables import Table

    return Table("training", "Accuracies, and the epoch that was kept", HEADINGS, list(rows.values()))


def _rows_before(path: Path) -> dict[str, tuple[str, ...]]:
    """What earlier runs have said about their models."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        headings, *rows = csv.reader(file)
    if tuple(headings) != HEADINGS:
        raise InputError(f"{path}: expected the columns {', '.join(HEADINGS)}, got {', '.join(headings)}")
    return {row[0]: tuple(row) for row in rows}


def _teller(say: Callable[[str], None], name: str, epochs: int) -> Callable[[int, float], None]:
    return lambda epoch, accuracy: say(f"{name}: epoch {epoch:,} of {epochs:,}, validation {accuracy:.3f}")
