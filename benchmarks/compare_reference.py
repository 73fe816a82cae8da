"""Every instance of the reference file: same verdicts as the paper's C program? In what share of its time?

python benchmarks/compare_reference.py [--only Wisconsin] [--option lines=off] [--csv out.csv]
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict

import edgeproof as ep
import shared_data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="dataset, or dataset_aggregation")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=on|off")
    parser.add_argument("--limit", type=float, help="seconds an instance, default: the reference's")
    parser.add_argument("--csv", help="write one line an instance")
    args = parser.parse_args()
    options = {name: value == "on" for name, _, value in (one.partition("=") for one in args.option)}
    rows = [json.loads(line) for line in (shared_data.data_folder() / "reference" / "c_tool.jsonl").open()]
    if args.only:
        rows = [row for row in rows if f"{row['dataset']}_{row['aggr']}".startswith(args.only)]
    tables: dict[tuple[str, str], list[tuple[dict, ep.Verdict]]] = defaultdict(list)
    shared_data.verify("Cornell", "sum", 0, ep.Threat(1))  # compiles, loads
    wrong = []
    for row in rows:
        threat = ep.Threat(row["budget"], row["local_budget"], insert=row["insert"])
        verdict = shared_data.verify(
            row["dataset"], row["aggr"], row["index"], threat, timeout=args.limit or row["limit"], options=options
        )
        tables[row["dataset"], row["aggr"]].append((row, verdict))
        if "unknown" not in (row["status"], verdict.status) and row["status"] != verdict.status:
            wrong.append((row, verdict))
    print(
        f"{'row':14} {'n':>4} {'unsolved':>9} {'C':>9} {'seconds':>9} {'C':>9}"
        f" {'ratio':>7} {'nodes':>11} {'C':>11}  slowest"
    )
    total, total_c, unsolved = 0.0, 0.0, 0
    for (dataset, aggregation), pairs in tables.items():
        seconds = sum(verdict.stats.seconds for _, verdict in pairs)
        seconds_c = sum(row["seconds"] for row, _ in pairs)
        open_here = sum(verdict.status == "unknown" for _, verdict in pairs)
        open_c = sum(row["status"] == "unknown" for row, _ in pairs)
        nodes, nodes_c = sum(verdict.stats.nodes for _, verdict in pairs), sum(row["nodes"] for row, _ in pairs)
        row, verdict = max(pairs, key=lambda pair: pair[1].stats.seconds)
        print(
            f"{dataset + '_' + aggregation:14} {len(pairs):4} {open_here:9} {open_c:9} {seconds:9.3f} {seconds_c:9.3f}"
            f" {seconds / seconds_c:7.3f} {nodes:11,} {nodes_c:11,}"
            f"  {row['index']} ({row['budget']},{row['local_budget']}) {verdict.stats.seconds:.2f}s"
        )
        total, total_c, unsolved = total + seconds, total_c + seconds_c, unsolved + open_here
    print(f"total {total:.2f} s, C program {total_c:.2f} s, ratio {total / total_c:.4f}, unsolved {unsolved}")
    for row, verdict in wrong:
        print("DISAGREES", row, verdict)
    if args.csv:
        with open(args.csv, "w", newline="") as out:
            writer = csv.writer(out)
            keys = ("dataset", "aggr", "index", "budget", "local_budget")
            writer.writerow([*keys, "status", "seconds", "nodes", "evaluations"])
            for pairs in tables.values():
                for row, v in pairs:
                    where = [row[key] for key in keys]
                    writer.writerow([*where, v.status, v.stats.seconds, v.stats.nodes, v.stats.evaluations])
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
