"""Faults in backward linear bounds."""

from __future__ import annotations

from .fault import Fault

LINEAR = (
    # means that lose several neighbours
    Fault(
        "mean-without-surplus", "search/linear/mean.py",
        "+= gain + surplus",
        "+= gain",
    ),
    Fault(
        "mean-surplus-one-step-short", "search/linear/mean.py",
        "for i in range(1, steps + 1):",
        "for i in range(1, steps):",
    ),
    Fault(
        "mean-emptied-without-surplus", "search/linear/mean.py",
        "    if most == k:\n        surplus = max(surplus, -middle / k)\n",
        "",
    ),
    Fault(
        "spend-one-less", "search/linear/concretize.py",
        "while taken < left and taken < found:",
        "while taken < left - 1 and taken < found:",
    ),
    Fault(
        "spend-charges-too-much", "search/linear/concretize.py",
        "linear.spent[v] += 1",
        "linear.spent[v] += 2",
    ),
    # carriers
    Fault("crowd-division", "search/linear/sum.py", "max(-a, 0.0) / deletable", "max(-a, 0.0) / (deletable + 1)"),
    Fault(
        "crowd-insertion-division", "search/linear/sum.py",
        "max(a, 0.0) + min(a, 0.0) / insertable",
        "max(a, 0.0) + min(a, 0.0)",
    ),
    # lines
    Fault(
        "sum-gain-sign", "search/linear/sum.py",
        "-linear.ends[0, b, k - start] if state & 1",
        "linear.ends[0, b, k - start] if state & 1",
    ),
    # gains by lines
    Fault("inner-pass-spends-less", "search/linear/backward.py", "s.tally[USED] - 1", "s.tally[USED] - 2"),
    Fault(
        "inner-pass-own-pair-forgotten", "search/linear/backward.py",
        "            left += 1\n", "            left += 0\n",
    ),
    Fault(
        "inner-pass-stars-stale", "search/linear/backward.py",
        "nested.counts[ROUND] = linear.counts[ROUND]",
        "nested.counts[ROUND] = 0",
    ),
    Fault("narrowed-end-swapped", "search/linear/nested.py", "row[j] = a[j] if end else -a[j]", "row[j] = a[j]"),
    Fault("narrowed-floor-forgotten", "search/linear/nested.py", "known += a[j] * floors[j]", "known += 0.0"),
    Fault("narrowed-second-forgotten", "search/linear/nested.py", "(consts[j] - seconds[j])", "(consts[j] - 0.0)"),
    Fault("first-gain-sign", "search/linear/sum.py", "-x if state & 1 else x", "-x"),
    Fault("slope-of-another", "search/linear/relax.py", "low[i], high[i], slopes[i]", "low[i], high[i], slopes[0]"),
    Fault(
        "chord-constant", "search/linear/relax.py",
        "return slope, max(k * bottom - slope * bottom, above - slope * above), 1.0 if above > -bottom else k",
        "return slope, 0.0, 1.0 if above > -bottom else k",
    ),
    Fault(
        "mean-gain-denominator", "search/linear/mean.py",
        "least = max(present - min(cap, deletable), 1)",
        "least = max(present - min(cap, deletable), 1) + 1",
    ),
    Fault(
        "mean-gain-not-emptied", "search/linear/mean.py",
        "gain = max(gain, -share * (share * total_low))",
        "gain = gain + 0.0",
    ),
    Fault(
        "star-loss-dropped", "search/linear/max.py",
        "numbers[LOSS, i] = max(high_down - numbers[FLOOR, i], 0.0) if down_open else 0.0",
        "numbers[LOSS, i] = 0.0",
    ),
    Fault(
        "star-drop-too-large", "search/linear/max.py",
        "numbers[DROP, i] = low_up - second if",
        "numbers[DROP, i] = high_up - second if",
    ),
    Fault(
        "star-never-empty", "search/linear/max.py",
        "    if empties:\n        second = max(second, 0.0)\n",
        "",
    ),
    Fault(
        "star-insertion-gain", "search/linear/max.py",
        "gain += a[i] * max(above - floors[i], 0.0)",
        "gain += a[i] * max(bottom - floors[i], 0.0)",
    ),
    Fault(
        "pool-max-second", "search/linear/pool.py",
        "            slope, rise = 0.0, second\n",
        "            slope, rise = 0.0, low_up\n",
    ),
    Fault(
        "line-error-dropped", "search/linear/step.py",
        "linear.error[b] += dot_magnitudes(row, s.slack[t, v], width)",
        "linear.error[b] += 0.0 * width",
    ),
    Fault(
        "tightened-below-swapped", "search/linear/tighten.py",
        "record[LOW, j] = max(record[LOW, j], below)",
        "record[LOW, j] = max(record[LOW, j], min(above, -below))",
    ),
    # degrees
    Fault(
        "gcn-deletions-by-the-first", "search/linear/gcn.py",
        "for k in range(1 - min(up, cap - 1), down + 1):",
        "for k in range(1 - min(up, cap - 1), min(down, 1) + 1):",
    ),
    Fault(
        "gcn-shared-by-all", "search/linear/gcn.py",
        "shared / (fewest if shared > 0.0 else most) - there * bottom",
        "shared / max(fewest, most) - there * bottom",
    ),
    Fault(
        "gcn-insertion-keeps-degree", "search/linear/gcn.py",
        "worst(there * there - here * here, own_low, own_high) + worst(there - here, sum_low, sum_high)",
        "0.0 * (own_low + own_high + sum_low + sum_high)",
    ),
    Fault("gcn-sender-may-leave", "search/linear/gcn.py", "elif down > 0 and stays:", "elif down > 0:"),
    Fault(
        "gcn-sender-at-first-deletion", "search/linear/gcn.py",
        "(root[degree - down] - here) / down",
        "(root[degree - 1] - here)",
    ),
    Fault(
        "gcn-receiver-degree-fixed", "search/linear/gcn.py",
        "strong = p.root[s.degree[v] - min(down, left - 1)]",
        "strong = p.root[s.degree[v]]",
    ),
    Fault(
        "sym-lines-count-itself", "search/linear/gcn.py",
        "for b in range(rows * p.counts_itself):",
        "for b in range(rows):",
    ),
    Fault(
        "sym-lines-bend-by-itself", "search/linear/gcn.py",
        "own_high *= p.counts_itself",
        "own_high *= 1",
    ),
    # undo
    Fault("tightened-box-not-undone", "search/linear/tighten.py", "save_box(p, s, record, t, v)\n", "pass\n"),
    # degrees of senders, and budgets of vertices
    Fault(
        "deletion-and-insertion-at-a-sender", "search/linear/gcn.py",
        "        goes, comes = max(goes, -max(comes, 0.0)), max(comes, -max(goes, 0.0))\n",
        "        pass\n",
    ),
    Fault(
        "first-end-pays", "search/linear/concretize.py",
        "linear.spent[v] += 1",
        "linear.spent[p.pair_u[pair]] += 1",
    ),
    # lengths of changes
    Fault(
        "gains-ranked-as-if-nothing-was-spent", "search/linear/concretize.py",
        "            free = free and s.local_left[p.pair_v[pair]] >= left\n",
        "",
    ),
    Fault(
        "gains-of-all-where-few-may-flip", "search/linear/concretize.py",
        "if finite and free and found <= left:",
        "if finite and free and found <= left // 2:",
    ),
)  # fmt: skip
