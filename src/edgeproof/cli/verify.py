"""`edgeproof verify`: one verdict."""

from __future__ import annotations

from typing import Any

import click

from .failure import INTERRUPTED, UNKNOWN
from .question import asks_a_question, make_question, print_json
from .words import tell_attack, tell_budget, tell_lead, tell_stats, tell_subject, tell_threat


@click.command(short_help="One verdict: does a prediction survive every attack?")
@asks_a_question
@click.option("--budget", metavar="N|RULE", help="Most flips in all, or a rule such as degree+2 [default: no limit].")
@click.option("--proof", type=click.Path(), metavar="FILE", help="Write a proof (or the attack) for `edgeproof check`.")
@click.option("--certify", is_flag=True, help="Run the independent checker too, and only then give the verdict.")
@click.option("--arithmetic", default="real", show_default=True, help="real, or float32: for every order of summation.")
def verify(as_json: bool, **typed: Any) -> int:
    """Prove that a prediction survives every attack, or show the attack that breaks it.

    \b
    Five deletions against node 17 of a citation network:
        edgeproof verify Cora_sum.npz Cora.npz --node 17 --budget 5
    At most two at a vertex, insertions too, at most a minute, for a program to read:
        edgeproof verify Cora_sum.npz Cora.npz --node 17 --budget 5 --local-budget 2 \\
            --insert --timeout 60 --json
    The first molecule of a graph-level file:
        edgeproof verify MUTAG_sum.npz MUTAG.npz --index 0 --insert --budget 1
    With a proof that somebody else can check:
        edgeproof verify Cora_sum.npz Cora.npz --node 17 --budget 5 --proof node17.proof

    Prints robust, vulnerable (with the attack) or unknown (with the reason; exit status 3). Ctrl-C ends it within a
    second, and what is known is printed (exit status 130).
    """
    import edgeproof

    question = make_question(**typed)
    verdict = question.put(edgeproof.verify)
    if as_json:
        print_json(verdict.to_dict())
    else:
        budget = tell_budget(question.threat, question.graph, verdict.node)
        reason = f" ({verdict.reason})" if verdict.reason else ", certified" * verdict.certified
        click.echo(f"{verdict.status}{reason}: {tell_subject(verdict.node, verdict.label)}, against {budget}")
        click.echo(f"  threat: {tell_threat(question.threat, question.graph)}")
        if verdict.attack is not None:
            click.echo(f"  attack: {tell_attack(verdict.attack, verdict.rival, question.graph)}")
        if verdict.lead is not None:
            click.echo(f"  closest: {tell_lead(verdict.lead, question.graph)}")
        click.echo(f"  search: {tell_stats(verdict.stats)}")
    if verdict.reason == "interrupted":
        return INTERRUPTED
    return UNKNOWN if verdict.status == "unknown" else 0
