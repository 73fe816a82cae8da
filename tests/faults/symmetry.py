"""Faults in symmetries and what they leave out."""

from __future__ import annotations

from .fault import Fault

SYMMETRY = (
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
        "twins-by-kind", "search/symmetry/automorphisms.py",
        "            if _are_alike(table, int(u), v):\n                first[v] = u\n",
        "            if kinds[u] == kinds[v]:\n                first[v] = u\n",
    ),
)  # fmt: skip
