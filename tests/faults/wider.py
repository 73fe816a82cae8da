"""Faults in threats beyond flips of equal cost; these compile nothing."""

from __future__ import annotations

from .fault import Fault

WIDER = (
    Fault(
        "dear-pairs-are-cheap",
        "wider/world.py",
        "max(budget - self.cost(flipped), 0) // unit",
        "max(budget - self.cost(flipped), 0) // (unit + 1)",
    ),
    Fault(
        "new-vertices-without-limit",
        "wider/world.py",
        "            for w in self.new_ends((u, v)):\n                spent[w] += 1\n",
        "",
    ),
    Fault(
        "one-copy-of-each-row",
        "wider/world.py",
        "for row in kinds for _ in range(inject.count))",
        "for row in kinds for _ in range(1))",
    ),
    Fault(
        "lonely-vertices-count",
        "wider/relax.py",
        "                return list(self._first_edges(lonely[0]))\n",
        "                return []\n",
    ),
    Fault(
        "cheapest-by-flips",
        "wider/relax.py",
        "if node.world.cost(node.flipped.union(found.attack)) > least:",
        "if False:",
    ),
    Fault(
        "chord-below",
        "wider/linear.py",
        "above = np.where(open_ones, high - chord * high, 0.0)",
        "above = np.where(open_ones, 0.0 * high, 0.0)",
    ),
    Fault(
        "wrong-piece",
        "wider/linear.py",
        "np.where(rising, slope * chord, slope * piece), const",
        "np.where(rising, slope * piece, slope * chord), const",
    ),
    Fault(
        "others-count-one-less",
        "wider/feature_flips.py",
        "others = top.sum(axis=1) - top.min(axis=1) if top.shape[1] == budget else top.sum(axis=1)",
        "others = top.sum(axis=1) - top.max(axis=1) if top.shape[1] == budget else top.sum(axis=1)",
    ),
    Fault(
        "split-looks-at-nothing",
        "wider/feature_flips.py",
        "        return self._look(z[None], [flipped])\n",
        "        return None\n",
    ),
    Fault(
        "own-features-only",
        "wider/feature_flips.py",
        "which = np.flatnonzero(mine | (weight != 0.0))",
        "which = np.flatnonzero(mine)",
    ),
    Fault(
        "shared-budget-is-not",
        "wider/joint.py",
        "broken = any(self._try(cost, cap - cost) for cost in range(edges + 1))",
        "broken = any(self._try(cost, cap - edges) for cost in range(edges + 1))",
    ),
)
