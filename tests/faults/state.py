"""Faults in what a search node holds and how it is kept up to date."""

from __future__ import annotations

from .fault import Fault

STATE = (
    # budgets
    Fault(
        "spendable-one-less", "search/state/budget.py",
        "s.tally[LIMIT] - s.tally[USED])",
        "s.tally[LIMIT] - s.tally[USED] - 1)",
    ),
    # who needs which product
    Fault(
        "rim-too-wide", "search/state/records.py",
        "np.int64(v < p.active[t])",
        "np.int64(v < p.active[t] - 1)",
    ),
    Fault(
        "last-listener-unheard", "search/state/records.py",
        "p.out_ptr[v] < p.out_ptr[v + 1]",
        "p.out_ptr[v] + 1 < p.out_ptr[v + 1]",
    ),
    Fault(
        "odd-interval-forgotten", "search/state/rows.py",
        "while k < count:\n        c0, r0 =",
        "while k < count - 1:\n        c0, r0 =",
    ),
    # means that lose several neighbours
    Fault(
        "flip-for-free-at-u", "search/state/trail.py",
        "        if p.charge_u and u != v:\n            s.local_left[u] -= 1\n",
        "",
    ),
    # boxes
    Fault(
        "low-and-high-swapped", "search/state/rows.py",
        "low[i] = centre[i] - radius[i]",
        "low[i] = centre[i] + radius[i]",
    ),
    Fault(
        "second-seed-not-due", "search/forward/worklist.py",
        "for k in range(seeds.size):",
        "for k in range(min(seeds.size, 1)):",
    ),
    # degrees
    Fault("degree-of-one-end", "search/state/degrees.py", "for end in range(2):", "for end in range(1):"),
    Fault("loops-count-twice", "search/state/degrees.py", "if u != v:  # the self-loop", "if k >= 0:  # the self-loop"),
    Fault(
        "degree-change-not-due", "search/forward/worklist.py",
        "seeds.size if p.how[t] == GCN else 0",
        "seeds.size if p.how[t] == GCN and t > p.T else 0",
    ),
    Fault(
        "degrees-of-inserted-fixed", "search/state/degrees.py",
        "return degree - min(s.leaving[u], max(others, 0)), degree",
        "return degree, degree",
    ),
    Fault(
        "sym-counts-itself", "search/state/degrees.py",
        "if not p.counts_itself:",
        "if p.counts_itself < 0:",
    ),
    # undo
    Fault(
        "own-part-not-undone", "search/state/records.py",
        "return 3 if v < p.active[t + 1] else 2",
        "return 2",
    ),
    # what the grounding looks at
    Fault("inserted-sender-unheard", "search/state/trail.py", "s.inserted_out[u] += step", "s.inserted_out[u] += 0"),
    Fault(
        "inserted-sender-unheard-back", "search/state/trail.py",
        "s.inserted_out[v] += step",
        "s.inserted_out[v] += 0",
    ),
    Fault(
        "boxes-undone-forwards", "search/state/trail.py",
        "for k in range(s.tally[BOX_MARK] - 1, box_mark - 1, -1):",
        "for k in range(box_mark, s.tally[BOX_MARK]):",
    ),
    Fault(
        "spare-not-undone", "search/state/trail.py",
        "            if p.charge_u and u != v:\n                s.local_left[u] += 1\n",
        "",
    ),
    # rivals and last flips
    Fault(
        "tester-trusts-floats", "search/forward/claim.py",
        "not objective + s.error[r] <= 0.0:", "not objective <= 0.0:",
    ),
)  # fmt: skip
