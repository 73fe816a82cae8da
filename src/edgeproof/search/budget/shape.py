"""The bound of one shape of attack for one rival: what the best attack of this shape can make of the margin.

A shape is (i, k, joins, cuts): insertions and deletions at the node, insertions and deletions elsewhere.

Theory: "Boxes of a shape", "Sharing the budget".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry, kernel
from .charges import charge_degrees, clear_charges, largest_charges
from .layout import BOUNDS, NEVER_WORTH, STOP
from .neighbours import fill_psi
from .newcomers import fill_gone, fill_newcomers, refine_newcomers, share_lines
from .reach import reach_all
from .share import best_attack, best_sums, join_newcomers, spend_at_neighbours, total_newcomers
from .single_flips import forget, survey, weigh_node


@kernel
def take_envelopes(t, g, lost):
    """Of the largest messages, those where senders have lost so many in-neighbours."""
    for c in range(g.B + 1):
        for j in range(t.H):
            g.rise[c, j], g.fall[c, j] = g.rises[lost, c, j], g.falls[lost, c, j]


@kernel
def bound_one(t, s, p, g, near, second, r, i, k, joins, cuts, floor):
    """The bound for one rival; fills total (i > 0) or worth (i + k == 0) where it is above `floor`."""
    m = joins + cuts
    charge_degrees(t, s, p, g, near, r, i, k, joins, cuts)
    elsewhere = largest_charges(t, s, p, g, near, second, joins, cuts)
    top_charge = max(g.out[0], g.out[2])
    start = p.sums[0, r]
    for at in range(near):
        start += g.term[at]
        for one in range(m + 1):
            for other in range(m + 1):
                g.psi[at, one, other] = NEVER_WORTH
        if m > 0:
            fill_psi(t, s, p, g, near, np.int64(at), r, i, k, joins, cuts, np.int64(0))
    share_lines(t, p, g, near, r)
    fill_gone(t, s, p, g, near, r, i, k, m)
    if i > 0:
        fill_newcomers(t, s, p, g, near, r, i, k, joins, cuts, top_charge)
        best_sums(t, g, i, m)
    join_newcomers(g, i, m)
    spend_at_neighbours(t, s, p, g, near, k, m, elsewhere, np.int64(-1))
    bound = best_attack(t, g, i, k, m)
    bound = start + bound if bound > NEVER_WORTH else NEVER_WORTH
    if bound > floor and i > 0:
        total_newcomers(t, g, i, k, m, start)
        if m > 0 and refine_newcomers(t, s, p, g, near, r, i, k, joins, cuts, top_charge, floor) > 0:
            best_sums(t, g, i, m)
            join_newcomers(g, i, m)
            bound = best_attack(t, g, i, k, m)
            bound = start + bound if bound > NEVER_WORTH else NEVER_WORTH
            total_newcomers(t, g, i, k, m, start)
    if bound > floor and i + k == 0:
        for at in range(near):
            spend_at_neighbours(t, s, p, g, near, k, m, elsewhere, np.int64(at))
            g.out[4] = start
            fill_psi(t, s, p, g, near, np.int64(at), r, i, k, joins, cuts, np.int64(1))
    g.out[5] = start + m * elsewhere
    clear_charges(t, s, p, g, near, second)
    return bound


@entry
def bound_shape(t, s, p, g, i, k, joins, cuts, lost, floor, rivals, bounds, totals):
    """bounds[r] of the rivals that `rivals` marks; what is above `floor` stays open, and then `totals` (n,) says what
    an attack with a newcomer reaches for any rival, and g.worth the same for flips of in-neighbours. Returns what
    flips that change degrees only can reach. Senders have lost `lost` in-neighbours at most, and `rank_vertices` was
    told so.
    """
    s.tally[BOUNDS] += 1
    near, second = survey(t, s, p)
    take_envelopes(t, g, lost)
    reach_all(t, s, p, g, near, i, k, joins, cuts)
    weigh_node(t, s, p, s.heard[t.node] + i - k, g.z[near])
    for u in range(t.n):
        totals[u] = NEVER_WORTH
    for at in range(near):
        for u in range(t.n):
            g.worth[at, u] = NEVER_WORTH
    pure = NEVER_WORTH
    g.second[0] = second
    for r in range(t.R):
        if rivals[r] == 0 or s.tally[STOP]:
            continue
        bounds[r] = bound_one(t, s, p, g, near, second, np.int64(r), i, k, joins, cuts, floor)
        pure = max(pure, g.out[5])
        if bounds[r] > floor and i > 0:
            for u in range(t.n):
                totals[u] = max(totals[u], g.total[u])
    forget(t, s, p, near, second)
    return pure
