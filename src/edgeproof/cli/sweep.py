"""`edgeproof sweep`: many queries; running it again resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from ..model.by_degree import ByDegree
from .failure import UNKNOWN
from .pages import shows
from .parse import parse_local_budget, parse_options, parse_pairs
from .progress import working
from .question import HOW_OPTIONS, THREAT_OPTIONS, with_options
from .spec import Spec, read_specs
from .watch import stoppable, tell_counts, watched
from .wider import NAMES, WIDER_OPTIONS

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..sweep.drive import Sweep

_PLAN_FILE = """A plan file says the same in TOML; keys above the first [[sweep]] hold for all of them:
  budgets = [1, 2, [5, 1], "degree+2"]     # a pair: global and local
  timeout = 300
  [[sweep]]
  model = "Cora_sum.npz"       # relative to the plan file
  graph = "Cora.npz"
  [[sweep]]
  model = "Cora_max.npz"
  graph = "Cora.npz"
  nodes = "0-99"               # or [3, 7], "test"
  targets = ["next"]
  options = { lines = false }
"""

_OPTIONS = (
    click.option("--out", metavar="DIR", required=True, type=click.Path(), help="The store: a folder, made if needed."),
    click.option("--plan", metavar="FILE", type=click.Path(), help="The questions, in TOML: --help-plan."),
    click.option(
        "--help-plan",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=shows(_PLAN_FILE),
        help="Show such a file, and exit.",
    ),
    click.option(
        "--nodes",
        metavar="WHICH",
        help="all, the name of a mask (train, val, test), or numbers such as 3,7,10-19; for networks that classify "
        "graphs, which graphs of the file. [default: all]",
    ),
    click.option(
        "--budget",
        "budgets",
        multiple=True,
        metavar="N[,L]",
        help="Most flips in all, and at a vertex: numbers, or rules such as degree+2. Repeatable.",
    ),
    click.option("--radius", is_flag=True, help="Ask for exact radii, up to a --budget."),
    click.option("--label", type=int, help="The class to defend [default: the predicted class]."),
    click.option(
        "--target",
        "targets",
        multiple=True,
        metavar="C|next|all",
        help="Defend against this class only, the one after the label, or all others. Repeatable. [default: all]",
    ),
    *THREAT_OPTIONS,
    *WIDER_OPTIONS,
    *HOW_OPTIONS,
    click.option("--memory", type=float, metavar="GB", help="Most memory a query may take on top of its worker's."),
    click.option("--workers", type=int, metavar="N", help="Worker processes [default: one a core; 0: none]."),
    click.option("--dask", metavar="ADDRESS", help="The scheduler of a Dask cluster, instead of worker processes."),
    click.option("--shard", metavar="I/N", help="Only this share of the questions: the I-th of N, from 1."),
    click.option("--passes/--no-passes", default=None, help="Small limits first [default: yes, with the search]."),
    click.option("--share/--no-share", default=True, show_default=True, help="Let answers settle other questions."),
    click.option("--retry-errors", is_flag=True, help="Ask again what ended in an error."),
)

# what says how to run, not what to ask
_WITH_PLAN = ("plan", "out", "workers", "dask", "shard", "passes", "share", "retry_errors")


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return with_options(command, _OPTIONS)


@click.command(short_help="Many queries; running it again resumes.")
@click.argument("model", type=click.Path(), required=False)
@click.argument("graph", type=click.Path(), required=False)
@_with_options
def sweep(model: str | None, graph: str | None, **typed: Any) -> int:
    """Verdicts or radii for all nodes times all budgets, or for all graphs of a file, on all cores.

    \b
    All nodes, four budgets, five minutes each:
        edgeproof sweep Cora_sum.npz Cora.npz --budget 1 --budget 2 --budget 5 --budget 10 \\
            --timeout 300 --out cora
    Exact radii of some nodes, on a Dask cluster:
        edgeproof sweep Cora_sum.npz Cora.npz --nodes 0-99 --radius --dask tcp://head:8786 --out radii
    One job of an array of 64:
        edgeproof sweep --plan paper.toml --out paper --shard 3/64

    Every answer is stored in DIR as soon as it is found. The same command again goes on where it was stopped (Ctrl-C,
    crash, time limit of a cluster), and repeats nothing. A changed network or option makes other questions; larger
    limits ask again only what is unknown. `edgeproof show DIR` prints a table.

    Exit status: 0 everything is decided, 3 something is unknown or failed, 130 stopped.
    """
    specs = _specs(model, graph, typed)
    client = _connect(typed["dask"]) if typed["dask"] else None
    try:
        undecided = 0
        for number, spec in enumerate(specs, 1):
            part = f"{number} of {len(specs)}, " if len(specs) > 1 else ""
            status, left = _run(spec, part, typed, client)
            if status:
                return status
            undecided += left
        return UNKNOWN if undecided else 0
    finally:
        if client is not None:
            client.close()


def _specs(model: str | None, graph: str | None, typed: dict[str, Any]) -> list[Spec]:
    if typed["plan"] is not None:
        source = click.get_current_context().get_parameter_source
        for name in ("model", "graph", *typed):
            if name not in _WITH_PLAN and source(name) is click.core.ParameterSource.COMMANDLINE:
                raise InputError(f"plan: {name} belongs into the plan file, got it beside --plan")
        return read_specs(Path(typed["plan"]))
    if model is None or graph is None:
        raise InputError("sweep: expected MODEL and GRAPH, or --plan FILE")
    if typed["insert"] and typed["insert_into_target"]:
        raise InputError("insert: expected --insert or --insert-into-target, got both")
    return [
        Spec(
            model, graph,
            nodes=typed["nodes"] or "all",
            budgets=[_parse_budget(text) for text in typed["budgets"]],
            local_budget=parse_local_budget(typed["local_budget"]),
            insert="target" if typed["insert_into_target"] else typed["insert"],
            fragile=parse_pairs(typed["fragile"], "fragile") if typed["fragile"] else None,
            protected=parse_pairs(typed["protected"], "protected"),
            targets=[int(text) if text.isdecimal() else text for text in typed["targets"] or ("all",)],
            options=parse_options(typed["options"], typed["engine"]),
            **{key: typed[key] for key in
               (*NAMES, "delete", "label", "radius", "directed", "timeout", "node_limit", "memory", "engine")},
        )
    ]  # fmt: skip


def _parse_budget(text: str) -> str | list[str]:
    """`5`, `degree+2`, or two of them: global and local budget."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 or not all(part.isdecimal() or ByDegree.parse(part) for part in parts):
        raise InputError(
            f"budget: expected a number or a rule such as degree+2, or two for global and local budget, got {text!r}"
        )
    return parts if len(parts) == 2 else parts[0]


