"""Faults in interval bounds and their rounding."""

from __future__ import annotations

from .fault import Fault

INTERVALS = (
    # boxes
    Fault(
        "sum-top-k", "search/intervals/gather.py",
        "ranks = 0 if every else cap",
        "ranks = 0 if every else max(cap - 1, 0)",
    ),
    Fault(
        "mean-denominator", "search/intervals/gather.py",
        "count = present - i + j",
        "count = max(present - i + j, 1) + (i > 0)",
    ),
    Fault(
        "mean-never-empty", "search/intervals/gather.py",
        "            if count == 0:\n",
        "            if count == 0 and present == 0:\n",
    ),
    Fault(
        "max-kept-one-better", "search/intervals/gather.py",
        "kept = top[DELETED_LOW, cap]", "kept = top[DELETED_LOW, max(cap - 1, 0)]",
    ),
    Fault(
        "max-never-empty", "search/intervals/gather.py",
        "if decided == 0 and deletable <= cap:",
        "if decided == 0 and deletable < cap:",
    ),
    Fault(
        "insertions-lower-ignored", "search/intervals/gather.py",
        " or (state == MAYBE_INSERTED and cap > deletable):",
        ":",
    ),
    Fault(
        "slack-dropped", "search/intervals/aggregate.py",
        "        low[i] -= slack[i]\n        high[i] += slack[i]\n", "",
    ),
    Fault(
        "crowd-there-ignored", "search/intervals/aggregate.py",
        "there = 1.0 if s.group[c, GOING] > 0 else 0.0",
        "there = 0.0",
    ),
    Fault(
        "boxes-stop-at-relu", "search/intervals/aggregate.py",
        "max(high[i], old_high[i]) > 0.0)",
        "min(high[i], old_high[i]) > 0.0)",
    ),
    # carriers
    Fault(
        "crowd-of-sure-carriers", "search/intervals/binary_max.py",
        "sure = sure or deletable > cap",
        "sure = sure or deletable >= cap",
    ),
    Fault(
        "crowds-not-told-apart", "search/intervals/binary_max.py",
        "if s.group[c, NAME] == name:", "if s.group[c, NAME] != ~name:",
    ),
    # gains by lines
    Fault(
        "slope-of-another-in-boxes", "search/intervals/activation.py",
        "bottom = max(low[i], 0.0) + slope[i] * min(low[i], 0.0)",
        "bottom = max(low[i], 0.0) + slope[0] * min(low[i], 0.0)",
    ),
    # degrees
    Fault(
        "sways-one-degree-a-flip", "search/intervals/gcn.py",
        "min((left - i - j) * (1 + p.charge_u), DEGREE_RANKS + 1)",
        "min(left - i - j, DEGREE_RANKS + 1)",
    ),
    Fault(
        "sways-by-the-first-deletion", "search/intervals/gcn.py",
        "sign * (p.root[degree - flips] - p.root[degree]) / flips",
        "sign * (p.root[degree - 1] - p.root[degree])",
    ),
    Fault(
        "gcn-own-degree-fixed", "search/intervals/gcn.py",
        "here = p.root[s.degree[v] - i + j]",
        "here = p.root[s.degree[v] + 0 * (i + j)]",
    ),
    Fault(
        "sym-boxes-count-itself", "search/intervals/gcn.py",
        "below[v, end], sign * p.counts_itself",
        "below[v, end], sign",
    ),
    # undo
    Fault("box-not-undone", "search/intervals/aggregate.py", "s.tally[BOX_MARK] = at + 1", "s.tally[BOX_MARK] = at"),
    # rounding below the smallest normal number
    Fault(
        "half-of-a-feature-is-exact", "search/intervals/rounding.py",
        "amount = max(gathered[j], NORMAL)",
        "amount = gathered[j]",
    ),
)  # fmt: skip
