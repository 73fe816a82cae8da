"""The plots of a report as files for papers: PNG, SVG and PDF, with matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..convert.disk import tell
from ..errors import InputError
from ..picture.style import DASHES, HALF_DARK, INK, LINES, PAPER, ROBUST, UNKNOWN, name_class
from .chart import Line
from .curves import Curve, curves
from .gather import Answers
from .sections import cactus_lines, class_budgets, share_lines

SUFFIXES = ("png", "svg", "pdf")
SIZE = (3.5, 2.4)  # inches: a column of a paper
# text stays text in vector files, so that a paper's search finds it
TEXT = {"svg.fonttype": "none", "pdf.fonttype": 42, "font.size": 8}


def write_figures(answers: Answers, folder: str | PathLike[str], names: Sequence[str] = ()) -> list[Path]:
    """Every plot under a name that says what it shows; a number tells those of several settings apart."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    out = Path(folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        with rc_context(TEXT):
            for stem, figure in _figures(Figure, answers, tuple(names)):
                written += _save(figure, out / stem)
    except OSError as problem:
        raise InputError(f"{out}: cannot write it: {tell(problem)}") from None
    return written


def _figures(make: Any, answers: Answers, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    found = curves(answers.rows)
    for number, curve in enumerate(found, 1):
        stem = f"{_plain(curve.setting.title)}-{number}"
        yield f"{stem}-robust", _share_plot(make, curve)
        if curve.accuracy is not None and len(curve.by_class) > 1:
            yield f"{stem}-classes", _class_plot(make, curve, names)
        if curve.radii:
            yield f"{stem}-radii", _radius_plot(make, curve)
    for title in dict.fromkeys(row.setting.title for row in answers.rows):
        lines = cactus_lines([row for row in answers.rows if row.setting.title == title])
        if lines:
            yield f"{_plain(title)}-times", _cactus_plot(make, lines)


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


def _look(at: int, line: Line) -> dict[str, Any]:
    """As on the page."""
    dash = DASHES[at // len(LINES) % len(DASHES)]
    return {
        "color": LINES[at % len(LINES)], "linewidth": (3.2 if at == 0 else 1.6) if line.main else 1.1,
        "label": line.name,
        "linestyle": (0, dash) if dash else "-",
    }  # fmt: skip


def _legend(figure: Any, count: int) -> None:
    """Below the axes, where it hides no data."""
    figure.legend(fontsize=7, frameon=False, loc="outside lower center", ncols=min(count, 3))


def _share_plot(make: Any, curve: Curve) -> Any:
    figure, axes = _axes(make, curve.setting.axis, "share of claims")
    lines = share_lines(curve)
    for at, line in enumerate(lines):
        budgets, shares = [x for x, _ in line.points], [y for _, y in line.points]
        axes.plot(budgets, shares, marker=".", **_look(at, line))
        if line.high:
            axes.fill_between(budgets, shares, [y for _, y in line.high], alpha=0.2, color=LINES[at], linewidth=0)
    axes.set_ylim(0, 1.03)
    axes.xaxis.get_major_locator().set_params(integer=True)
    _legend(figure, len(lines))
    return figure


def _class_plot(make: Any, curve: Curve, names: tuple[str, ...]) -> Any:
    """The page's table of classes: a colour and a number in every cell."""
    budgets = class_budgets(curve)
    shares = [[one[k] for k in budgets] for _, one in curve.by_class.values()]
    figure = make(figsize=(SIZE[0], max(SIZE[1], 0.28 * len(shares) + 0.8)), layout="constrained")
    axes = figure.add_subplot()
    from matplotlib.colors import LinearSegmentedColormap

    axes.imshow(
        shares, vmin=0, vmax=1, aspect="auto", cmap=LinearSegmentedColormap.from_list("share", [PAPER, LINES[1]])
    )
    for row, values in enumerate(shares):
        for column, value in enumerate(values):
            ink = PAPER if value > HALF_DARK else INK
            axes.text(column, row, f"{value:.0%}", ha="center", va="center", fontsize=6, color=ink)
    told = [f"{name_class(label, names)} ({count:,})" for label, (count, _) in curve.by_class.items()]
    axes.set_yticks(range(len(told)), told)
    axes.set_xticks(range(len(budgets)), [str(k) for k in budgets])
    axes.set_xlabel(f"{curve.setting.axis}: right and proved")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return figure


def _radius_plot(make: Any, curve: Curve) -> Any:
    figure, axes = _axes(make, "flips survived", "claims")
    colours = [{"robust": ROBUST, "unknown": UNKNOWN}.get(name, LINES[1]) for name in curve.radii]
    axes.bar(list(curve.radii), list(curve.radii.values()), color=colours)
    axes.tick_params(axis="x", labelsize=7)
    return figure


def _cactus_plot(make: Any, lines: Sequence[Line]) -> Any:
    figure, axes = _axes(make, "solved questions", "seconds each took")
    for at, line in enumerate(lines):
        axes.plot([x for x, _ in line.points], [max(y, 1e-4) for _, y in line.points], **_look(at, line))
    axes.set_yscale("log")
    if len(lines) > 1:
        _legend(figure, len(lines))
    return figure
