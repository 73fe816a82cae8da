"""Do the tests see a wrong engine? Copies the package, injects one fault at a time, and runs them on the copy.

python tests/mutants.py [NAME ...]

Not part of the test run: every mutant compiles its kernels anew, about a minute. A fault whose text is not found
exactly once is an error, so that the list follows the code.
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

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "edgeproof"
CHECKS = ("search/test_crowds.py", "search/test_gcn_gains.py", "search/test_bounds.py", "test_search_against_brute.py")
# of faults in the checker; these compile nothing
PROOF_CHECKS = (
    "proof/test_mean.py",
    "proof/test_checker_bounds.py",
    "proof/test_checker.py",
    "proof/test_tampering.py",
)
# exit with pytest's code, on the copy and on nothing else
RUN = """
import sys, edgeproof, pytest
assert edgeproof.__file__.startswith(sys.argv[1]), edgeproof.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""
TIMEOUT = 1200.0


class Mutant(NamedTuple):
    name: str
    file: str
    old: str
    new: str


MUTANTS = (
    # budgets
    Mutant(
        "spendable-one-less", "search/propagate.py",
        "s.tally[LIMIT] - s.tally[USED])",
        "s.tally[LIMIT] - s.tally[USED] - 1)",
    ),
    # who needs which product
    Mutant(
        "rim-too-wide", "search/propagate.py",
        "own = v < p.active[t]\n",
        "own = v < p.active[t] - 1\n",
    ),
    Mutant(
        "last-listener-unheard", "search/propagate.py",
        "p.out_ptr[v] < p.out_ptr[v + 1]",
        "p.out_ptr[v] + 1 < p.out_ptr[v + 1]",
    ),
    Mutant(
        "odd-interval-forgotten", "search/multiply.py",
        "    if k < count:\n        c0, r0 =",
        "    if k < count - 1:\n        c0, r0 =",
    ),
    # means that lose several neighbours
    Mutant(
        "mean-without-surplus", "search/descend_mean.py",
        "+= gain + surplus",
        "+= gain",
    ),
    Mutant(
        "mean-surplus-one-step-short", "search/descend_mean.py",
        "for i in range(1, steps + 1):",
        "for i in range(1, steps):",
    ),
    Mutant(
        "mean-emptied-without-surplus", "search/descend_mean.py",
        "    if most == k:\n        surplus = max(surplus, -middle / k)\n",
        "",
    ),
    Mutant(
        "flip-for-free-at-u", "search/split.py",
        "        if p.charge_u and u != v:\n            s.spare[u] -= 1\n",
        "",
    ),
    Mutant(
        "spend-one-less", "search/spend.py",
        "while taken < left and finite:",
        "while taken < left - 1 and finite:",
    ),
    Mutant(
        "spend-charges-too-much", "search/spend.py",
        "lines.spent[p.pair_v[at]] += 1",
        "lines.spent[p.pair_v[at]] += 2",
    ),
    # boxes
    Mutant(
        "sum-top-k", "search/bound_boxes.py",
        "ranks = 0 if every else cap",
        "ranks = 0 if every else max(cap - 1, 0)",
    ),
    Mutant(
        "mean-denominator", "search/bound_boxes.py",
        "count = present - i + j",
        "count = max(present - i + j, 1) + (i > 0)",
    ),
    Mutant(
        "mean-never-empty", "search/bound_boxes.py",
        "            if count == 0:\n",
        "            if count == 0 and present == 0:\n",
    ),
    Mutant("max-kept-one-better", "search/bound_boxes.py", "kept = top[0, cap]", "kept = top[0, max(cap - 1, 0)]"),
    Mutant(
        "max-never-empty", "search/bound_boxes.py",
        "if decided == 0 and deletable <= cap:",
        "if decided == 0 and deletable < cap:",
    ),
    Mutant(
        "insertions-lower-ignored", "search/bound_boxes.py",
        " or (state == MAYBE_INSERTED and cap > deletable):",
        ":",
    ),
    Mutant("slack-dropped", "search/bound_boxes.py", "        low[i] -= slack[i]\n        high[i] += slack[i]\n", ""),
    Mutant(
        "low-and-high-swapped", "search/multiply.py",
        "low[i] = centre[i] - radius[i]",
        "low[i] = centre[i] + radius[i]",
    ),
    Mutant(
        "crowd-there-ignored", "search/bound_boxes.py",
        "there = 1.0 if s.crowd[c, GOING] > 0 else 0.0",
        "there = 0.0",
    ),
    Mutant(
        "boxes-stop-at-relu", "search/bound_boxes.py",
        "max(high[i], old_high[i]) > 0.0)",
        "min(high[i], old_high[i]) > 0.0)",
    ),
    Mutant(
        "second-seed-not-due", "search/propagate.py",
        "for k in range(seeds.size):",
        "for k in range(min(seeds.size, 1)):",
    ),
    # carriers
    Mutant(
        "crowd-of-sure-carriers", "search/carry.py",
        "sure = sure or deletable > cap",
        "sure = sure or deletable >= cap",
    ),
    Mutant("crowds-not-told-apart", "search/carry.py", "if s.crowd[c, NAME] == name:", "if s.crowd[c, NAME] != ~name:"),
    Mutant("crowd-division", "search/descend_sum.py", "max(-a, 0.0) / deletable", "max(-a, 0.0) / (deletable + 1)"),
    Mutant(
        "crowd-insertion-division", "search/descend_sum.py",
        "max(a, 0.0) + min(a, 0.0) / insertable",
        "max(a, 0.0) + min(a, 0.0)",
    ),
    # lines
    Mutant(
        "sum-gain-sign", "search/descend_sum.py",
        "-bottom if state == MAYBE_DELETED else above",
        "bottom if state == MAYBE_DELETED else above",
    ),
    Mutant("first-gain-sign", "search/descend_sum.py", "-x if state & 1 else x", "-x"),
    Mutant("slope-of-another", "search/relax.py", "low[i], high[i], slopes[i]", "low[i], high[i], slopes[0]"),
    Mutant(
        "slope-of-another-in-boxes", "search/bound_boxes.py",
        "h_low[i] = max(bottom[i], 0.0) + slope[i] * min(bottom[i], 0.0)",
        "h_low[i] = max(bottom[i], 0.0) + slope[0] * min(bottom[i], 0.0)",
    ),
    Mutant(
        "readout-forgets-a-slope", "stages.py",
        "(head[0].C, head[0].b, head[0].negative_slopes)",
        "(head[0].C, head[0].b, slope[: len(head[0].b)])",
    ),
    Mutant(
        "chord-constant", "search/relax.py",
        "rise[i] = max(k * bottom - slope * bottom, above - slope * above)",
        "rise[i] = 0.0",
    ),
    Mutant(
        "mean-gain-denominator", "search/descend_mean.py",
        "least = max(present - min(cap, deletable), 1)",
        "least = max(present - min(cap, deletable), 1) + 1",
    ),
    Mutant(
        "mean-gain-not-emptied", "search/descend_mean.py",
        "gain = max(gain, -share * (share * total_low))",
        "gain = gain + 0.0",
    ),
    Mutant(
        "star-loss-dropped", "search/descend_max.py",
        "losses[i] = max(high_down - floors[i], 0.0) if down_open else 0.0",
        "losses[i] = 0.0",
    ),
    Mutant(
        "star-drop-too-large", "search/descend_max.py",
        "drops[i] = low_up - second if",
        "drops[i] = high_up - second if",
    ),
    Mutant(
        "star-never-empty", "search/descend_max.py",
        "        if empties:\n            second = max(second, 0.0)\n",
        "",
    ),
    Mutant(
        "star-insertion-gain", "search/descend_max.py",
        "gain += a[i] * max(above - floors[i], 0.0)",
        "gain += a[i] * max(bottom - floors[i], 0.0)",
    ),
    Mutant(
        "pool-max-second", "search/descend.py",
        "            slope, rise = 0.0, second\n",
        "            slope, rise = 0.0, low_up\n",
    ),
    Mutant(
        "stale-stars", "search/exclude.py",
        "    lines.stamp[2] += 1  # boxes may have changed since the last pass\n",
        "",
    ),
    Mutant(
        "line-error-dropped", "search/descend.py",
        "lines.error[b] += dot_magnitudes(row, slack, width)",
        "lines.error[b] += 0.0 * width",
    ),
    Mutant(
        "tightened-below-swapped", "search/tighten.py",
        "record[LOW, j] = max(record[LOW, j], below)",
        "record[LOW, j] = max(record[LOW, j], min(above, -below))",
    ),
    # degrees
    Mutant("degree-of-one-end", "search/degrees.py", "for end in range(2):", "for end in range(1):"),
    Mutant(
        "far-senders-ignored", "surroundings.py",
        "+ (len(looking) > 0 and looking[0] is Aggregation.GCN)",
        "+ 0 * len(looking)",
    ),
    Mutant("loops-count-twice", "search/degrees.py", "if u != v:  # the self-loop", "if k >= 0:  # the self-loop"),
    Mutant(
        "degree-change-not-due", "search/propagate.py",
        "seeds.size if p.how[t] == GCN else 0",
        "seeds.size if p.how[t] == GCN and t > p.T else 0",
    ),
    Mutant(
        "degrees-of-inserted-fixed", "search/degrees.py",
        "return degree - min(s.leaving[u], max(others, 0)), degree",
        "return degree, degree",
    ),
    Mutant(
        "sways-one-degree-a-flip", "search/gcn_boxes.py",
        "min((left - i - j) * (1 + p.charge_u), SWAYS + 1)",
        "min(left - i - j, SWAYS + 1)",
    ),
    Mutant(
        "sways-by-the-first-deletion", "search/gcn_boxes.py",
        "sign * (p.root[degree - flips] - p.root[degree]) / flips",
        "sign * (p.root[degree - 1] - p.root[degree])",
    ),
    Mutant(
        "gcn-own-degree-fixed", "search/gcn_boxes.py",
        "here = p.root[s.degree[v] - i + j]",
        "here = p.root[s.degree[v] + 0 * (i + j)]",
    ),
    Mutant(
        "gcn-deletions-by-the-first", "search/descend_gcn.py",
        "for k in range(1 - min(up, cap - 1), down + 1):",
        "for k in range(1 - min(up, cap - 1), min(down, 1) + 1):",
    ),
    Mutant(
        "gcn-shared-by-all", "search/descend_gcn.py",
        "shared / (fewest if shared > 0.0 else most) - there * bottom",
        "shared / max(fewest, most) - there * bottom",
    ),
    Mutant(
        "gcn-insertion-keeps-degree", "search/descend_gcn.py",
        "worst(there * there - here * here, own_low, own_high) + worst(there - here, sum_low, sum_high)",
        "0.0 * (own_low + own_high + sum_low + sum_high)",
    ),
    Mutant("gcn-sender-may-leave", "search/descend_gcn.py", "elif down > 0 and stays:", "elif down > 0:"),
    Mutant(
        "gcn-sender-at-first-deletion", "search/descend_gcn.py",
        "(root[degree - down] - here) / down",
        "(root[degree - 1] - here)",
    ),
    Mutant(
        "gcn-receiver-degree-fixed", "search/descend_gcn.py",
        "strong = p.root[s.degree[v] - min(down, left - 1)]",
        "strong = p.root[s.degree[v]]",
    ),
    # undo
    Mutant("tightened-box-not-undone", "search/tighten.py", "s.tally[BOX_MARK] = at + 1", "s.tally[BOX_MARK] = at"),
    Mutant(
        "boxes-undone-forwards", "search/split.py",
        "for k in range(s.tally[BOX_MARK] - 1, box_mark - 1, -1):",
        "for k in range(box_mark, s.tally[BOX_MARK]):",
    ),
    Mutant(
        "spare-not-undone", "search/split.py",
        "            if p.charge_u and u != v:\n                s.spare[u] += 1\n",
        "",
    ),
    # rivals and last flips
    Mutant(
        "last-rival-missing", "search/exclude.py",
        "            left += 1\n            if lines",
        "            left += b == 0\n            if lines",
    ),
    Mutant(
        "doubt-without-rounding", "search/exclude.py",
        "base = lines.const[b] + lines.error[b]",
        "base = lines.const[b] - lines.error[b]",
    ),
    Mutant("doubt-without-gain", "search/exclude.py", "not base + gain + size", "not base - gain + size"),
    # the checker
    Mutant(
        "checker-root-free-flip", "proof/region.py",
        "limit=len(pairs) if budget is None else min(budget, len(pairs)),",
        "limit=len(pairs) if budget is None else min(max(budget - 1, 0), len(pairs)),",
    ),
    Mutant(
        "checker-far-pairs-forgotten", "proof/region.py",
        "rings[max(insertions - 1, 0)].items() if steps < depth}",
        "rings[max(insertions - 1, 0)].items() if steps < depth - 1}",
    ),
    Mutant(
        "checker-undirected-half-paid", "proof/tree.py",
        "if region.both_pay and u != v else (v,)",
        "if False else (v,)",
    ),
    Mutant("checker-decided-twice", "proof/tree.py", "        if decided[pair]:\n", "        if False:\n"),
    Mutant(
        "checker-flipped-child-omitted", "proof/tree.py",
        "allowed = left > 0 and",
        "allowed = left > 1 and",
    ),
    Mutant("checker-bytes-behind-the-end", "proof/tree.py", "    reader.finish()\n", ""),
    Mutant(
        "checker-spent-unchecked", "proof/tree.py",
        "if kind == SPENT and movable.size:",
        "if kind == SPENT and movable.size > 99:",
    ),
    Mutant(
        "checker-settled-unchecked", "proof/tree.py",
        "near = distances(self.setting, batch)[0] < self.setting.chain.depth",
        "near = distances(self.setting, batch)[0] < 0",
    ),
    Mutant(
        "checker-enumerates-singles-only", "proof/tree.py",
        "most = min(one.left, movable.size) if kind == ENUMERATED else 0",
        "most = min(one.left, movable.size, 1) if kind == ENUMERATED else 0",
    ),
    Mutant(
        "checker-one-rival-is-enough", "proof/tree.py",
        "and not one.excluded.all():",
        "and not one.excluded.any():",
    ),
    Mutant(
        "checker-tightened-boxes-for-siblings", "proof/tree.py",
        "decided[node.pair] = 2 if flip else 1\n            spare = one.spare",
        "decided[node.pair] = 1\n            spare = one.spare",
    ),
    Mutant(
        "checker-sum-one-gain-less", "proof/boxes.py",
        "np.arange(slots) < cap[..., None]",
        "np.arange(slots) < cap[..., None] - 1",
    ),
    Mutant(
        "checker-mean-denominator", "proof/boxes.py",
        "            divisor = np.maximum(count, 1)\n",
        "            divisor = np.maximum(present[..., None], 1)\n",
    ),
    Mutant(
        "checker-max-kept-one-better", "proof/boxes.py",
        "at = np.minimum(cap, ",
        "at = np.minimum(np.maximum(cap - 1, 0), ",
    ),
    Mutant(
        "checker-crowd-never-leaves", "proof/boxes.py",
        "(goes > cap[:, None])",
        "(goes >= cap[:, None])",
    ),
    Mutant(
        "checker-crowds-not-told-apart", "proof/boxes.py",
        " | (names[1:] != names[:-1])",
        "",
    ),
    Mutant(
        "checker-chord-constant", "proof/lines.py",
        "np.maximum(k * low - chord * low, high - chord * high), 0.0)",
        "0.0 * low, 0.0)",
    ),
    Mutant(
        "checker-sum-gain-sign", "proof/lines.py",
        "gains = np.where(there, -low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _step_pool",
        "gains = np.where(there, low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _step_pool",
    ),
    Mutant(
        "checker-mean-surplus", "proof/lines.py",
        "    surplus = np.where(most == present, np.maximum(surplus, -middle / k), surplus)\n",
        "",
    ),
    Mutant(
        "checker-mixed-denominator", "proof/lines.py",
        "least_left = np.maximum(present - np.minimum(cap, deletable), 1)[:, None]",
        "least_left = np.maximum(present, 1)[:, None]",
    ),
    Mutant(
        "checker-star-loss", "proof/lines.py",
        "np.maximum(reach - self.floor, 0.0), 0.0)",
        "0.0 * reach, 0.0)",
    ),
    Mutant(
        "checker-insertion-gain", "proof/lines.py",
        "rises = np.maximum(self.high - self.floor[:, None], 0.0)[node]",
        "rises = np.maximum(self.low - self.floor[:, None], 0.0)[node]",
    ),
    Mutant(
        "checker-spends-one-less", "proof/bounds.py",
        "(np.arange(most) < left[:, None])",
        "(np.arange(most) < left[:, None] - 1)",
    ),
    Mutant(
        "checker-local-budget-doubled", "proof/bounds.py",
        "room[rows, payer[best]] -= gain > 0.0",
        "room[rows, payer[best]] -= 2 * (gain > 0.0)",
    ),
    Mutant(
        "checker-doubts-too-little", "proof/tree.py",
        "return movable[~(above <= 0.0).all(axis=0)]",
        "return movable[~(above <= 0.0).any(axis=0)]",
    ),
    Mutant(
        "checker-trusts-floats", "proof/tree.py",
        "doubtful = ~(found + self.enclosure.error <= 0.0).all(axis=1)",
        "doubtful = ~(found <= 1e-9).all(axis=1)",
    ),
    Mutant("tester-trusts-floats", "search/exclude.py", "not objective + s.error[r] <= 0.0:", "not objective <= 0.0:"),
)  # fmt: skip


