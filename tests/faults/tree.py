"""Faults in the node loop and the choice of the pair."""

from __future__ import annotations

from .fault import Fault

TREE = (
    # interplay
    Fault(
        "after-any-flip", "search/tree/screened.py",
        "        x.after[left] = -1\n",
        "        x.after[left] = x.after[left]\n",
    ),
    # which pair is decided next
    Fault(
        "gain-of-any-size", "search/tree/branching.py",
        "            best, at = linear.order[pair], pair\n",
        "            at = pair\n",
    ),
    Fault(
        "no-gain-closes", "search/tree/actions.py",
        "    if pair < 0:\n        pair = choose_nearest(p, s)",
        "    if pair < 0 and not options.lines:\n        pair = choose_nearest(p, s)",
    ),
    Fault(
        "nearest-a-ring-too-few", "search/tree/branching.py",
        "    for _ in range(p.rings):\n",
        "    for _ in range(p.rings - 1):\n",
    ),
    # gains by lines
    Fault(
        "stale-stars", "search/tree/prune.py",
        "    linear.counts[ROUND] += 1  # boxes may have changed since the last pass\n",
        "",
    ),
    # rivals and last flips
    Fault(
        "last-rival-missing", "search/tree/prune.py",
        "            left += 1\n            if linear",
        "            left += b == 0\n            if linear",
    ),
    Fault(
        "doubt-without-rounding", "search/tree/prune.py",
        "base = linear.const[b] + linear.error[b]",
        "base = linear.const[b] - linear.error[b]",
    ),
    Fault("doubt-without-gain", "search/tree/prune.py", "not base + gain + size", "not base - gain + size"),
)  # fmt: skip
