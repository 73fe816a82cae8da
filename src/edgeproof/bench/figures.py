"""The paper's figures: grids of small plots, a row of the paper by a dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .experiments import Experiment
from .instance import Instance
from .tables import tell_budget

COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown")
STYLES = ("-", ":", "--", "-.")
SETTINGS = {"svg.hashsalt": "edgeproof", "svg.fonttype": "none", "font.size": 7, "lines.linewidth": 1.0}

Plot = Callable[[Any, Sequence[Instance]], None]


def _grid(instances: Sequence[Instance], path: Path, plot: Plot, labels: tuple[str, str]) -> None:
    try:
        import matplotlib
    except ImportError:
        raise InputError("figures: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows, datasets = (
        list(dict.fromkeys(values)) for values in zip(*((x.row, x.dataset) for x in instances), strict=True)
    )
    with matplotlib.rc_context(SETTINGS):
        shape = (2.1 * len(datasets) + 0.4, 1.5 * len(rows) + 0.7)
        figure, grid = pyplot.subplots(
            len(rows), len(datasets), sharex=True, figsize=shape, squeeze=False, layout="constrained"
        )
        for row, line in zip(rows, grid, strict=True):
            for dataset, axes in zip(datasets, line, strict=True):
                plot(axes, [one for one in instances if (one.row, one.dataset) == (row, dataset)])
                axes.minorticks_off()  # most of a file's size, and hardly seen
            line[0].set_ylabel(row)
        for dataset, axes in zip(datasets, grid[0], strict=True):
            axes.set_title(dataset, fontsize=8)
        figure.supxlabel(labels[0], fontsize=8)
        figure.supylabel(labels[1], fontsize=8)
        handles = {
            name: handle for axes in grid.flat for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        columns = 4 if len(datasets) > 2 else 2
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=columns, frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        # without the date, so that the same answers give the same file
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})
        pyplot.close(figure)


def cactus(instances: Sequence[Instance], path: Path) -> None:
    """Which share of its instances is solved within a time: a line for every engine (style) and budget (colour).

    A share, so that engines can have samples of different sizes.
    """
    variants, budgets = (list(dict.fromkeys(v)) for v in zip(*((x.variant, x.budget) for x in instances), strict=True))

    def plot(axes: Any, some: Sequence[Instance]) -> None:
        for v, variant in enumerate(variants):
            for b, budget in enumerate(sorted(budgets)):
                asked = [x for x in some if (x.variant, x.budget) == (variant, budget)]
                if not asked:
                    continue
                times = sorted(x.seconds for x in asked if x.solved)
                shares = [100 * count / len(asked) for count in range(len(times) + 1)]
                axes.step(
                    [*times, max(x.limit for x in asked)], [*shares[1:], shares[-1]], STYLES[v % len(STYLES)],
                    where="post", color=COLOURS[b % len(COLOURS)], label=f"{variant}, {tell_budget(budget)}",
                )  # fmt: skip
        axes.set(xscale="log", ylim=(0, 105))

    _grid(instances, path, plot, ("seconds", "instances solved (%)"))


def calls(instances: Sequence[Instance], path: Path) -> None:
    """Calls against fragile pairs: robust or not, with all options and with none."""

    def plot(axes: Any, some: Sequence[Instance]) -> None:
        kinds = [(variant, status) for variant in ("search", "all off") for status in ("robust", "vulnerable")]
        for colour, kind in zip(COLOURS, kinds, strict=False):
            dots = [one for one in some if (one.variant, one.status) == kind]
            axes.scatter(
                [x.fragile for x in dots], [x.nodes for x in dots], s=4, color=colour, label=f"{kind[0]}, {kind[1]}"
            )
        axes.set(yscale="symlog")

    _grid(instances, path, plot, ("fragile pairs", "calls"))


def figure_name(experiment: Experiment) -> str | None:
    """The label of the paper's figure that belongs to the experiment."""
    return None if experiment.radius else "prof" if experiment.ablation else experiment.name


def draw_figures(
    experiment: Experiment, instances: Sequence[Instance], folder: Path, suffix: str = "pdf"
) -> list[Path]:
    name = figure_name(experiment)
    if not instances or name is None:
        return []
    path = folder / f"{name}.{suffix}"
    (calls if experiment.ablation else cactus)(instances, path)
    return [path]
