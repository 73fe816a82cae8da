"""The program that shares the budget: so many newcomers with flips of their own, deletions, flips at in-neighbours.

A flip elsewhere is two halves: one between two in-neighbours gives a half to each of them, any other gives both to one
end. Newcomers take whole flips; one between two newcomers serves both, and one between a newcomer and an in-neighbour
serves the latter as a whole one too.

Theory: "Sharing the budget".
"""

from __future__ import annotations

from ..jit.decorators import kernel
from .layout import DELETE, NEVER_WORTH
from .stand import kind_of


@kernel
def best_sums(t, g, i, m):
    """best[s, o, c]: the sum of the c largest values with these flips; NEVER_WORTH where there are not so many."""
    for one in range(m + 1):
        for other in range(m + 1 - one):
            best, row = g.best[one, other], g.value[one, other]
            for c in range(i + 1):
                best[c] = NEVER_WORTH
            for u in range(t.n):
                value = row[u]
                if value > best[i]:
                    for rank in range(1, i + 1):
                        if value > best[rank]:
                            for back in range(i, rank, -1):
                                best[back] = best[back - 1]
                            best[rank] = value
                            break
            best[0] = 0.0
            for c in range(1, i + 1):
                best[c] = best[c - 1] + best[c] if best[c] > NEVER_WORTH and best[c - 1] > NEVER_WORTH else NEVER_WORTH


@kernel
def join_newcomers(g, i, m):
    """join[c, s, o]: the most that c newcomers add with s and o flips in all."""
    join = g.join
    for c in range(i + 1):
        for one in range(2 * m + 1):
            for other in range(m + 1):
                join[c, one, other] = NEVER_WORTH
    join[0, 0, 0] = 0.0
    for s_each in range(m + 1):
        for o_each in range(m + 1 - s_each):
            for c in range(i, 0, -1):
                for one in range(2 * m, -1, -1):
                    for other in range(m, -1, -1):
                        found = join[c, one, other]
                        for taken in range(1, c + 1):
                            left, beside = one - taken * s_each, other - taken * o_each
                            if left < 0 or beside < 0:
                                break
                            value = g.best[s_each, o_each, taken]
                            if value > NEVER_WORTH and join[c - taken, left, beside] > NEVER_WORTH:
                                found = max(found, value + join[c - taken, left, beside])
                        join[c, one, other] = found


@kernel
def spend_at_neighbours(t, s, p, g, near, k, m, elsewhere, without):
    """spend[d, h]: the most that d deletions at the node and h half flips add, over in-neighbours but `without`."""
    halves, now, after = 2 * m, g.spend, g.spend_next
    for d in range(k + 1):
        for h in range(halves + 1):
            now[d, h] = (h // 2) * elsewhere if d == 0 else NEVER_WORTH
    for at in range(near):
        if at == without:
            continue
        may_go = k > 0 and kind_of(t, s, p.near[at], t.node) == DELETE
        for d in range(k + 1):
            for h in range(halves + 1):
                found = now[d, h]
                if may_go and d > 0 and now[d - 1, h] > NEVER_WORTH:
                    found = max(found, now[d - 1, h] + g.gone[at])
                for one in range(h // 2 + 1):
                    for other in range(min(h - 2 * one, m - one) + 1):
                        gain = g.psi[at, one, other]
                        if gain > NEVER_WORTH and one + other > 0 and now[d, h - 2 * one - other] > NEVER_WORTH:
                            found = max(found, now[d, h - 2 * one - other] + gain)
                after[d, h] = found
        for d in range(k + 1):
            for h in range(halves + 1):
                now[d, h] = after[d, h]


@kernel
def flips_for(own, newcomers, directed):
    """How many flips give newcomers so many of their own: one between two of them counts for both."""
    shared = 0 if directed else newcomers * (newcomers - 1) // 2
    for flips in range(own + 1):
        if flips + min(flips, shared) >= own:
            return flips
    return own


@kernel
def best_attack(t, g, i, k, m):
    """The most that a shape adds."""
    best = NEVER_WORTH
    for one in range(m * 2 + 1):
        flips = flips_for(one, i, t.directed)
        if flips > m:
            break
        for other in range(m - flips + 1):
            joined, spent = g.join[i, one, other], g.spend[k, 2 * (m - flips)]
            if joined > NEVER_WORTH and spent > NEVER_WORTH:
                best = max(best, joined + spent)
    return best


@kernel
def total_newcomers(t, g, i, k, m, start):
    """total[u]: the most that an attack of this shape reaches with u among its newcomers; busy[u]: with own flips."""
    for own in range(m + 1):
        for beside in range(m + 1 - own):
            best = NEVER_WORTH
            for one in range(m * 2 + 1):
                flips = flips_for(one + own, i, t.directed)
                if flips > m:
                    break
                for other in range(m - flips - beside + 1):
                    joined, spent = g.join[i - 1, one, other], g.spend[k, 2 * (m - flips)]
                    if joined > NEVER_WORTH and spent > NEVER_WORTH:
                        best = max(best, joined + spent)
            g.rest[own, beside] = best
    for u in range(t.n):
        alone, busy = NEVER_WORTH, NEVER_WORTH
        for own in range(m + 1):
            for beside in range(m + 1 - own):
                if g.value[own, beside, u] > NEVER_WORTH and g.rest[own, beside] > NEVER_WORTH:
                    reached = start + g.value[own, beside, u] + g.rest[own, beside]
                    if own + beside == 0:
                        alone = reached
                    else:
                        busy = max(busy, reached)
        g.busy[u] = busy
        g.total[u] = max(alone, busy)
