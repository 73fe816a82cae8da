"""A report from a store: the page, and figures for papers beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from ..convert.disk import tell
from ..errors import InputError
from ..model.graph import Graph
from ..model.network import Network
from .gather import Answers, beside, gather
from .graphs import Graphs, Networks
from .page import MOST_PICTURES, make_page


def write_report(
    folder: str | PathLike[str],
    out: str | PathLike[str],
    *,
    second: str | PathLike[str] | None = None,
    graph_files: Sequence[str] = (),
    network_files: Sequence[str] = (),
    graphs: Mapping[str, Graph] | None = None,
    networks: Mapping[str, Network] | None = None,
    title: str | None = None,
    names: Sequence[str] = (),
    most_pictures: int = MOST_PICTURES,
    progress: Callable[[int, int], None] | None = None,
) -> Answers:
    """Write the page to `out`; gives what it is about.

    folder: a store. second: another one, to compare it with. graph_files, network_files: where graphs and networks are
    now, if not where the sweep found them; graphs, networks: by their fingerprints, where they are in memory. names: of
    the classes. most_pictures: attacks that are drawn. progress: called with the number of pictures drawn and of all.
    """
    folders = [folder] if second is None else [folder, second]
    sweeps = None if second is None else name_sweeps(folder, second)
    answers = gather(folder) if sweeps is None else beside(*map(gather, folders, sweeps))
    page = make_page(
        answers, Graphs(folders, graph_files, graphs), Networks(folders, network_files, networks),
        title=title or f"Edgeproof: {' and '.join(sweeps or (Path(folder).resolve().name,))}",
        names=names, most_pictures=most_pictures, sweeps=sweeps, progress=progress,
    )  # fmt: skip
    try:
        Path(out).write_text(page, encoding="utf-8")
    except OSError as problem:
        raise InputError(f"{out}: cannot write it: {tell(problem)}") from None
    return answers


def name_sweeps(first: str | PathLike[str], second: str | PathLike[str]) -> tuple[str, str]:
    """What tells two folders apart: their names, else their paths."""
    paths = Path(first).resolve(), Path(second).resolve()
    if paths[0] == paths[1]:
        raise InputError(f"report: expected two sweeps to compare, got {first} twice")
    return (paths[0].name, paths[1].name) if paths[0].name != paths[1].name else (str(first), str(second))
