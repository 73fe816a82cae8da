"""Graph tasks with insertions: how much faster than boxes alone, which is the search as the paper has it?

    python benchmarks/against_boxes.py --sample 10 --limit 5 MUTAG_sum ENZYMES_max     # all six rows if none is named

Both in one run, instance by instance, by turns the one or the other first, over what the search solves; what boxes do
not solve counts as the limit, so that ratios are at least what is shown. Nodes and seconds apart: most of these
questions end in milliseconds, which both spend on the same things before and after the search (compiling the question,
checking the attack exactly).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable
from math import exp, log

import edgeproof as ep
import shared_data
from edgeproof.options import PAPER
from solve_all import GRAPH_BUDGETS


def geometric_mean(values: Iterable[float]) -> float:
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))


def ask(name: str, sample: int, limit: float) -> list[tuple[ep.Verdict, ep.Verdict]]:
    """What the search answers to a sample, and boxes alone."""
    dataset, aggregation = name.split("_")
    graphs = range(len(shared_data.graphs(dataset)))
    chosen = sorted(random.Random(f"{name} 1").sample(graphs, min(sample, len(graphs))))
    answers = []
    for budget, local in GRAPH_BUDGETS:
        threat = ep.Threat(budget, local, insert=True)
        for index in chosen:
            turns = [{}, dict(PAPER)][:: -1 if len(answers) % 2 else 1]
            both = [
                shared_data.verify(dataset, aggregation, index, threat, timeout=limit, options=options)
                for options in turns
            ]
            ours, boxes = both[::-1] if len(answers) % 2 else both
            answers.append((ours, boxes))
    return answers


def show(name: str, answers: list[tuple[ep.Verdict, ep.Verdict]]) -> None:
    solved = [both for both in answers if both[0].status != "unknown"]
    seconds = [geometric_mean(both[k].stats.seconds for both in solved) for k in range(2)]
    nodes = [geometric_mean(max(both[k].stats.nodes, 1) for both in solved) for k in range(2)]
    unsolved = [sum(both[k].status == "unknown" for both in answers) for k in range(2)]
    print(
        f"{name:14} {len(answers):5} {unsolved[0]:6} {unsolved[1]:6} {1e3 * seconds[0]:9.2f} {1e3 * seconds[1]:9.2f}"
        f" {seconds[1] / seconds[0]:7.2f} {nodes[0]:9.1f} {nodes[1]:9.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = [f"{dataset}_{how}" for dataset in shared_data.GRAPH_DATASETS for how in shared_data.AGGREGATIONS]
    parser.add_argument("rows", nargs="*", default=every, help="like MUTAG_sum")
    parser.add_argument("--sample", type=int, default=10, help="graphs a row, each with six pairs of budgets")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds an instance")
    args = parser.parse_args()
    shared_data.verify("MUTAG", "sum", 0, ep.Threat(1, insert=True))  # compiles, loads
    print(
        f"{'row':14} {'n':>5} {'open':>6} {'boxes':>6} {'ms':>9} {'boxes':>9} {'ratio':>7} {'nodes':>9} {'boxes':>9}"
        "   (geometric means)"
    )
    together: list[tuple[ep.Verdict, ep.Verdict]] = []
    for name in args.rows:
        answers = ask(name, args.sample, args.limit)
        together += answers
        show(name, answers)
    show("all", together)


if __name__ == "__main__":
    main()
