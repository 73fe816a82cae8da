"""The arguments and options that `verify` and `radius` share, and the question that they make."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..engines.mip.settings import TABLE as MIP
from ..errors import InputError, Interrupted
from ..options import TABLE
from .pages import shows
from .parse import parse_budget, parse_local_budget, parse_options, parse_pairs
from .progress import working
from .wider import NAMES, WIDER_OPTIONS, more_of

if TYPE_CHECKING:
    from ..model.graph import Graph
    from ..model.network import Network
    from ..model.threat import Threat

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Answer = TypeVar("_Answer")

SWITCHES = (
    "Switches of the search, for --option NAME=off:\n"
    + "\n".join(f"  {option.name:<20} {option.help}" for option in TABLE)
    + "\n\nSettings of --engine mip, for --option NAME=VALUE:\n"
    + "\n".join(f"  {one.name + '=' + '|'.join(one.choices)}\n{'':23}{one.help}" for one in MIP)
)


THREAT_OPTIONS = (
    click.option(
        "--local-budget",
        metavar="N|RULE|@FILE",
        help="Most flips at a vertex: one number, a rule such as degree+2, or a file with one each.",
    ),
    click.option("--delete/--no-delete", default=True, show_default=True, help="Every edge may be deleted."),
    click.option("--insert/--no-insert", default=False, show_default=True, help="Every absent pair may be inserted."),
    click.option("--insert-into-target", is_flag=True, help="Only absent pairs into --node may be inserted."),
    click.option("--fragile", multiple=True, metavar="U,V|@FILE", help="Exactly these pairs may flip. Repeatable."),
    click.option("--protected", multiple=True, metavar="U,V|@FILE", help="These pairs never flip. Repeatable."),
)
HOW_OPTIONS = (
    click.option("--directed/--undirected", default=None, help="[default: undirected if every edge has its reverse]"),
    click.option("--timeout", type=float, metavar="SECONDS", help="Give up after this long: unknown."),
    click.option("--node-limit", type=int, metavar="N", help="Give up after this many search nodes: unknown."),
    click.option("--engine", default="search", show_default=True, help="search, mip (a solver), or brute force."),
    click.option(
        "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the engine: see --help-options."
    ),
    click.option(
        "--help-options",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=shows(SWITCHES),
        help="Show the options of the engines, and exit.",
    ),
)
_DECORATORS = (
    click.argument("model", type=click.Path()),
    click.argument("graph", type=click.Path()),
    click.option("--node", type=int, help="The vertex in question; leave it out for networks that classify graphs."),
    click.option("--index", type=int, help="Number of the graph in a graph-level file."),
    click.option("--label", type=int, help="The class to defend [default: the predicted class]."),
    click.option("--target", type=int, help="Defend against this class only [default: against every other class]."),
    *THREAT_OPTIONS,
    *WIDER_OPTIONS,
    *HOW_OPTIONS,
    click.option("--threads", type=int, default=1, show_default=True, help="Share a hard query between so many."),
    click.option("--memory", type=float, metavar="GB", help="Refuse what would take more [default: than is free]."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


def with_options(command: _Command, decorators: Iterable[Callable[[_Command], _Command]]) -> _Command:
    """So that they stand in the help in this order."""
    for decorate in reversed(tuple(decorators)):
        command = decorate(command)
    return command


def asks_a_question(command: _Command) -> _Command:
    """Give a command the shared arguments and options."""
    return with_options(command, _DECORATORS)


@dataclass(frozen=True)
class Question:
    """What was typed, loaded and checked."""

    network: Network
    graph: Graph
    threat: Threat
    where: str
    asked: dict[str, Any]

    def put(self, ask: Callable[..., _Answer]) -> _Answer:
        """Ask `edgeproof.verify` or `edgeproof.radius`; errors name the files that the question is about.

        At a terminal, what takes more than two seconds tells how far it is. After Ctrl-C, the answer is what is known.
        """
        try:
            return ask(self.network, self.graph, self.threat, progress=sys.stderr.isatty(), **self.asked)
        except Interrupted as stop:
            found: _Answer = stop.answer
            return found
        except InputError as problem:
            raise InputError(f"{self.where}: {problem}") from None


def make_question(
    *, model: str, graph: str, budget: str | None, index: int | None, directed: bool | None, local_budget: str | None,
    delete: bool, insert: bool, insert_into_target: bool, fragile: tuple[str, ...], protected: tuple[str, ...],
    options: tuple[str, ...], **asked: Any,
) -> Question:  # fmt: skip
    """Check the cheap things first, then load the files."""
    from ..model.graph import Graph
    from ..model.network import Network
    from ..model.threat import Threat

    if insert and insert_into_target:
        raise InputError("insert: expected --insert or --insert-into-target, got both")
    threat = Threat(
        budget=parse_budget(budget),
        local_budget=parse_local_budget(local_budget),
        delete=delete,
        insert="target" if insert_into_target else insert,
        fragile=parse_pairs(fragile, "fragile") if fragile else None,
        protected=parse_pairs(protected, "protected"),
    )
    wider = {name: asked.pop(name) for name in NAMES}
    asked["options"] = parse_options(options, asked.get("engine", "search")) or None
    with working("reading"):
        network, loaded = Network.load(model), Graph.load(graph, directed=directed, index=index)
    more = more_of(loaded, wider)
    if more:
        threat = replace(threat, **more)
    return Question(network, loaded, threat, f"{model} on {graph}", asked)


def print_json(fields: dict[str, Any]) -> None:
    click.echo(json.dumps(fields, default=lambda number: number.item()))
