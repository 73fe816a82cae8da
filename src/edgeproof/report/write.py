"""A report from a store: the page, and figures for papers beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from ..convert.disk import tell
from ..errors import InputError
from ..model.graph import Graph
from .gather import Answers, gather
from .graphs import Graphs
from .page import MOST_PICTURES, make_page


def write_report(
    folder: str | PathLike[str],
    out: str | PathLike[str],
    *,
    graph_files: Sequence[str] = (),
    graphs: Mapping[str, Graph] | None = None,
    title: str | None = None,
    names: Sequence[str] = (),
    most_pictures: int = MOST_PICTURES,
    progress: Callable[[int, int], None] | None = None,
) -> Answers:
    """Write the page to `out`. graph_files: where the graphs are now, if not where the sweep found them; graphs: by
    their fingerprints, where they are in memory. names: of the classes.
    """
    answers = gather(folder)
    page = make_page(
        answers, Graphs(folder, graph_files, graphs), title=title or f"Edgeproof: {Path(folder).resolve().name}",
        names=names, most_pictures=most_pictures, progress=progress,
    )  # fmt: skip
    try:
        Path(out).write_text(page, encoding="utf-8")
    except OSError as problem:
        raise InputError(f"{out}: cannot write it: {tell(problem)}") from None
    return answers
