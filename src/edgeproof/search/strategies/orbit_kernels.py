"""Kernels that enumerate sets of flips, one of each kind (orbits.py)."""

from __future__ import annotations

import numpy as np

from ..forward.claim import grounding_may_break
from ..jit.decorators import entry, leaf
from ..state.budget import affordable
from ..state.state import (
    BOX_MARK,
    CANDIDATES,
    FRESH,
    LIMIT,
    NODES,
    STOP,
    SWEEP_LEVEL,
    SWEEP_PENDING,
    SWEEP_SINGLE,
    USED,
    WORK,
)  # fmt: skip
from ..state.trail import undo
from ..symmetry.orbital_fixing import leave_out_alike, note_roles, role_of
from ..tree.enumerate import DONE, FOUND, INTERRUPTED, breaks_by, note_marks

# pairs whose roles are told in the time of one unit of work
ROLES = 100


@leaf
def enter(p, s, x, stamp, level):
    """Begin with the flips of one level; of the last, roles are told once, since nothing is left out there."""
    s.tally[SWEEP_LEVEL] = level
    s.sweep_cursor[level] = 0
    note_marks(s, level)
    s.tally[NODES] += 1
    s.tally[WORK] += 1 + p.pair_u.size // ROLES
    if s.tally[LIMIT] - s.tally[USED] == 1:
        s.tally[SWEEP_SINGLE] = level
        stamp[0] += 1
        note_roles(p, s, x)


@leaf
def find_next(p, s, x, seen, stamp, pair, single):
    """The next pair that may be flipped, at the last level with a role that was not seen; or as many as there are."""
    while pair < p.pair_u.size:
        if s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair):
            if not single:
                break
            role = role_of(p, x, pair)
            if seen[role] != stamp[0]:
                seen[role] = stamp[0]
                break
        pair += 1
    return pair


@leaf
def leave_behind(p, s, x, level):
    """All sets with the flip of this level were looked at: it is left out from here on."""
    undo(p, s, s.sweep_marks[level, 0], s.sweep_marks[level, 1], s.tally[BOX_MARK])
    if s.tally[SWEEP_SINGLE] == level:
        s.sweep_cursor[level] += 1
    else:
        leave_out_alike(p, s, x, s.sweep_cursor[level])
        note_marks(s, level)
        s.tally[WORK] += p.pair_u.size // ROLES


@entry
def sweep_orbits(p, s, x, options, excluded, seen, stamp, quota, node_limit):
    """Go on with the enumeration; FOUND leaves a candidate on the trail, and the next call takes it from there.

    As elsewhere the budget may shrink in between: what was left behind was looked at for more.
    """
    tally = s.tally
    stop = tally[WORK] + quota
    if tally[FRESH]:
        tally[FRESH] = 0
        tally[SWEEP_PENDING] = 0
        tally[SWEEP_SINGLE] = -1
        enter(p, s, x, stamp, np.int64(0))
        if grounding_may_break(p, s, excluded):
            tally[CANDIDATES] += 1
            return FOUND
    while True:
        level = tally[SWEEP_LEVEL]
        if not tally[SWEEP_PENDING]:
            single = tally[SWEEP_SINGLE] == level
            pair = find_next(p, s, x, seen, stamp, s.sweep_cursor[level], single)
            if pair >= p.pair_u.size or tally[USED] >= tally[LIMIT]:
                if level == 0:
                    return DONE
                tally[SWEEP_LEVEL] = level - 1
                leave_behind(p, s, x, level - 1)
                continue
            s.sweep_cursor[level] = pair
            if breaks_by(p, s, options, excluded, pair):
                return FOUND
        tally[SWEEP_PENDING] = 0
        if tally[USED] < tally[LIMIT]:
            enter(p, s, x, stamp, level + 1)
        else:
            leave_behind(p, s, x, level)
        if tally[WORK] >= stop or tally[STOP] or tally[NODES] >= node_limit:
            return INTERRUPTED
