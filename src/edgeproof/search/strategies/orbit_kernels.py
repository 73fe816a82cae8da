"""Kernels that enumerate sets of flips, one of each kind (orbits.py).

Theory: "Enumeration by orbits".
"""

from __future__ import annotations

import numpy as np

from ..forward.claim import grounding_may_break
from ..jit.decorators import entry, leaf
from ..state.budget import affordable
from ..state.state import (
    CANDIDATES,
    ENUMERATION_LEVEL,
    ENUMERATION_PENDING,
    ENUMERATION_SINGLE,
    FRESH,
    LIMIT,
    NODES,
    STOP,
    USED,
    WORK,
)  # fmt: skip
from ..state.trail import mark_level, undo_level
from ..symmetry.orbital_fixing import assign_roles, fix_role, role_of
from ..tree.enumerate import DONE, FOUND, INTERRUPTED, breaks_by

# of `stamp`: the number of the last level entered, which `seen[role]` holds for roles that were met there
CURRENT = 0
# pairs whose roles are told in the time of one unit of work
ROLES_A_UNIT = 100


@leaf
def enter(p, s, x, stamp, level):
    """Begin with the flips of one level. At the last level roles are assigned once, since no pair is kept there."""
    s.tally[ENUMERATION_LEVEL] = level
    s.enumeration_cursor[level] = 0
    mark_level(s, level)
    s.tally[NODES] += 1
    s.tally[WORK] += 1 + p.pair_u.size // ROLES_A_UNIT
    if s.tally[LIMIT] - s.tally[USED] == 1:
        s.tally[ENUMERATION_SINGLE] = level
        stamp[CURRENT] += 1
        assign_roles(p, s, x)


@leaf
def find_next(p, s, x, seen, stamp, pair, single):
    """The next pair that may be flipped, from `pair` on; at the last level (`single`), one whose role was not met there
    before. The number of pairs if there is none.
    """
    while pair < p.pair_u.size:
        if s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair):
            if not single:
                break
            role = role_of(p, x, pair)
            if seen[role] != stamp[CURRENT]:
                seen[role] = stamp[CURRENT]
                break
        pair += 1
    return pair


@leaf
def fix_behind(p, s, x, level):
    """All sets with the flip of this level were looked at: from here on, all pairs of its role are kept."""
    undo_level(p, s, level)
    if s.tally[ENUMERATION_SINGLE] == level:
        s.enumeration_cursor[level] += 1
    else:
        fix_role(p, s, x, s.enumeration_cursor[level])
        mark_level(s, level)
        s.tally[WORK] += p.pair_u.size // ROLES_A_UNIT


@entry
def enumerate_orbits(p, s, x, options, excluded, seen, stamp, quota, node_limit):
    """Go on with the enumeration; FOUND leaves a candidate on the trail, and the next call takes it from there.

    As elsewhere the budget may shrink in between: what was left behind was looked at for more.
    """
    tally = s.tally
    stop = tally[WORK] + quota
    if tally[FRESH]:
        tally[FRESH] = 0
        tally[ENUMERATION_PENDING] = 0
        tally[ENUMERATION_SINGLE] = -1
        enter(p, s, x, stamp, np.int64(0))
        if grounding_may_break(p, s, excluded):
            tally[CANDIDATES] += 1
            return FOUND
    while True:
        level = tally[ENUMERATION_LEVEL]
        if not tally[ENUMERATION_PENDING]:
            single = tally[ENUMERATION_SINGLE] == level
            pair = find_next(p, s, x, seen, stamp, s.enumeration_cursor[level], single)
            if pair >= p.pair_u.size or tally[USED] >= tally[LIMIT]:
                if level == 0:
                    return DONE
                tally[ENUMERATION_LEVEL] = level - 1
                fix_behind(p, s, x, level - 1)
                continue
            s.enumeration_cursor[level] = pair
            if breaks_by(p, s, options, excluded, pair):
                return FOUND
        tally[ENUMERATION_PENDING] = 0
        if tally[USED] < tally[LIMIT]:
            enter(p, s, x, stamp, level + 1)
        else:
            fix_behind(p, s, x, level)
        if tally[WORK] >= stop or tally[STOP] or tally[NODES] >= node_limit:
            return INTERRUPTED
