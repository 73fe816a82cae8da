"""How much faster a compute-bound sweep is with more workers.

    python benchmarks/sweep_scaling.py [--network Wisconsin_sum] [--budgets 5 10] [--workers 1 2] [--timeout 10]

By the clock, on a machine that does nothing else: other work takes its share of the second core away. Next to it, the
share of the workers' time in which they computed, from CPU seconds; that is the ratio which a quiet machine would give.
Start-up is left out: the clock runs from the first answer.
"""

from __future__ import annotations

import argparse
import resource
import time

import edgeproof as ep
import shared_data
from edgeproof.sweep.limits import Limits
from edgeproof.sweep.many import make_sweep


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="Wisconsin_sum")
    parser.add_argument("--budgets", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--timeout", type=float, default=10.0)
    args = parser.parse_args()
    dataset, aggregation = args.network.split("_")
    net, graph = shared_data.network(dataset, aggregation), shared_data.graphs(dataset)[0]
    plan = ep.Plan([ep.Threat(budget, budget) for budget in args.budgets])
    alone = None
    for workers in args.workers:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        sweep = make_sweep(net, graph, plan, workers=workers, limits=Limits(timeout=args.timeout), share=False)
        answers = sweep.settled()
        next(answers)
        started = time.perf_counter()
        for _ in answers:
            pass
        clock = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        alone = alone or clock
        print(
            f"{workers} workers: {clock:.1f} s by the clock, {alone / clock:.2f} times as fast as the first; "
            f"{busy:.1f} s of CPU in the workers, {busy / clock / workers:.0%} of their time; {dict(sweep.counts)}"
        )


if __name__ == "__main__":
    main()
