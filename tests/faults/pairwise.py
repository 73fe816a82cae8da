"""Faults in what two flips do together."""

from __future__ import annotations

from .fault import Fault

PAIRWISE = (
    # interplay
    Fault(
        "excess-of-one-sign-only", "search/pairwise/maximise.py",
        "else max(-low[i], 0.0)\n",
        "else 0.0\n",
    ),
    Fault(
        "others-shift-nothing", "search/pairwise/screening.py",
        "                    x.over[t, v, i] += x.ranked[OVER, k, i]\n",
        "",
    ),
    Fault(
        "mean-keeps-its-weight", "search/pairwise/interactions.py",
        "factor = after - weight_of(p.how[t], x.degree[v])",
        "factor = 0.0 * after",
    ),
    Fault(
        "inserted-sender-unheard", "search/pairwise/interactions.py",
        "    return maximise_up_to(one, two, low, high, width)\n",
        "    return 0.0\n",
    ),
    Fault(
        "only-message-of-a-max", "search/pairwise/interactions.py",
        "        if x.degree[v] == 1:\n"
        "            return maximise(x.rows[gathered, GATHERED], -1.0, low, high, width)\n",
        "",
    ),
    Fault(
        "nobody-listens-anew", "search/pairwise/sensitivities.py",
        "        high[i] += come * extra_high[i]\n",
        "",
    ),
    Fault(
        "nobody-listens-anew-below", "search/pairwise/sensitivities.py",
        "        low[i] += come * extra_low[i]\n",
        "",
    ),
    Fault(
        "last-rival-for-all", "search/pairwise/sensitivities.py",
        "            first = False\n",
        "",
    ),
    Fault(
        "peak-of-the-last-rival", "search/pairwise/screening.py",
        "x.peak[left, e] = max(x.peak[left, e], x.gain[left, r, e])",
        "x.peak[left, e] = x.gain[left, r, e]",
    ),
    Fault(
        "crowds-are-bounded", "search/pairwise/screening.py",
        "usable = left == 2 or not (has_max(p) and may_meet(p, s, x, candidates))",
        "usable = True",
    ),
    Fault(
        "crowd-of-one", "search/pairwise/screening.py",
        "1 if apart else left)",
        "1)",
    ),
    Fault(
        "crowd-of-its-own-size", "search/pairwise/mean_interactions.py",
        "others = x.degree[v], x.most_at[v] - 1\n",
        "others = x.degree[v], 0\n",
    ),
    Fault(
        "crowd-of-two", "search/pairwise/mean_interactions.py",
        "others = x.degree[v], x.most_at[v] - 2\n",
        "others = x.degree[v], 0\n",
    ),
    Fault(
        "mean-emptied-by-two", "search/pairwise/mean_interactions.py",
        "        total = max(total, maximise(y, 1.0, low, high, width))\n",
        "",
    ),
    Fault(
        "mean-emptied-and-filled", "search/pairwise/mean_interactions.py",
        "        total += max(maximise(x.centre[t, v], 1.0, low, high, width), 0.0)\n",
        "        total += 0.0\n",
    ),
    Fault(
        "mean-emptied-beside-a-change", "search/pairwise/mean_interactions.py",
        "        total = max(total, maximise(x.rows[gathered, GATHERED], -share * share, low, high, width))\n",
        "        total = max(total, 0.0 * share)\n",
    ),
    # forks
    Fault(
        "rough-swing-of-one", "search/pairwise/coarse.py",
        "        swing = coarse.weight_change[flips - 1, v]\n",
        "        swing = coarse.weight_change[0, v]\n",
    ),
    Fault(
        "rough-weight-before", "search/pairwise/coarse.py",
        "max(x.degree[v] - (2 if v == centre else 1), 1)",
        "max(x.degree[v], 1)",
    ),
)  # fmt: skip