def _connect(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError("dask: it is not installed; pip install 'edgeproof[dask]'") from None
    try:
        with working(f"connecting to {address}"):
            connect: Any = distributed.Client
            return connect(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as problem:
        raise InputError(f"dask: cannot connect to {address}: {problem}") from None


def _run(spec: Spec, part: str, typed: dict[str, Any], client: Any) -> tuple[int, int]:
    """The exit status if it was stopped, and how many questions are undecided."""
    from ..errors import StoreError
    from ..model.network import Network
    from ..sweep.many import make_sweep
    from ..sweep.store import parse_shard

    out = typed["out"]
    shard = parse_shard(typed["shard"]) if typed["shard"] else (1, 1)
    limits = spec.limits()
    with working("reading"):
        network = Network.load(spec.model)
        graphs = _load_graphs(spec, network.task)
    plan = spec.plan(graphs[0] if isinstance(graphs, tuple) else graphs)
    where = f"{spec.model} on {spec.graph}"
    try:
        one = make_sweep(
            network, graphs, plan, client, workers=typed["workers"], store=out, shard=shard, limits=limits,
            engine=spec.engine, options=spec.options or None, passes=typed["passes"], share=typed["share"],
            retry_errors=typed["retry_errors"], replay=False,
        )  # fmt: skip
    except InputError as problem:
        raise InputError(f"{where}: {problem}") from None
    assert one.store is not None
    if one.store.repaired:
        click.echo(f"edgeproof: {one.store.repaired}", err=True)
    if one.store.skipped:
        from ..report.gather import tell_skipped

        click.echo(f"edgeproof: {tell_skipped(one.store.skipped)}; what it answered is asked again", err=True)
    one.store.note_sources(_sources(spec, one))
    click.echo(f"{part}{where}: {one.total:,} questions", err=True)
    with stoppable(one) as stopped_by, watched(one):
        try:
            for _ in one.settled():
                pass
        except StoreError as problem:
            raise StoreError(f"{problem} ({one.done:,} of {one.total:,} are answered)") from None
    known = f" ({one.resumed:,} were in the store)" if one.resumed else ""
    if stopped_by:
        click.echo(f"stopped: {one.done:,} of {one.total:,} are stored in {out}: {tell_counts(one)}{known}")
        _tell_error(one)
        click.echo("Run the same command again to go on from here.")
        return 128 + stopped_by[0], 0
    click.echo(f"{one.total:,} questions: {tell_counts(one)}{known}")
    _tell_error(one)
    click.echo(f"stored in {out}; the table: edgeproof show {out}")
    return 0, one.counts["unknown"] + one.counts["error"]


def _tell_error(one: Sweep) -> None:
    if one.first_error is not None:
        click.echo(f"first error: {one.first_error}")


def _load_graphs(spec: Spec, task: str) -> Graph | tuple[Graph, ...]:
    from ..load import load_graphs
    from ..model.graph import Graph

    if task == "node":
        return Graph.load(spec.graph, directed=spec.directed)
    return tuple(load_graphs(spec.graph, directed=spec.directed))


def _sources(spec: Spec, one: Sweep) -> Iterator[dict[str, Any]]:
    """Where a report finds what it draws."""
    job = one.job
    path = str(Path(spec.model).resolve())
    yield {"hash": job.network_hash, "what": "network", "name": job.network.name, "path": path, "index": None}
    path = str(Path(spec.graph).resolve())
    for index, (graph, content) in enumerate(zip(job.graphs, job.graph_hashes, strict=True)):
        yield {"hash": content, "what": "graph", "name": graph.name, "path": path, "index": index}
