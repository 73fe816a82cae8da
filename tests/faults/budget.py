"""Faults in values of the whole graph, and bounds of all attacks of one shape."""

from __future__ import annotations

from .fault import Fault

BUDGET = (
    Fault(
        "base-forgets-what-was-sent",
        "search/base/evaluate.py",
        "out[i] += more * new[i] - less * old[i]\n",
        "out[i] += more * new[i] - old[i]\n",
    ),
    Fault(
        "base-inserts-bring-nobody-nearer",
        "search/base/evaluate.py",
        "            o.near[s] = o.near[t] + 1\n",
        "            o.near[s] = o.near[s] + 0\n",
    ),
    Fault(
        "one-change-of-degree-a-flip",
        "search/budget/reach.py",
        "return (m, 0) if t.directed else (2 * m, i + k)",
        "return (m, 0) if t.directed else (m, i + k)",
    ),
    Fault(
        "flips-at-the-node-change-no-degrees",
        "search/budget/reach.py",
        "return (m, 0) if t.directed else (2 * m, i + k)",
        "return (m, 0) if t.directed else (2 * m, 0)",
    ),
    Fault(
        "steps-not-convex",
        "search/budget/reach.py",
        "rise = (beta(how, count - lowest) - here) / lowest if lowest > 0 else 0.0",
        "rise = (beta(how, count - 1) - here) if lowest > 0 else 0.0",
    ),
    Fault(
        "tangent-below-what-is-convex",
        "search/budget/reach.py",
        "    if weight < 0.0:\n",
        "    if weight > 0.0:\n",
    ),
    Fault(
        "senders-lose-nothing-at-the-node",
        "search/budget/ranking.py",
        "return int(gone.sum()) + k + cuts",
        "return int(gone.sum()) + cuts",
    ),
    Fault(
        "order-of-what-messages-add-now",
        "search/budget/ranking.py",
        "np.maximum(question.base.heard + (1 - star.directed) - lost, 0)",
        "(question.base.heard + (1 - star.directed))",
    ),
    Fault(
        "looks-for-one-insertion-only",
        "search/budget/neighbours.py",
        "if most + beside <= g.top[0, a] and not every:",
        "if most + beside <= g.top[0, 1] and not every:",
    ),
    Fault(
        "quotient-of-the-wrong-end",
        "search/budget/reach.py",
        "    return slope, (z + high - slope * z) / high\n",
        "    return slope, 0.5 * (slope + (z + high - slope * z) / high)\n",
    ),
    Fault(
        "charges-below-zero",
        "search/budget/charges.py",
        "more, less = max(factor * fall * down, 0.0), max(factor * rise * up, 0.0)",
        "more, less = factor * fall * down, factor * rise * up",
    ),
    Fault(
        "one-end-is-charged",
        "search/budget/charges.py",
        "return max(out[0] + out[1], out[2] + out[3])",
        "return max(out[0], out[2])",
    ),
    Fault(
        "partner-keeps-its-degree",
        "search/budget/neighbours.py",
        "min(gain, most) + g.more[w] + (g.more[x] if both else 0.0)",
        "min(gain, most) + g.more[w]",
    ),
    Fault(
        "barred-for-good",
        "search/budget/search.py",
        "            bars[0] = before\n",
        "            before = 0\n",
    ),
    Fault(
        "newcomers-share-nothing",
        "search/budget/share.py",
        "shared = 0 if directed else newcomers * (newcomers - 1) // 2",
        "shared = 0 if directed else 0 * newcomers",
    ),
    Fault(
        "flip-between-neighbours-serves-one",
        "search/budget/share.py",
        "for other in range(min(h - 2 * one, m - one) + 1):",
        "for other in range(min(h - 2 * one, m - one) // 2 + 1):",
    ),
    Fault(
        "newcomer-without-its-own-row",
        "search/budget/newcomers.py",
        "start = share(t, p, g, r, u, first * beta(t.first, heard + a - c)) + factor * scale * max(extra, 0.0)",
        "start = factor * scale * max(extra, 0.0)",
    ),
    Fault(
        "pass-forgets-mended-neighbours",
        "search/budget/single_flips.py",
        "                total[r] += p.mend[k, r]\n",
        "                total[r] += 0.0 * p.mend[k, r]\n",
    ),
    Fault(
        "pair-of-neighbours-that-nobody-else-hears",
        "search/budget/single_flips.py",
        "            beside += p.reach[p.second[y]]\n",
        "            beside += 0.0\n",
    ),
    Fault(
        "pair-of-neighbours-as-the-node-heard-it",
        "search/budget/single_flips.py",
        "row[i] = z[i] + one * t.sent[w, i] + other * t.sent[x, i]",
        "row[i] = z[i] + one * t.sent[w, i]",
    ),
    Fault(
        "pass-skips-flips-between-neighbours",
        "search/budget/single_flips.py",
        "        for k in range(j):\n            if s.tally[STOP]:",
        "        for k in range(0):\n            if s.tally[STOP]:",
    ),
    Fault(
        "newcomers-banned-for-good",
        "search/budget/search.py",
        "            for u in tried:\n                banned[u] -= 1\n",
        "            tried.clear()\n",
    ),
    Fault(
        "taken-back-but-for-degrees",
        "search/budget/stand.py",
        "            s.heard[s.arcs[1, e]] += -1 if s.arcs[2, e] else 1\n",
        "            s.heard[s.arcs[1, e]] += 0\n",
    ),
)  # fmt: skip