class Fate(NamedTuple):
    caught: bool
    how: str


def mutate(mutant: Mutant | None, folder: Path) -> None:
    """A copy of the package in `folder`, with the fault."""
    shutil.copytree(PACKAGE, folder / "edgeproof", ignore=shutil.ignore_patterns("__pycache__"))
    if mutant is None:
        return
    file = folder / "edgeproof" / mutant.file
    text = file.read_text()
    found = text.count(mutant.old)
    if found != 1:
        raise click.ClickException(f"{mutant.name}: its text occurs {found} times in {mutant.file}")
    file.write_text(text.replace(mutant.old, mutant.new))


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


def try_one(mutant: Mutant | None, campaign: int) -> Fate:
    checks = PROOF_CHECKS if mutant is not None and mutant.file.startswith("proof/") else CHECKS
    with tempfile.TemporaryDirectory(prefix="edgeproof-mutant-") as name:
        folder = Path(name).resolve()
        mutate(mutant, folder)
        return run_checks(folder, campaign, checks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="which mutants; all if none is named")
    parser.add_argument("--campaign", type=int, default=2000, help="random queries for each")
    parser.add_argument("--match", action="store_true", help="only check that every text is found once")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        raise click.ClickException(f"no mutants with the names {sorted(unknown)}")
    for mutant in MUTANTS:
        with tempfile.TemporaryDirectory(prefix="edgeproof-mutant-") as name:
            mutate(mutant, Path(name))
    if chosen.match:
        return 0
    searched = [mutant for mutant in MUTANTS if not mutant.file.startswith("proof/")]
    asked = {mutant.name for mutant in searched} & set(chosen.names)
    if (asked or not chosen.names) and try_one(None, chosen.campaign).caught:
        raise click.ClickException("the tests fail on the package as it is")
    missed = []
    for mutant in MUTANTS:
        if chosen.names and mutant.name not in chosen.names:
            continue
        begin = time.monotonic()
        fate = try_one(mutant, chosen.campaign)
        if not fate.caught:
            missed.append(mutant.name)
        word = "caught" if fate.caught else "MISSED"
        click.echo(f"{word} {mutant.name} ({time.monotonic() - begin:.0f} s): {fate.how}")
    click.echo(f"missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
