"""A max over 0/1 features, taken apart by who carries a column.

Where all carriers of a feature column have the same positive value and nobody is below 0, the max is that value if
some carrier is there, else 0. A column with a single carrier is then linear in that carrier's flip, whatever the sign
of its weight; so all columns that only slot k carries act as one vector that k sends, as under a sum. Columns that
several undecided slots share need a case distinction; those with the very same carriers come and go together, so they
are one crowd with one vector, in which weights of different sign cancel.

Theory: "Max over 0/1 features".
"""

from __future__ import annotations

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED, PRESENT
from ..jit.decorators import kernel, leaf
from ..state.rows import fill

# `group`: a column of the crowd; carriers that may go, and that may come; a number that names the set of carriers
COLUMN, GOING, COMING, NAME = 0, 1, 2, 3
MOST_NAMED = 62  # slots of a vertex whose sets have names; of more, every column is a crowd of its own


@leaf
def find_group(s, groups, name):
    """Which of the crowds has this set of carriers; `groups` if none has."""
    for c in range(groups):
        if s.group[c, NAME] == name:
            return c
    return groups


@kernel
def split_columns(p, s, v, cap):
    """Fill `carried[k]` for the slots into v, `carried_const`, and the list of crowds; returns how many crowds.

    At the grounding the aggregate's product is carried_const plus `carried` of the present slots.
    """
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    offset = p.raw_columns_ptr[v, 0]
    width = p.width[1]
    const = s.carried_const
    fill(const, 0.0, width)
    for k in range(start, end):
        fill(s.carried[k], 0.0, width)
    groups = 0
    for j in range(p.raw_columns_ptr[v, 1] - offset):
        sure, deletable, insertable, only, name = False, 0, 0, -1, 0
        for k in range(start, end):
            state = s.status[k]
            if state == 0 or p.raw[p.raw_at[k] + j] == 0.0:
                continue
            if state == PRESENT or (state == MAYBE_DELETED and cap == 0):
                sure = True
                break
            if state == MAYBE_DELETED:
                deletable += 1
                only = k
            elif cap > 0:
                insertable += 1
                only = k
            name |= 1 << min(k - start, MOST_NAMED)
        sure = sure or deletable > cap
        if not sure and deletable + insertable == 0:
            continue
        value = p.raw_value[offset + j]
        weight = p.A1T[p.raw_columns[offset + j]]
        if sure or (deletable > 0 and deletable + insertable > 1):
            for i in range(width):
                const[i] += weight[i] * value
        if sure:
            continue
        if deletable + insertable == 1:
            sent = s.carried[only]
        else:
            if end - start > MOST_NAMED:
                name = -1 - j
            c = find_group(s, groups, name)
            sent = s.group_sent[c]
            if c == groups:
                groups += 1
                fill(sent, 0.0, width)
                s.group[c, COLUMN] = j
                s.group[c, GOING] = deletable
                s.group[c, COMING] = insertable
                s.group[c, NAME] = name
        for i in range(width):
            sent[i] += weight[i] * value
    return groups


@leaf
def is_carrier(p, s, j, k):
    """Whether the undecided slot k carries column j."""
    state = s.status[k]
    return (state == MAYBE_DELETED or state == MAYBE_INSERTED) and p.raw[p.raw_at[k] + j] != 0.0
