"""Runs the commands of docs/artifact.md and writes what they took into its table.

python benchmarks/measure_claims.py docs/artifact.md              # all of them
python benchmarks/measure_claims.py docs/artifact.md --only radii proofs

Seconds are those of processors, of a command and all its processes: they do not depend on what else the machine does.
Memory is the largest that one process held. A claim that takes too long is not run; its cells say how it was estimated.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
START, END = "<!-- claims: written by benchmarks/measure_claims.py -->", "<!-- end of claims -->"
COMMAND = 'exec "{python}" -c "from edgeproof.cli import main; main()" "$@"'


class Claim(NamedTuple):
    key: str
    says: str
    commands: tuple[str, ...]
    estimate: tuple[str, str, str] | None = None  # where it is not run: time, memory, and how they were found


CLAIMS = (
    Claim("radii", "Exact radii of the karate club, each with a minimum attack; a page that shows them",
          ("edgeproof demo",)),
    Claim("brute", "Verdicts and radii agree with the enumeration of all graphs, on random and on planted queries",
          ("pytest tests/test_search_against_brute.py", "pytest tests/test_planted.py")),
    Claim("engines", "Three engines that share nothing but the question agree (search, MIP, brute force)",
          ("pytest tests/test_differential.py", "pytest tests/engines")),
    Claim("bounds", "No graph leaves its bounds, rounding included", ("pytest tests/search/test_bounds.py",)),
    Claim("proofs", "Proofs are checked by code that shares nothing with the search; what is tampered with is rejected",
          ("pytest tests/test_layering.py", "pytest tests/proof")),
    Claim("float32", "Verdicts about the deployed float32 model hold in every order of summation",
          ("pytest tests/test_float32.py",)),
    Claim("gcn", "GCN layers: exact, irrational weights and all", ("pytest tests/test_gcn.py",)),
    Claim("pyg", "Converted PyTorch Geometric models compute what the models compute", ("pytest tests/pyg",)),
    Claim("sweeps", "A sweep that is killed goes on where it was and repeats nothing", ("pytest tests/sweep",)),
    Claim("report", "Numbers on a report page are those of the store", ("pytest tests/report",)),
    Claim("pages", "Every command and every line of code in this documentation runs", ("pytest tests/docs",)),
    Claim("cora", "All 2,708 nodes of Cora under four budgets: 10,832 verdicts",
          ("edgeproof sweep ../shared/models/Cora_sum.npz ../shared/datasets/Cora.npz --budget 1 --budget 2 "
           "--budget 3 --budget 5 --timeout 60 --out cora",)),
    Claim("sample", "The paper's tables, a sample with both engines",
          ("edgeproof bench node --data ../shared --sample 20",),
          ("up to 2 h", "2 GB", "20 nodes, 4 budgets, 4 rows and 2 engines, at most 10 s each")),
    Claim("paper", "The paper's tables in full", ("edgeproof bench node --data ../shared",),
          ("hours to days", "8 GB", "6,637 nodes, 4 budgets and 4 rows, at most 300 s and 8 GB each")),
)  # fmt: skip


def run(command: str, folder: Path) -> tuple[float, float]:
    """Seconds of processors and gigabytes; a command that fails ends everything."""
    tests = command.startswith("pytest ")
    words = f'"{sys.executable}" -m {command} -q -p no:cacheprovider' if tests else command
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.Popen(
        ["bash", "-c", words], cwd=ROOT if tests else folder / "work", env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(shell.pid, 0)
    shell.returncode = os.waitstatus_to_exitcode(status)
    if shell.returncode not in (0, 3):  # 3: some question of a sweep is unknown
        raise SystemExit(f"{command}: exit status {shell.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def measure(commands: tuple[str, ...], shared: Path) -> dict[str, float]:
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "bin").mkdir()
        (folder / "work").mkdir()
        (folder / "bin" / "edgeproof").write_text("#!/bin/sh\n" + COMMAND.format(python=sys.executable) + "\n")
        (folder / "bin" / "edgeproof").chmod(0o755)
        (folder / "shared").symlink_to(shared.resolve())
        taken = [run(command, folder) for command in commands]
    return {"seconds": sum(seconds for seconds, _ in taken), "gigabytes": max(memory for _, memory in taken)}


def tell(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def row(claim: Claim, known: dict[str, dict[str, float]]) -> str:
    taken = known.get(claim.key)
    if claim.estimate is not None:
        time, memory, _ = claim.estimate
    elif taken is not None:
        time, memory = tell(taken["seconds"]), f"{taken['gigabytes']:.1f} GB"
    else:
        time, memory = "not measured", ""
    return f"| {claim.says}: {'; '.join(f'`{command}`' for command in claim.commands)} | {time} | {memory} |"


def table(known: dict[str, dict[str, float]]) -> str:
    head = ["| claim and command | time | memory |", "|---|---|---|"]
    told = [f"- {claim.says}: {claim.estimate[2]}." for claim in CLAIMS if claim.estimate is not None]
    return "\n".join([*head, *(row(claim, known) for claim in CLAIMS), "", "Estimated, not run:", "", *told])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--only", nargs="*", metavar="KEY", help=", ".join(claim.key for claim in CLAIMS))
    parser.add_argument("--shared", type=Path, default=ROOT / ".." / "shared", help="datasets/ and models/")
    args = parser.parse_args()
    text = args.page.read_text(encoding="utf-8")
    kept = re.search(r"<!-- measured: (.*?) -->", text)
    known: dict[str, dict[str, float]] = json.loads(kept[1]) if kept else {}
    measure(("edgeproof demo --json",), args.shared)  # compiles, which is not what is measured
    for claim in CLAIMS:
        if claim.estimate is None and (not args.only or claim.key in args.only):
            known[claim.key] = measure(claim.commands, args.shared)
            print(claim.key, known[claim.key], flush=True)
            args.page.write_text(rewritten(text, known), encoding="utf-8")


def rewritten(text: str, known: dict[str, dict[str, float]]) -> str:
    numbers = json.dumps({key: {name: round(one, 2) for name, one in of.items()} for key, of in known.items()})
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    return f"{before}{START}\n<!-- measured: {numbers} -->\n\n{table(known)}\n\n{END}{after}"


if __name__ == "__main__":
    main()
