"""Do the tests see a wrong engine? Copies the package, injects one fault at a time, and runs them on the copy.

python tests/mutants.py [NAME ...]

Not part of the test run: every fault in the search (`faults` lists them) compiles its kernels anew, about a minute.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click

from faults import IN_ATTENTION, IN_BUDGET, IN_CHECKER, IN_DEEP, IN_SEARCH, IN_WIDER, Fault

TESTS = Path(__file__).parent
EVERY = (*IN_SEARCH, *IN_ATTENTION, *IN_BUDGET, *IN_DEEP, *IN_WIDER, *IN_CHECKER)
PACKAGE = TESTS.parent / "src" / "edgeproof"
# of faults in the search, those that see most of them first
SEARCH_CHECKS = (
    "problem/test_receptive_field.py",
    "search/intervals/test_binary_max.py",
    "search/linear/test_gcn_gains.py",
    "search/test_lemmas.py",
    "search/test_extremes.py",
    "search/tree/test_branching.py",
    "search/pairwise/test_interactions.py",
    "search/strategies/test_forks.py",
    "search/symmetry/test_automorphisms.py",
    "search/test_bounds.py",
    "test_sym.py",
    "search/charges",
    "search/lengths",
    "test_search_against_brute.py",
)
# of faults where any pair of a whole graph may flip
BUDGET_CHECKS = (
    "search/base/test_base.py",
    "search/budget/test_budget_bounds.py",
    "search/maxima/test_maxima_bounds.py",
    "search/strategies/test_by_size.py",
)
# of faults in bounds of single flips
DEEP_CHECKS = ("search/deep", "search/strategies/test_by_size.py")
# of faults where messages are weighed by attention
ATTENTION_CHECKS = ("search/attention", "arithmetic/test_attention.py")
# of faults in the checker; these compile nothing
CHECKER_CHECKS = (
    "proof/test_mean.py",
    "proof/test_region.py",
    "proof/test_doubt.py",
    "proof/test_tampering.py",
    "proof/test_forgeries.py",
    "proof/test_second_checker.py",
    "proof/test_checker.py",
    "proof/test_checker_bounds.py",
)
# of faults about threats beyond flips of equal cost; these compile nothing
WIDER_CHECKS = ("wider/test_features.py", "wider/test_relax.py::test_costs_and_new_vertices_against_brute_force")
# exit with pytest's code, on the copy and on nothing else
RUN = """
import sys, edgeproof, pytest
assert edgeproof.__file__.startswith(sys.argv[1]), edgeproof.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""
TIMEOUT = 1200.0


class Fate(NamedTuple):
    caught: bool
    how: str


def mutate(fault: Fault | None, folder: Path) -> None:
    """A copy of the package in `folder`, with the fault."""
    shutil.copytree(PACKAGE, folder / "edgeproof", ignore=shutil.ignore_patterns("__pycache__"))
    if fault is None:
        return
    file = folder / "edgeproof" / fault.file
    text = file.read_text()
    found = text.count(fault.old)
    if found != 1:
        raise click.ClickException(f"{fault.name}: its text occurs {found} times in {fault.file}")
    file.write_text(text.replace(fault.old, fault.new))


def run_checks(folder: Path, campaign: int, checks: tuple[str, ...]) -> Fate:
    paths = [str(TESTS / check) for check in checks]
    command = [sys.executable, "-c", RUN, str(folder), "-x", "-q", "-p", "no:cacheprovider", "--tb=line"]
    command += ["-W", "ignore::numba.core.errors.NumbaWarning"]
    # logic is what is at stake here, so machine code is not optimised: it compiles in half the time
    places = {"PYTHONPATH": str(folder), "EDGEPROOF_CACHE": str(folder / "cache")}
    environment = os.environ | places | {"NUMBA_OPT": "0"}
    try:
        done = subprocess.run(
            [*command, f"--campaign={campaign}", *paths],
            env=environment, cwd=TESTS.parent, capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Fate(True, "hangs")
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1) and done.returncode > 0:
        raise click.ClickException(f"the tests did not run\n{said}")
    if any(word in said for word in ("TypingError", "SyntaxError", "NameError", "LoweringError", "ImportError")):
        raise click.ClickException(f"not a fault but a broken program\n{said}")
    if done.returncode < 0:
        return Fate(True, f"crashes with signal {-done.returncode}")
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    return Fate(bool(done.returncode), failed[0].removeprefix("FAILED ")[:150] if failed else "all tests pass")


def try_one(fault: Fault | None, campaign: int, checks: tuple[str, ...]) -> Fate:
    with tempfile.TemporaryDirectory(prefix="edgeproof-mutant-") as name:
        folder = Path(name).resolve()
        mutate(fault, folder)
        return run_checks(folder, campaign, checks)


def missed(faults: list[Fault], campaign: int, checks: tuple[str, ...]) -> list[str]:
    """Names of those that the checks do not see; says of each what became of it."""
    if faults and (fate := try_one(None, campaign, checks)).caught:
        raise click.ClickException(f"the tests fail on the package as it is: {fate.how}")
    out = []
    for fault in faults:
        begin = time.monotonic()
        fate = try_one(fault, campaign, checks)
        if not fate.caught:
            out.append(fault.name)
        word = "caught" if fate.caught else "MISSED"
        click.echo(f"{word} {fault.name} ({time.monotonic() - begin:.0f} s): {fate.how}")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="which mutants; all if none is named")
    parser.add_argument("--campaign", type=int, default=2000, help="random queries for each")
    parser.add_argument("--match", action="store_true", help="only check that every text is found once")
    asked = parser.parse_args()
    unknown = set(asked.names) - {fault.name for fault in EVERY}
    if unknown:
        raise click.ClickException(f"no mutants with the names {sorted(unknown)}")
    for fault in EVERY:
        with tempfile.TemporaryDirectory(prefix="edgeproof-mutant-") as folder:
            mutate(fault, Path(folder))
    if asked.match:
        return 0
    unseen = []
    groups = (
        (IN_SEARCH, SEARCH_CHECKS),
        (IN_BUDGET, BUDGET_CHECKS),
        (IN_DEEP, DEEP_CHECKS),
        (IN_ATTENTION, ATTENTION_CHECKS),
        (IN_WIDER, WIDER_CHECKS),
        (IN_CHECKER, CHECKER_CHECKS),
    )
    for faults, checks in groups:
        chosen = [fault for fault in faults if not asked.names or fault.name in asked.names]
        unseen += missed(chosen, asked.campaign, checks)
    click.echo(f"missed: {', '.join(unseen) or 'none'}")
    return 1 if unseen else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
