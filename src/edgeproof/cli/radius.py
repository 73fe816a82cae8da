"""`edgeproof radius`: how many flips a prediction survives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .failure import INTERRUPTED, UNKNOWN
from .question import asks_a_question, make_question, print_json
from .words import tell_attack, tell_stats, tell_subject, tell_threat

if TYPE_CHECKING:
    from ..model.verdict import Radius


@click.command(short_help="One exact radius: how many flips does it survive?")
@asks_a_question
@click.option("--max-budget", "budget", metavar="K|RULE", help="Look no further than this many flips, or a rule.")
def radius(as_json: bool, **typed: Any) -> int:
    """The largest number of flips that a prediction survives, and a smallest attack.

    \b
    Node 17 of a citation network, deletions:
        edgeproof radius Cora_sum.npz Cora.npz --node 17
    Up to ten flips, but only pairs listed in a file, one `u,v` a line:
        edgeproof radius Cora_sum.npz Cora.npz --node 17 --max-budget 10 --fragile @pairs.txt

    A radius of -1 says that the claim fails on the graph as it is. When a limit is hit, the answer is an interval
    (exit status 3); so it is after Ctrl-C (130).
    """
    import edgeproof

    question = make_question(**typed)
    answer = question.put(edgeproof.radius)
    if as_json:
        print_json(answer.to_dict())
    else:
        cap = question.threat.resolved(question.graph, answer.node).budget
        click.echo(f"{_tell_radius(answer, cap)}: {tell_subject(answer.node, answer.label)}")
        click.echo(f"  threat: {tell_threat(question.threat, question.graph)}")
        if answer.attack is not None:
            click.echo(f"  attack: {tell_attack(answer.attack, answer.rival, question.graph)}")
        click.echo(f"  search: {tell_stats(answer.stats)}")
    if answer.reason == "interrupted":
        return INTERRUPTED
    return 0 if answer.exact else UNKNOWN


def _tell_radius(answer: Radius, cap: int | None) -> str:
    if answer.robust:
        return "no attack exists" if cap is None else f"robust up to {cap}"
    if answer.exact:
        return f"radius {answer.lower}"
    upper = "unknown" if answer.upper is None else str(answer.upper)
    return f"radius from {answer.lower} to {upper} ({answer.reason})"
