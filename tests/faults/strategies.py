"""Faults in ways to settle a question other than the tree."""

from __future__ import annotations

from .fault import Fault

STRATEGIES = (
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
    # twins, components and orbits
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
