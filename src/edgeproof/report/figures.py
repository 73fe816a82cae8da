"""The plots of a report as files for papers: PNG, SVG and PDF, with matplotlib."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..convert.disk import tell
from ..errors import InputError
from .chart import Line
from .curves import Curve, curves
from .gather import Answers
from .page import cactus_lines, share_lines

SUFFIXES = ("png", "svg", "pdf")
SIZE = (3.5, 2.4)  # inches: a column of a paper


def write_figures(answers: Answers, folder: str | PathLike[str], names: Sequence[str] = ()) -> list[Path]:
    """Every plot under a name that says what it shows; a number tells those of several settings apart."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    out = Path(folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        for number, curve in enumerate(curves(answers.rows), 1):
            stem = f"{_plain(curve.setting.title)}-{number}"
            written += _save(_share_plot(Figure, curve, tuple(names)), out / f"{stem}-robust")
            if curve.radii:
                written += _save(_radius_plot(Figure, curve), out / f"{stem}-radii")
        for title in dict.fromkeys(row.setting.title for row in answers.rows):
            lines = cactus_lines([row for row in answers.rows if row.setting.title == title])
            if lines:
                written += _save(_cactus_plot(Figure, lines), out / f"{_plain(title)}-times")
    except OSError as problem:
        raise InputError(f"{out}: cannot write it: {tell(problem)}") from None
    return written


def _plain(title: str) -> str:
    """A file name whatever the graph is called."""
    return re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower() or "sweep"


def _save(figure: Any, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in SUFFIXES]
    for path in paths:
        # no date in it: the same store gives the same file
        blank = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[path.suffix[1:]]
        figure.savefig(path, dpi=200, metadata=blank)
    return paths


def _axes(make: Any, across: str, up: str) -> tuple[Any, Any]:
    figure = make(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _share_plot(make: Any, curve: Curve, names: tuple[str, ...]) -> Any:
    figure, axes = _axes(make, curve.setting.axis, "share of claims")
    for line in share_lines(curve, names):
        budgets, shares = [x for x, _ in line.points], [y for _, y in line.points]
        (drawn,) = axes.plot(budgets, shares, marker=".", label=line.name, linewidth=1.8 if line.main else 0.9)
        if line.high:
            axes.fill_between(budgets, shares, [y for _, y in line.high], alpha=0.2, color=drawn.get_color())
    axes.set_ylim(0, 1.03)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(fontsize=6, frameon=False)
    return figure


def _radius_plot(make: Any, curve: Curve) -> Any:
    figure, axes = _axes(make, "flips survived", "claims")
    axes.bar(list(curve.radii), list(curve.radii.values()))
    axes.tick_params(axis="x", labelsize=7)
    return figure


def _cactus_plot(make: Any, lines: Sequence[Line]) -> Any:
    figure, axes = _axes(make, "solved questions", "seconds each took")
    for line in lines:
        axes.plot([x for x, _ in line.points], [max(y, 1e-4) for _, y in line.points], label=line.name, linewidth=1.2)
    axes.set_yscale("log")
    if len(lines) > 1:
        axes.legend(fontsize=6, frameon=False)
    return figure
