"""Faults in the same where a layer takes a max."""

from __future__ import annotations

from .fault import Fault

MAXIMA = (
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
)  # fmt: skip
