"""Faults where messages are weighed by attention."""

from __future__ import annotations

from .fault import Fault

ATTENTION = (
    Fault(
        "least-weight-is-all",
        "search/attention/lines.py",
        "    small = least if is_there else less + w\n",
        "    small = total if is_there else total + w\n",
    ),
    Fault(
        "chord-too-flat",
        "search/attention/lines.py",
        "    return min(slope, 1.0)\n",
        "    return 0.5 * min(slope, 1.0)\n",
    ),
    Fault(
        "tangent-of-one",
        "search/attention/lines.py",
        "                line_low = tangent[j] * low\n",
        "                line_low = low if low > 0.0 else 0.0\n",
    ),
    Fault(
        "flipped-sender-is-added",
        "search/attention/subsets.py",
        "        if not there[t]:\n            add_sender(depth_sums[depth + 1]",
        "        if there[t]:\n            add_sender(depth_sums[depth + 1]",
    ),
    Fault(
        "nobody-behind",
        "search/attention/subsets.py",
        "                all_weights[k] = depth_weights[depth, k] + behind_weights[at[depth], k]\n",
        "                all_weights[k] = depth_weights[depth, k] + behind_weights[count, k]\n",
    ),
    Fault(
        "receiver-at-one-end",
        "search/attention/program.py",
        "        high_end = max(first_high, max(y, slope * y) - start)\n",
        "        high_end = first_high\n",
    ),
    Fault(
        "smallest-weight-for-a-lead",
        "search/attention/program.py",
        "        return lead * math.exp(most) * (1.0 + PAD)\n",
        "        return lead * math.exp(least) * (1.0 + PAD)\n",
    ),
    Fault(
        "not-a-number-is-small",
        "search/attention/program.py",
        "    return not (np.isnan(found) or value <= found)\n",
        "    return value > found\n",
    ),
    Fault(
        "who-comes-is-free",
        "search/attention/program.py",
        "                from_j = j - 1 if kind == MAY_COME else j\n",
        "                from_j = j\n",
    ),
    Fault(
        "shared-flip-costs-two",
        "search/attention/branch.py",
        "        costs = [1 if near is None or one.vertex in near else 2 for one in doubtful]\n",
        "        costs = [1 if near is None else 2 for one in doubtful]\n",
    ),
    Fault(
        "target-is-not-heard",
        "search/attention/branch.py",
        "            heard.append((Sender(target, -1, True), FIXED))\n",
        "            pass\n",
    ),
    Fault(
        "residual-forgotten",
        "search/attention/rows.py",
        "    extra = last.C[rivals] - last.C[label]\n",
        "    extra = 0.0 * last.C[rivals]\n",
    ),
    Fault(
        "rounding-of-rows-forgotten",
        "search/attention/options.py",
        "        row_error = rows.norm * error\n",
        "        row_error = 0.0 * rows.norm\n",
    ),
    Fault(
        "pairs-one-hop-short",
        "search/attention/every_graph.py",
        "range(len(hearing) - 1 + query.network.normalises)",
        "range(len(hearing) - 2 + query.network.normalises)",
    ),
    Fault(
        "receivers-keep-their-rows",
        "search/attention/evaluate.py",
        "                    count = note_change(s, t, s.receiver[e], count)\n",
        "                    pass\n",
    ),
    Fault(
        "self-twice",
        "arithmetic/attention.py",
        "    kept = sources != selves[targets]\n",
        "    kept = sources >= 0\n",
    ),
)
