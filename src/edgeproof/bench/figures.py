"""The paper's plots: instances solved against time, and calls against fragile pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .experiments import Experiment
from .run import Instance


def _axes() -> tuple[Any, Any]:
    try:
        import matplotlib
    except ImportError:
        raise InputError("figures: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def cactus(instances: Sequence[Instance], path: Path) -> None:
    """One line for every engine and budget: how many instances are solved within a time, on a logarithmic axis."""
    figure, axes = _axes()
    lines = sorted({(one.variant, one.budget) for one in instances}, key=str)
    for variant, budget in lines:
        times = sorted(
            one.seconds for one in instances if one.solved and (one.variant, one.budget) == (variant, budget)
        )
        axes.step(times, range(1, len(times) + 1), where="post", label=f"{variant}, {budget[0]}/{budget[1]}")
    axes.set(xscale="log", xlabel="seconds", ylabel="instances solved")
    axes.legend(fontsize="x-small")
    _save(figure, path)


def calls(instances: Sequence[Instance], path: Path) -> None:
    """Calls against fragile pairs: robust or not, with and without the optimisations."""
    figure, axes = _axes()
    for variant in ("search", "all off"):
        for status in ("robust", "vulnerable"):
            some = [one.line["stats"] for one in instances if (one.variant, one.line["status"]) == (variant, status)]
            axes.scatter([s["fragile"] for s in some], [s["nodes"] for s in some], s=8, label=f"{variant}, {status}")
    axes.set(yscale="symlog", xlabel="fragile pairs", ylabel="calls")
    axes.legend(fontsize="x-small")
    _save(figure, path)


def draw_figures(experiment: Experiment, instances: Sequence[Instance], folder: Path) -> list[Path]:
    """What belongs to the experiment; the files are named after the paper's figures."""
    if not instances or experiment.radius:
        return []
    if experiment.ablation:
        calls(instances, folder / "prof.pdf")
        return [folder / "prof.pdf"]
    paths = []
    for row in dict.fromkeys(one.row for one in instances):
        path = folder / f"{experiment.name}_{row.replace(' ', '_')}.pdf"
        cactus([one for one in instances if one.row == row], path)
        paths.append(path)
    return paths
