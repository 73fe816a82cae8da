"""`edgeproof check`: a proof or an attack, checked with independent code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .failure import REJECTED
from .progress import working
from .question import print_json
from .words import count, tell_attack, tell_subject, tell_threat

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..proof.check import Checked


@click.command(short_help="Check a proof or an attack with independent code.")
@click.argument("proof", type=click.Path())
@click.argument("model", type=click.Path())
@click.argument("graph", type=click.Path())
@click.option("--index", type=int, help="Number of the graph in a graph-level file.")
@click.option("--directed/--undirected", default=None, help="[default: undirected if every edge has its reverse]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(proof: str, model: str, graph: str, index: int | None, directed: bool | None, as_json: bool) -> int:
    """Check the file that `edgeproof verify --proof PROOF` wrote for this model and graph.

    \b
        edgeproof verify Cora_sum.npz Cora.npz --node 17 --budget 5 --proof node17.proof
        edgeproof check node17.proof Cora_sum.npz Cora.npz

    The checker shares no code with the search: it re-bounds every leaf of the split tree with its own arithmetic and
    verifies that the leaves cover every graph that the threat admits. An attack is re-evaluated over the rationals.
    It prints what is established; compare that with what you want to know.

    Exit status: 0 accepted, 1 rejected (the first thing wrong, and where), 2 bad input.
    """
    from ..checking import check as run
    from ..errors import RejectedError
    from ..model.graph import Graph
    from ..model.network import Network

    with working("reading"):
        network, loaded = Network.load(model), Graph.load(graph, directed=directed, index=index)
    try:
        with _bar() as progress:
            found = run(proof, network, loaded, progress=progress)
    except RejectedError as problem:
        if as_json:
            print_json({"accepted": False, "reason": str(problem)})
        else:
            click.echo(f"rejected: {problem}")
        return REJECTED
    if as_json:
        print_json(found.to_dict())
    else:
        _tell(found, loaded)
    return 0


def _tell(found: Checked, graph: Graph) -> None:
    budget = "any number of flips" if found.threat.budget is None else count(found.threat.budget, "flip")
    against = "" if found.claim.target is None else f" against class {found.claim.target} only"
    subject = tell_subject(found.claim.node, found.claim.label)
    click.echo(f"accepted, {found.status}: {subject}{against}, against {budget}")
    click.echo(f"  threat: {tell_threat(found.threat, graph)}")
    if found.attack is not None:
        click.echo(f"  attack: {tell_attack(found.attack, found.rival, graph)}")
    else:
        exact = f", {found.exact_decisions} of them exactly" if found.exact_decisions else ""
        work = f"{count(found.nodes, 'node')}, {count(found.evaluations, 'graph')} evaluated{exact}"
        click.echo(f"  proof: {work}, {found.seconds:.3g} s")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar for people at a terminal; proofs that are done at once do not flash one."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("checking")
        yield lambda done, total: bar.update(task, completed=done, total=total)
