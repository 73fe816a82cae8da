"""Faults in charges of edges and lengths of changes."""

from __future__ import annotations

from .fault import Fault

CHARGES = (
    # charges of edges from base values
    Fault(
        "charges-no-interplay", "search/charges/bend.py",
        "return (1.0 - slope) * most",
        "return 0.0 * most",
    ),
    Fault(
        "charges-way-stays", "search/charges/screen.py",
        "on_way = x == u and (not b.directed or w == target)",
        "on_way = False",
    ),
    Fault(
        "charges-one-end-of-an-edge", "search/charges/ledger.py",
        "            if lost_place[other] > 0:\n",
        "            if lost_place[other] > 0 and other < k:\n",
    ),
    Fault(
        "charges-other-end-weighs-the-same", "search/charges/ledger.py",
        "            if grown_place[x] > 0:\n",
        "            if grown_place[x] > 0 and directed:\n",
    ),
    Fault(
        "charges-benefits-of-lost-paths", "search/charges/assemble.py",
        "        if not loses or self.budget > 1:\n",
        "        if not loses:\n",
    ),
    Fault(
        "charges-node-keeps-its-degree", "search/charges/top.py",
        "margin += (after * after - before * before) * self._kept[rival]",
        "margin += 0.0 * self._kept[rival]",
    ),
    Fault(
        "charges-self-message-twice", "search/charges/near_changes.py",
        "one = scale * (first * sent_change[r, i] + more * sent[i])",
        "one = scale * (first * sent_change[r, i] + 2.0 * more * sent[i])",
    ),
    Fault(
        "charges-several-like-one", "search/charges/first_changes.py",
        "            radius[i] += interplay(z[i], slope[i], largest[i], (each - 1) * peak[i])",
        "            radius[i] = 0.0",
    ),
    Fault(
        "charges-lengths-too-short", "search/charges/screen.py",
        "lost_cost[k] += cost * factor",
        "lost_cost[k] += 0.3 * cost * factor",
    ),
    Fault(
        "charges-sets-without-more", "search/charges/sets.py",
        "if room or len(found) > most:",
        "if len(found) > most:",
    ),
    Fault(
        "charges-of-any-size", "search/charges/question.py",
        "if not (self.norms.largest <= LARGE and self.tolerance < margins.min()):",
        "if not self.tolerance < margins.min():",
    ),
    Fault(
        "charges-lengths-underflow", "search/charges/norms.py",
        "np.sqrt(np.einsum(\"ij,ij->i\", rows, rows)) * ROUND_UP + LOST",
        "np.sqrt(np.einsum(\"ij,ij->i\", rows, rows)) * ROUND_UP",
    ),
    Fault(
        "charges-budget-one-less", "search/charges/question.py",
        "self._top(view, 2, each, margins, finer)",
        "self._top(view, 1, 1, margins, finer)",
    ),
    Fault(
        "charges-of-many-budget-one-less",
        "search/charges/question.py",
        "top = self._top(view, budget, each, margins)",
        "top = self._top(view, max(budget - 1, 1), min(each, max(budget - 1, 1)), margins)",
    ),
    Fault(
        "charges-rounding-not-counted",
        "search/charges/norms.py",
        "return (440.0 + 8.0 * budget) * (budget + 2.0)",
        "return 0.0",
    ),
    Fault(
        "charges-taken-edge-breaks-nothing", "search/charges/question.py",
        "if found is not None or budget == 0:",
        "if True:",
    ),
    # lengths of changes
    Fault(
        "lengths-first-rank-only", "search/lengths/pull_back.py",
        "ranks = min(most + 1, RANKS)",
        "ranks = min(2, RANKS)",
    ),
    Fault(
        "lengths-nobody-left", "search/lengths/pull_back.py",
        "            if most >= count:\n",
        "            if most > count:\n",
    ),
    Fault(
        "lengths-message-to-itself", "search/lengths/pull_back.py",
        "            below[v] += scale * scale * spread * at_v",
        "            below[v] += 0.0 * spread * at_v",
    ),
    Fault(
        "lengths-senders-weigh-the-same", "search/lengths/pull_back.py",
        "                grown[x] += at_v * scale * (after - before) / most_x * sent[x]",
        "                grown[x] += 0.0 * sent[x]",
    ),
    Fault(
        "lengths-node-loses-nothing", "search/lengths/question.py",
        "out[:into] += own[slots[:into] - b.in_ptr[self.node], at]",
        "out[:into] += 0.0",
    ),
    Fault(
        "lengths-degrees-stay", "search/lengths/pull_back.py",
        "        scale, lost_here = alpha(b, how, v, most), 0.0",
        "        scale, lost_here = alpha(b, how, v, 0), 0.0",
    ),
)  # fmt: skip
