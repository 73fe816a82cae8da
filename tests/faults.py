"""Faults that `mutants.py` injects, one at a time: plausible mistakes, each of which some test must see.

`old` occurs exactly once in `file`, a path in the package, so that the list follows the code.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    old: str
    new: str


IN_SEARCH = (
    # budgets
    Fault(
        "spendable-one-less", "search/state/budget.py",
        "s.tally[LIMIT] - s.tally[USED])",
        "s.tally[LIMIT] - s.tally[USED] - 1)",
    ),
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
    Fault(
        "after-any-flip", "search/tree/screened.py",
        "        x.after[left] = -1\n",
        "        x.after[left] = x.after[left]\n",
    ),
    # symmetries
    Fault(
        "symmetry-moves-flips", "search/symmetry/orbital_fixing.py",
        "x.stabilises[used + 1, k] = x.stabilises[used, k] & (x.image[k, pair] == pair)",
        "x.stabilises[used + 1, k] = x.stabilises[used, k]",
    ),
    Fault(
        "symmetry-of-other-features", "search/symmetry/automorphisms.py",
        "np.column_stack([features, p.local,",
        "np.column_stack([features[:, :1], p.local,",
    ),
    Fault(
        "symmetry-of-other-budgets", "search/symmetry/automorphisms.py",
        "np.column_stack([features, p.local,",
        "np.column_stack([features, 0 * p.local,",
    ),
    Fault(
        "symmetry-of-what-is-fixed", "search/symmetry/automorphisms.py",
        "    table[p.slot_source, np.repeat(np.arange(p.n), np.diff(p.slot_ptr))] = p.slot_start\n",
        "    table[p.slot_source, np.repeat(np.arange(p.n), np.diff(p.slot_ptr))] = p.slot_start & 1\n",
    ),
    Fault(
        "symmetry-of-the-node-in-question", "search/symmetry/automorphisms.py",
        "asked = np.arange(p.n) == 0 if p.node_task",
        "asked = np.arange(p.n) < 0 if p.node_task",
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
    # forks
    Fault(
        "fork-centre-at-rest", "search/strategies/fork_kernels.py",
        "    total = interact_at_centre(p, s, x, r, ",
        "    total = 0.0 * interact_at_centre(p, s, x, r, ",
    ),
    Fault(
        "fork-hears-one-sender", "search/strategies/fork_kernels.py",
        "            add_scaled(y, x.rows[also, CHANGE_SENT], after * two, width)\n",
        "            add_scaled(y, x.rows[also, CHANGE_SENT], 0.0, width)\n",
    ),
    Fault(
        "fork-weight-of-one", "search/strategies/fork_kernels.py",
        "x.degree[v] + one + two)\n",
        "x.degree[v] + one)\n",
    ),
    Fault(
        "fork-weights-of-single-flips", "search/strategies/fork_kernels.py",
        "min(s.local_left[v], 2 if v == centre else 1)",
        "min(s.local_left[v], 1)",
    ),
    Fault(
        "fork-seen-with-anything", "search/strategies/fork_kernels.py",
        "    others = near if seen else candidates\n",
        "    others = near * 0 if seen else candidates\n",
    ),
    Fault(
        "fork-near-the-base-by-one-flip", "search/strategies/fork_kernels.py",
        "    return are_apart(p, ~s.pair_trail[0], pair) and are_apart(p, ~s.pair_trail[1], pair)\n",
        "    return are_apart(p, ~s.pair_trail[0], pair)\n",
    ),
    Fault(
        "fork-left-after-a-candidate", "search/strategies/fork_kernels.py",
        "                if not kept:\n",
        "                if not kept:\n                    cursor[BESIDE] = candidates + 1\n",
    ),
    Fault(
        "forks-spend-twice", "search/strategies/fork_kernels.py",
        "        s.local_left[v] = p.local[v]\n",
        "        s.local_left[v] = min(p.local[v], s.local_left[v])\n",
    ),
    Fault(
        "no-rings-of-five", "search/strategies/forks.py",
        "        for ring in RINGS:\n",
        "        for ring in RINGS[1:]:\n",
    ),
    Fault(
        "forks-their-own-images", "search/strategies/forks.py",
        "there.max(axis=1) >= codes\n",
        "there.max(axis=1) > codes\n",
    ),
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
    # twins, components and orbits
    Fault(
        "twins-that-are-touched", "search/symmetry/orbital_fixing.py",
        "            x.role[p.pair_v[~pair]] = p.pair_v[~pair]\n",
        "",
    ),
    Fault(
        "components-that-are-touched", "search/symmetry/orbital_fixing.py",
        "                    x.role[v] = p.n + x.twin[v]\n",
        "                    x.role[v] = 2 * p.n + x.place[v]\n",
    ),
    Fault(
        "pairs-in-one-component-or-two", "search/symmetry/orbital_fixing.py",
        "1 if x.component[u] == x.component[v] else 0",
        "0",
    ),
    Fault(
        "twins-of-directed-pairs-turned", "search/symmetry/orbital_fixing.py",
        "    if p.charge_u and one > two:\n",
        "    if one > two:\n",
    ),
    Fault(
        "components-by-kind", "search/symmetry/automorphisms.py",
        "        for there in alike:\n            onto = _fit(table, kinds, here, there)\n",
        "        for there in alike:\n            onto = there\n",
    ),
    Fault(
        "orbit-of-the-last-level-told-before", "search/strategies/orbit_kernels.py",
        "        stamp[CURRENT] += 1\n",
        "",
    ),
    Fault(
        "orbit-left-out-with-its-flips", "search/strategies/orbit_kernels.py",
        "        mark_level(s, level)\n        s.tally[WORK] += p.pair_u.size // ROLES_A_UNIT\n",
        "        mark_level(s, level)\n        mark_level(s, np.int64(0))\n",
    ),
    Fault(
        "twins-by-kind", "search/symmetry/automorphisms.py",
        "            if _are_alike(table, int(u), v):\n                first[v] = u\n",
        "            if kinds[u] == kinds[v]:\n                first[v] = u\n",
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
        "flip-for-free-at-u", "search/state/trail.py",
        "        if p.charge_u and u != v:\n            s.local_left[u] -= 1\n",
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
        "low-and-high-swapped", "search/state/rows.py",
        "low[i] = centre[i] - radius[i]",
        "low[i] = centre[i] + radius[i]",
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
    Fault(
        "second-seed-not-due", "search/forward/worklist.py",
        "for k in range(seeds.size):",
        "for k in range(min(seeds.size, 1)):",
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
        "slope-of-another-in-boxes", "search/intervals/activation.py",
        "bottom = max(low[i], 0.0) + slope[i] * min(low[i], 0.0)",
        "bottom = max(low[i], 0.0) + slope[0] * min(low[i], 0.0)",
    ),
    Fault(
        "readout-forgets-a-slope", "problem/stages.py",
        "(head[0].C, head[0].b, head[0].bends)",
        "(head[0].C, head[0].b, slope[: len(head[0].b)])",
    ),
    Fault(
        "chord-constant", "search/linear/relax.py",
        "return slope, max(k * bottom - slope * bottom, above - slope * above), 1.0 if above > -bottom else k",
        "return slope, 0.0, 1.0 if above > -bottom else k",
    ),
    # curved activations
    Fault("minimum-of-a-curve", "search/state/curves.py", "        bottom = GELU_LEAST\n", "        bottom += 0.0\n"),
    Fault("minimum-of-silu", "search/state/curves.py", "        bottom = SILU_LEAST\n", "        bottom += 0.0\n"),
    Fault("curve-without-padding", "search/state/curves.py", "    bottom -= room\n", "    bottom -= 0.0 * room\n"),
    Fault(
        "concave-piece-by-its-ends", "search/state/curves.py",
        "    if sign * shape >= 0:\n",
        "    if sign * shape >= -1:\n",
    ),
    Fault(
        "curves-turn-elsewhere", "search/state/curves.py",
        "return 0.0, np.inf, 1, -1, -1",
        "return 0.0, np.inf, 1, 1, 1",
    ),
    Fault(
        "middle-piece-forgotten", "search/state/curves.py",
        "if high > one and low < two:",
        "if high < one and low < two:",
    ),
    Fault("selu-is-convex", "search/state/curves.py", "return 0.0, np.inf, 1, 0, 0", "return np.inf, np.inf, 1, 1, 1"),
    Fault("line-of-a-curve-unpadded", "search/state/curves.py", "LINE_OFF = 2.0**-43", "LINE_OFF = 0.0"),
    Fault(
        "curve-below-has-no-constant", "search/linear/relax.py",
        "positive * rise[i] - negative * drop[i]",
        "positive * rise[i]",
    ),
    Fault(
        "stale-lines-of-a-curve", "search/state/curves.py",
        "if bends[i] < 2.0 or (at_low[i] == low[i] and at_high[i] == high[i]):",
        "if bends[i] < 2.0 or at_low[i] == low[i]:",
    ),
    Fault(
        "stale-range-of-a-curve", "search/state/curves.py",
        "        if at_low[i] == low[i] and at_high[i] == high[i]:\n",
        "        if at_high[i] == high[i]:\n",
    ),
    Fault(
        "curves-pass-errors-on", "search/intervals/rounding.py",
        "error[i] = steepest(code) * error[i] + 2.0 * PAD * (size[i] + error[i] + at_zero(code))",
        "error[i] = 0.0",
    ),
    Fault(
        "final-curve-unbent", "search/tree/prune.py",
        "kept[RANGE_HIGH, p.rival_at[r]], kept[RANGE_LOW, p.label_at]",
        "above, below",
    ),
    Fault(
        "padding-of-scores", "arithmetic/enclosure.py",
        "            e *= part.steepest * GROWS\n",
        "            e *= GROWS\n",
    ),
    Fault(
        "tie-holds", "search/engine.py",
        'if answer.status == "robust" and alarm.tied is not None:',
        'if answer.status == "robust" and alarm.tied == -1:',
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
        "stale-stars", "search/tree/prune.py",
        "    linear.counts[ROUND] += 1  # boxes may have changed since the last pass\n",
        "",
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
    # which pairs there are
    Fault("grid-lets-edges-go", "problem/receptive_field.py", "        kept &= ~present\n", "        pass\n"),
    # degrees
    Fault("degree-of-one-end", "search/state/degrees.py", "for end in range(2):", "for end in range(1):"),
    Fault(
        "far-senders-ignored", "problem/receptive_field.py",
        "+ (len(looking) > 0 and looking[0].normalises)",
        "+ 0 * len(looking)",
    ),
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
        "sym-counts-itself", "search/state/degrees.py",
        "if not p.counts_itself:",
        "if p.counts_itself < 0:",
    ),
    Fault(
        "sym-boxes-count-itself", "search/intervals/gcn.py",
        "below[v, end], sign * p.counts_itself",
        "below[v, end], sign",
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
    Fault(
        "sym-degree-one-too-many", "problem/compile.py",
        "root[2:] = 1.0 / np.sqrt(degrees[:-1])",
        "root[2:] = 1.0 / np.sqrt(degrees[1:])",
    ),
    Fault("sym-of-nobody", "problem/compile.py", "ALONE = 1.0", "ALONE = 0.0"),
    # undo
    Fault("tightened-box-not-undone", "search/linear/tighten.py", "save_box(p, s, record, t, v)\n", "pass\n"),
    Fault("box-not-undone", "search/intervals/aggregate.py", "s.tally[BOX_MARK] = at + 1", "s.tally[BOX_MARK] = at"),
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
    Fault("absent-begin-at-once", "problem/compile.py", "2 * np.arange(n) + 1)", "2 * np.arange(n))"),
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
    Fault(
        "tester-trusts-floats", "search/forward/claim.py",
        "not objective + s.error[r] <= 0.0:", "not objective <= 0.0:",
    ),
    # rounding below the smallest normal number
    Fault(
        "half-of-a-feature-is-exact", "search/intervals/rounding.py",
        "amount = max(gathered[j], NORMAL)",
        "amount = gathered[j]",
    ),
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
    # few graphs
    Fault(
        "few-one-ring-less", "search/strategies/few_graphs.py",
        "self.rings = len(looking) + int(len(looking) > 0 and looking[0] is Aggregation.GCN)",
        "self.rings = len(looking)",
    ),
    Fault(
        "few-loops-never-flip", "search/strategies/few_graphs.py",
        "int(any(how is not Aggregation.GCN for how in looking))",
        "0",
    ),
    Fault(
        "few-sources-pay", "search/strategies/few_graphs.py",
        "            out[0] = FREE\n",
        "            out[1] = FREE\n",
    ),
    Fault(
        "few-sets-one-smaller", "search/strategies/few_graphs.py",
        "sizes = [(2, self.most)] if first_only",
        "sizes = [(2, self.most - 1)] if first_only",
    ),
    Fault(
        "few-doubts-hold", "search/strategies/few_kernels.py",
        "return HOLDS if best + off <= 0.0 else DOUBTFUL",
        "return HOLDS if best <= 0.0 else DOUBTFUL",
    ),
    Fault(
        "few-sets-without-the-last-pair", "search/strategies/few_kernels.py",
        "if size < most and behind < count:",
        "if size < most and behind < count - 1:",
    ),
    Fault(
        "few-what-is-dear-goes-with-all-behind", "search/strategies/few_kernels.py",
        "        if chosen[last] < count:\n            return\n",
        "        if chosen[last] < count and last == 0:\n            return\n",
    ),
    Fault(
        "few-other-label-s-singles", "search/strategies/few_graphs.py",
        "key = self.query.claim, self.query.threat.protected",
        "key = self.query.claim.node, self.query.threat.protected",
    ),
    Fault(
        "few-protected-pairs-flip", "search/strategies/few_graphs.py",
        "        if protected:\n",
        "        if False:\n",
    ),
    Fault(
        "few-promises-of-other-questions", "search/strategies/few_graphs.py",
        "desk.promise[: self._rivals.size]",
        "desk.promise",
    ),
    Fault(
        "few-near-of-the-last-node", "search/strategies/few_graphs.py",
        "return int(set_near(self._lender.lent, overlay.near, overlay.touched, node, FAR))",
        "return int(set_near(self._lender.lent, overlay.near.copy(), overlay.touched, node, FAR))",
    ),
)  # fmt: skip

# single flips of three layers and more: a class of insertions, a vertex each, is bounded at once
IN_ATTENTION = (
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

IN_DEEP = (
    Fault(
        "deep-vertex-is-not-raised", "search/deep/raised.py",
        'alpha[at], beta[at], kept[at] = (one[self.vertex] for one in (more.alpha, more.beta, more.kept))',
        'alpha[at] = more.alpha[self.vertex]',
    ),
    Fault(
        "deep-hearers-keep-what-they-heard", "search/deep/raised.py",
        '            pre[heard] += factor[:, None] * question.sent[w]\n',
        '            pre[heard] += 0.0 * factor[:, None] * question.sent[w]\n',
    ),
    Fault(
        "deep-partner-keeps-its-degree", "search/deep/insertions.py",
        'factor = held.beta[xs] if stand.directed else more.beta[xs]\n        heard',
        'factor = held.beta[xs]\n        heard',
    ),
    Fault(
        "deep-partner-hears-nothing", "search/deep/insertions.py",
        'more.kept[xs, None] * sent[xs] + more.beta[w] * sent[w]',
        'more.kept[xs, None] * sent[xs]',
    ),
    Fault(
        "deep-only-the-first-message", "search/deep/insertions.py",
        '            total += descent.heard.most(at, raised.scales[number].alpha[at] * sent)\n',
        '            total += 0.0 * descent.heard.most(at, raised.scales[number].alpha[at] * sent)\n',
    ),
    Fault(
        "deep-partner-is-heard-nowhere-else", "search/deep/insertions.py",
        'out[inside] += descent.passed.most_each(local[inside], change[inside])',
        'out[inside] += 0.0',
    ),
    Fault(
        "deep-degree-not-felt-below", "search/deep/insertions.py",
        'rows = self.degrees.message[local[some]]',
        'rows = 0.0 * self.degrees.message[local[some]]',
    ),
    Fault(
        "deep-degree-not-felt-above", "search/deep/insertions.py",
        'rows = self.degrees.step[self.second][xs[inside], None] * at_x[inside]',
        'rows = 0.0 * at_x[inside]',
    ),
    Fault(
        "deep-boxes-without-the-message", "search/deep/insertions.py",
        '            low[at] += down + other_down\n            high[at] += up + other_up\n',
        '            low[at] += down\n            high[at] += up\n',
    ),
    Fault(
        "deep-boxes-without-the-change", "search/deep/insertions.py",
        '            high[stand.target[k]] += raised.weight[number][k] * up\n',
        '            high[stand.target[k]] += 0.0\n',
    ),
    Fault(
        "deep-boxes-without-the-partner", "search/deep/insertions.py",
        '        low += least\n        high += most\n',
        '        low += 0.0 * least\n        high += 0.0 * most\n',
    ),
    Fault(
        "deep-slopes-of-the-wrong-end", "search/deep/intervals.py",
        '_quotient(pre + error, pre + high + error, slope)',
        '_quotient(pre + error, pre + low + error, slope)',
    ),
    Fault(
        "deep-radius-is-lost", "search/deep/intervals.py",
        'return Coefficients(self.middle @ weight, self.radius @ abs(weight))',
        'return Coefficients(self.middle @ weight, abs(self.radius @ weight))',
    ),
    Fault(
        "deep-slopes-of-the-point", "search/deep/intervals.py",
        'between = (large - slope * small) / apart',
        'between = np.where(abs(one) >= abs(other), 1.0 * (one > 0.0), 1.0 * (other > 0.0))',
    ),
    Fault(
        "deep-degrees-are-not-boxed", "search/deep/degrees.py",
        '        np.minimum.at(self.low, self.targets, change)\n',
        '        np.minimum.at(self.low, self.targets, 0.0 * change)\n',
    ),
    Fault(
        "deep-nobody-is-shaken", "search/deep/degrees.py",
        'out[y] = (total[some, None] * sent[some]).max(axis=0)',
        'out[y] = (total[some, None] * sent[some]).min(axis=0)',
    ),
    Fault(
        "deep-one-end-of-two", "search/deep/outskirts.py",
        'insertions.upper_ranges(raised, 2.0 * (down - shaken), 2.0 * (up + shaken))',
        'insertions.upper_ranges(raised, 0.0 * down, 0.0 * up)',
    ),
    Fault(
        "deep-survey-of-one-end", "search/deep/outskirts.py",
        'best = np.maximum(self.gains.max(axis=0), 0.0)',
        'best = np.minimum(self.gains.max(axis=0), 0.0)',
    ),
    Fault(
        "deep-survey-without-messages", "search/deep/outskirts.py",
        'own + alpha * (heard + messages.max(axis=0))',
        'own + alpha * heard',
    ),
    Fault(
        "deep-survey-of-the-wrong-side", "search/deep/outskirts.py",
        'gains[: rim.size] += most_between(held_there, rim, step * sent_high, step * sent_low)',
        'gains[: rim.size] -= most_between(held_there, rim, step * sent_high, step * sent_low)',
    ),
    Fault(
        "deep-bounds-too-near", "search/deep/search.py",
        '            fits &= near[xs] >= depth - 1\n',
        '            fits &= near[xs] >= depth - 2\n',
    ),
    Fault(
        "deep-far-pairs-are-forgotten", "search/deep/search.py",
        'for at in range(inner, outskirts.ends.size):',
        'for at in range(outskirts.ends.size, outskirts.ends.size):',
    ),
)  # fmt: skip

# where any pair of a whole graph may flip: values of the whole graph, exact passes, bounds that share the budget
IN_BUDGET = (
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
        "quotient-of-the-wrong-end",
        "search/budget/reach.py",
        "    return slope, (z + high - slope * z) / high\n",
        "    return slope, 0.5 * (slope + (z + high - slope * z) / high)\n",
    ),
    Fault(
        "charges-below-zero",
        "search/budget/charges.py",
        "comes, goes = max(factor * fall * down, 0.0), max(factor * rise * up, 0.0)",
        "comes, goes = factor * fall * down, factor * rise * up",
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
        "gain += g.more[w] + (g.more[x] if both else 0.0)",
        "gain += g.more[w]",
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
        "part = share(t, p, g, r, u, first, beta(t.first, heard + m), beta(t.first, max(heard - m, 0)))",
        "part = 0.0 * first",
    ),
    Fault(
        "pass-forgets-mended-neighbours",
        "search/budget/single_flips.py",
        "                total[r] += p.mend[k, r]\n",
        "                total[r] += 0.0 * p.mend[k, r]\n",
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
        "peak-takes-from-each-what-one-brings",
        "search/maxima/vertex.py",
        "            ups.append(up - down / a)\n",
        "            ups.append(up - down)\n",
    ),
    Fault(
        "peak-falls-to-the-second",
        "search/maxima/vertex.py",
        "fall = ordered[0] - (ordered[c] if c < len(xs) else 0.0)",
        "fall = ordered[0] - (ordered[1] if 1 < len(xs) else 0.0)",
    ),
    Fault(
        "one-neighbour-changes-a-flip",
        "search/maxima/bounds.py",
        "touched = min(self.k + self.m * (1 + self.both), self.count)",
        "touched = min(self.k + self.m, self.count)",
    ),
    Fault(
        "newcomers-do-not-share-what-they-spoil",
        "search/maxima/bounds.py",
        "newcomer(take, self.top, 1.0 / self.i)",
        "newcomer(take, self.top, 1.0)",
    ),
    Fault(
        "what-falls-is-not-heard",
        "search/maxima/gains.py",
        "    loss = np.where(is_top, np.maximum(-take, 0.0), 0.0)\n",
        "    loss = 0.0 * take\n",
    ),
    Fault(
        "gone-and-nobody-less",
        "search/maxima/bounds.py",
        "gone[at] += np.maximum(-take, 0.0)[self.whose == at] @ self.fall[self.whose == at]",
        "gone[at] += 0.0",
    ),
    Fault(
        "newcomer-does-not-hear-the-node",
        "search/maxima/vertex.py",
        "        out += np.maximum(value - peak, 0.0) @ whole.weight[column]\n",
        "        out += 0.0\n",
    ),
    Fault(
        "chord-of-the-flat-side",
        "search/maxima/gains.py",
        "return np.maximum(np.minimum(before, after) - steps, 0.0), np.minimum(np.maximum(before, after) + steps, 1.0)",
        "return np.maximum(np.minimum(before, after) - steps, 0.0), np.maximum(np.minimum(before, after) - steps, 0.0)",
    ),
    Fault(
        "deleted-at-a-newcomer-unheard",
        "search/maxima/bounds.py",
        "return z - scale * (whole.fall[a] + times * drop), z + scale * (whole.rise[a] + times * lift)",
        "return z - scale * whole.fall[a], z + scale * whole.rise[a]",
    ),
    Fault(
        "taken-back-but-for-degrees",
        "search/budget/stand.py",
        "            s.heard[s.arcs[1, e]] += -1 if s.arcs[2, e] else 1\n",
        "            s.heard[s.arcs[1, e]] += 0\n",
    ),
)

IN_CHECKER = (
    # who can matter, and what flips cost
    Fault(
        "checker-root-free-flip", "proof/region.py",
        "limit=len(pairs) if budget is None else min(budget, len(pairs)),",
        "limit=len(pairs) if budget is None else min(max(budget - 1, 0), len(pairs)),",
    ),
    Fault(
        "checker-far-pairs-forgotten", "proof/region.py",
        "rings[max(insertions - 1, 0)].items() if steps < depth}",
        "rings[max(insertions - 1, 0)].items() if steps < depth - 1}",
    ),
    Fault(
        "checker-undirected-half-paid", "proof/tree.py",
        "if region.both_pay and u != v else (v,)",
        "if False else (v,)",
    ),
    # the tree: what a node may be, and who is below it
    Fault("checker-decided-twice", "proof/tree.py", "        if decided[pair]:\n", "        if False:\n"),
    Fault(
        "checker-flipped-child-omitted", "proof/tree.py",
        "allowed = left > 0 and",
        "allowed = left > 1 and",
    ),
    Fault("checker-bytes-behind-the-end", "proof/tree.py", "    reader.finish()\n", ""),
    Fault(
        "checker-spent-unchecked", "proof/walk.py",
        "if kind == SPENT and movable.size:",
        "if kind == SPENT and movable.size > 99:",
    ),
    Fault(
        "checker-settled-unchecked", "proof/walk.py",
        "near = distances(self.setting, batch)[0] < self.setting.chain.depth",
        "near = distances(self.setting, batch)[0] < 0",
    ),
    Fault(
        "checker-enumerates-singles-only", "proof/walk.py",
        "flips = one.left if kind == ENUMERATED else 0",
        "flips = min(one.left, 1) if kind == ENUMERATED else 0",
    ),
    Fault(
        "checker-one-rival-is-enough", "proof/walk.py",
        "if self.rivals <= one.shown.excluded:",
        "if self.rivals & one.shown.excluded:",
    ),
    Fault(
        "checker-tightened-boxes-for-siblings", "proof/walk.py",
        "decided[node.pair] = 2 if flip else 1\n            spare = one.spare",
        "decided[node.pair] = 1\n            spare = one.spare",
    ),
    # boxes
    Fault(
        "checker-sum-one-gain-less", "proof/boxes.py",
        "np.arange(slots) < cap[..., None]",
        "np.arange(slots) < cap[..., None] - 1",
    ),
    Fault(
        "checker-mean-denominator", "proof/boxes.py",
        "            divisor = np.maximum(count, 1)\n",
        "            divisor = np.maximum(present[..., None], 1)\n",
    ),
    Fault(
        "checker-max-kept-one-better", "proof/boxes.py",
        "at = np.minimum(cap, ",
        "at = np.minimum(np.maximum(cap - 1, 0), ",
    ),
    Fault(
        "checker-crowd-never-leaves", "proof/boxes.py",
        "(goes > cap[:, None])",
        "(goes >= cap[:, None])",
    ),
    Fault(
        "checker-crowds-not-told-apart", "proof/boxes.py",
        " | (names[1:] != names[:-1])",
        "",
    ),
    # lines
    Fault(
        "checker-chord-constant", "proof/lines.py",
        "np.maximum(k * low - chord * low, high - chord * high), 0.0)",
        "0.0 * low, 0.0)",
    ),
    Fault(
        "checker-sum-gain-sign", "proof/lines.py",
        "gains = np.where(there, -low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _narrows",
        "gains = np.where(there, low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _narrows",
    ),
    Fault(
        "checker-inner-pass-spends-less", "proof/lines.py",
        "line, np.where(apart, 1, 0))",
        "line, np.where(apart, 2, 1))",
    ),
    Fault(
        "checker-inner-pass-own-pair-forgotten", "proof/lines.py",
        "line, np.where(apart, 1, 0))",
        "line, 1)",
    ),
    Fault(
        "checker-inner-pass-without-chord", "proof/lines.py",
        "total = line.const + const[some]",
        "total = line.const + 0.0 * const[some]",
    ),
    Fault(
        "checker-narrowed-second-forgotten", "proof/lines.py",
        "(terms[0] - terms[1] + terms[2])",
        "(terms[0] - terms[1])",
    ),
    Fault(
        "checker-narrowed-floor-forgotten", "proof/lines.py",
        "(terms[0] - terms[1] + terms[2])",
        "(terms[2] - terms[1])",
    ),
    Fault(
        "checker-narrowed-end-swapped", "proof/lines.py",
        "a[some] if end is high else -a[some]",
        "a[some]",
    ),
    Fault(
        "checker-mean-surplus", "proof/means.py",
        "    surplus = np.where(most == present, np.maximum(surplus, -middle / k), surplus)\n",
        "",
    ),
    Fault(
        "checker-mixed-denominator", "proof/means.py",
        "least_left = np.maximum(present - np.minimum(cap, deletable), 1)[:, None]",
        "least_left = np.maximum(present, 1)[:, None]",
    ),
    Fault(
        "checker-star-loss", "proof/stars.py",
        "np.maximum(reach - self.floor, 0.0), 0.0)",
        "0.0 * reach, 0.0)",
    ),
    Fault(
        "checker-insertion-gain", "proof/stars.py",
        "rises = np.maximum(self.high - self.floor[:, None], 0.0)[node]",
        "rises = np.maximum(self.low - self.floor[:, None], 0.0)[node]",
    ),
    # budgets, and what is left in doubt
    Fault(
        "checker-spends-one-less", "proof/spend.py",
        "(np.arange(most) < left[:, None])",
        "(np.arange(most) < left[:, None] - 1)",
    ),
    Fault(
        "checker-local-budget-doubled", "proof/spend.py",
        "room[rows, payer[best]] -= gain > 0.0",
        "room[rows, payer[best]] -= 2 * (gain > 0.0)",
    ),
    Fault(
        "checker-doubts-too-little", "proof/walk.py",
        "return movable[~(above <= 0.0).all(axis=0)]",
        "return movable[~(above <= 0.0).any(axis=0)]",
    ),
    Fault(
        "checker-trusts-floats", "proof/walk.py",
        "doubtful = ~(found + self.enclosure.error <= 0.0).all(axis=1)",
        "doubtful = ~(found <= 1e-9).all(axis=1)",
    ),
    # what is proved at which node
    Fault(
        "checker-lines-prove-what-nobody-asked", "proof/bounds.py",
        "= [{} for _ in asked]",
        "= [dict.fromkeys(range(len(self.setting.query.rivals)), -1.0) for _ in asked]",
    ),
    Fault(
        "checker-lines-of-one-node-for-all", "proof/walk.py",
        "shown = [known | more for known, more in zip(shown, by_lines, strict=True)]",
        "shown = [known | by_lines[0] for known in shown]",
    ),
    Fault(
        "checker-boxes-of-one-node-for-all", "proof/walk.py",
        "zip(some, bounds.shown_by_boxes(), strict=True)",
        "zip(some, bounds.shown_by_boxes()[:1] * len(some), strict=True)",
    ),
    Fault(
        "checker-keeps-boxes-of-the-first", "proof/walk.py",
        "boxes=_take(bounds.boxes, k)",
        "boxes=_take(bounds.boxes, 0)",
    ),
    Fault(
        "checker-inherits-for-the-first", "proof/walk.py",
        "low[k], high[k] = one.boxes[t - 1]",
        "low[0], high[0] = one.boxes[t - 1]",
    ),
    Fault("checker-lines-nearly", "proof/bounds.py", "if bound <= 0.0)", "if bound <= 0.01)"),
    Fault(
        "checker-nearly-is-enough", "proof/walk.py",
        "if self.rivals <= one.shown.excluded:",
        "if self.rivals <= one.shown.nearly:",
    ),
    Fault("checker-doubt-undecided", "proof/walk.py", "        self._evaluate_all(one, movable, one.left)\n", ""),
    Fault(
        "checker-doubt-one-flip-less", "proof/walk.py",
        "self._evaluate_all(one, movable, one.left)",
        "self._evaluate_all(one, movable, one.left - 1)",
    ),
    Fault("checker-rooms-of-doubt", "proof/bounds.py", "ROUNDED = 4.0", "ROUNDED = 0.0"),
    # leaves that nobody looks at
    Fault(
        "checker-box-unseen", "proof/walk.py",
        "                self._close_by_bounds(one)\n",
        "                if kind == LINE:\n                    self._close_by_bounds(one)\n",
    ),
    Fault(
        "checker-line-unseen", "proof/walk.py",
        "                self._close_by_bounds(one)\n",
        "                if kind == BOX:\n                    self._close_by_bounds(one)\n",
    ),
    Fault(
        "checker-spent-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != SPENT:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-settled-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != SETTLED:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-enumerated-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != ENUMERATED:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-one-child-is-enough", "proof/walk.py",
        "stack += self._children(one)",
        "stack += list(self._children(one))[:1]",
    ),
    Fault(
        "checker-settled-at-one-end", "proof/walk.py",
        "return bool(near[ends[:, 1]].any() or (self.region.both_pay and near[ends[:, 0]].any()))",
        "return bool(near[ends[:, 1]].any())",
    ),
    Fault(
        "checker-enumerates-three", "proof/walk.py",
        "MOST_FLIPS_ENUMERATED = 2",
        "MOST_FLIPS_ENUMERATED = 3",
    ),
    Fault(
        "checker-local-budget-to-spare", "proof/walk.py",
        "(spent <= one.spare)",
        "(spent < one.spare)",
    ),
    Fault(
        "checker-counts-for-hours", "proof/walk.py",
        "            if graphs > MOST_GRAPHS:\n                break\n",
        "",
    ),
    # marks
    Fault("checker-never-tightens", "proof/tree.py", "bool(mark & TIGHTEN)\n", "False\n"),
    Fault("checker-no-first-lines", "proof/tree.py", "plain, last = bool(mark & LINES),", "plain, last = False,"),
    Fault("checker-no-second-lines", "proof/tree.py", "bool(mark & LINES_AGAIN) or kind == LINE", "kind == LINE"),
    Fault("checker-flipped-always-first", "proof/tree.py", "        if mark & KEPT_FIRST:\n", "        if False:\n"),
    Fault(
        "checker-any-bit-at-a-leaf", "proof/format.py",
        "or (found & ~KIND_BITS) & ~FLAGS[kind]:",
        "or found > 127:",
    ),
    # budgets of the walk and of the tree
    Fault("checker-flips-are-free", "proof/walk.py", "left=one.left - flip,", "left=one.left,"),
    Fault("checker-flips-cost-two", "proof/walk.py", "left=one.left - flip,", "left=one.left - 2 * flip,"),
    Fault(
        "checker-free-at-a-vertex", "proof/walk.py",
        "spare[w] -= 1\n            yield",
        "spare[w] -= 0\n            yield",
    ),
    Fault(
        "checker-two-at-a-vertex", "proof/walk.py",
        "spare[w] -= 1\n            yield",
        "spare[w] -= 2\n            yield",
    ),
    Fault("checker-tree-pays-twice", "proof/tree.py", "        left -= units\n", "        left -= 2 * units\n"),
    Fault("checker-tree-pays-twice-at-a-vertex", "proof/tree.py", "spare[w] -= units", "spare[w] -= 2 * units"),
    Fault(
        "checker-one-end-can-pay", "proof/tree.py",
        "all(spare[w] > 0 for w in payers(region, pair))",
        "any(spare[w] > 0 for w in payers(region, pair))",
    ),
    Fault("checker-children-swapped", "proof/tree.py", "marks[at][3 if flip else 2]", "marks[at][2 if flip else 3]"),
    Fault(
        "checker-decisions-stay", "proof/tree.py",
        "            decided[pair] = False\n",
        "            decided[pair] = True\n",
    ),
    Fault("checker-fewer-nodes", "proof/tree.py", "    if len(marks) != expected:\n", "    if False:\n"),
    # who can matter
    Fault(
        "checker-sources-beyond", "proof/region.py",
        "return {v: min(far, found.get(v, far)) for v, far in before.items()}",
        "return before",
    ),
    Fault(
        "checker-listed-one-way", "model/threat.py",
        "                sources.setdefault(u, []).append(v)\n",
        "                pass\n",
    ),
    Fault("checker-protected-flips", "proof/region.py", "        if self.protected:\n", "        if False:\n"),
    Fault(
        "checker-insertions-one-less", "proof/region.py",
        "insertions = depth if budget is None else min(budget, depth)",
        "insertions = max(depth - 1, 0) if budget is None else min(budget, depth)",
    ),
    # rounding
    Fault(
        "checker-evaluates-without-error", "proof/enclose.py",
        "= 2.0 * (rows @ error[0]",
        "= 0.0 * (rows @ error[0]",
    ),
    Fault("checker-boxes-without-slack", "proof/enclose.py", "slack = size * self.unit + TINY", "slack = 0.0 * size"),
    # the file
    Fault(
        "checker-digest-unread", "proof/format.py",
        "    if hashlib.sha256(content).digest() != digest:\n",
        "    if False:\n",
    ),
    Fault("checker-fields-twice", "proof/format.py", "    if len(found) != len(fields):\n", "    if False:\n"),
    Fault("checker-control-characters", "proof/format.py", "32 <= byte < 127", "byte < 127"),
    Fault("checker-fractions", "proof/format.py", "parse_float=_fraction, ", ""),
    Fault(
        "checker-any-network", "proof/statement.py",
        'in (("network", network), ("graph", graph)):',
        'in (("graph", graph),):',
    ),
    Fault(
        "checker-any-graph", "proof/statement.py",
        'in (("network", network), ("graph", graph)):',
        'in (("network", network),):',
    ),
    Fault(
        "checker-any-query", "proof/statement.py",
        '    if header["query"] != query_hash(header):\n',
        "    if False:\n",
    ),
    Fault(
        "checker-any-semantics", "proof/statement.py",
        '    if header["semantics"] != SEMANTICS:\n',
        "    if False:\n",
    ),
    Fault("checker-any-field", "proof/statement.py", "or set(found) != expected:", "or not set(found) >= expected:"),
    # attacks
    Fault(
        "checker-attack-over-budget", "proof/check.py",
        "len(attack) > threat.budget:",
        "len(attack) > threat.budget + 1:",
    ),
    Fault("checker-attack-over-local-budget", "proof/check.py", "cost > limit:", "cost > limit + 1:"),
    Fault("checker-attack-twice", "proof/check.py", "    if len(set(attack)) != len(attack):\n", "    if False:\n"),
    Fault(
        "checker-attack-not-fragile", "proof/check.py",
        "        if not threat.admits(",
        "        if False and not threat.admits(",
    ),
    Fault("checker-attack-ties", "proof/check.py", "if not scores[rival] > scores", "if not scores[rival] >= scores"),
    Fault("checker-attack-by-anybody", "proof/check.py", "or rival not in query.rivals:", "or rival < 0:"),
    Fault(
        "checker-small-values-are-exact", "proof/enclose.py",
        "magnitude = np.maximum(np.maximum(abs(below[0]), abs(below[1]))[0], NORMAL)",
        "magnitude = np.maximum(abs(below[0]), abs(below[1]))[0]",
    ),
    Fault(
        "checker-small-features-are-exact", "proof/enclose.py",
        "[np.maximum(abs(setting.features), NORMAL)]",
        "[abs(setting.features)]",
    ),
)  # fmt: skip
