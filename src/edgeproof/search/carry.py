"""A max over 0/1 features, taken apart by who carries a column.

Where all carriers of a feature column have the same positive value and nobody is below 0, the max is that value if
some carrier is there, else 0. A column with a single carrier is then linear in that carrier's flip, whatever the sign
of its weight; so all columns that only slot k carries act as one vector that k sends, as under a sum. Columns that
several undecided slots share (crowds) are the only ones that need a case distinction.
"""

from __future__ import annotations

from ..problem import MAYBE_DELETED, MAYBE_INSERTED, PRESENT
from .compile import kernel
from .multiply import fill


@kernel
def carry_columns(p, s, v, cap):
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
    crowds = 0
    for j in range(p.raw_columns_ptr[v, 1] - offset):
        sure, deletable, insertable, only = False, 0, 0, -1
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
        sure = sure or deletable > cap
        if not sure and deletable + insertable == 0:
            continue
        value = p.raw_value[offset + j]
        weight = p.A1T[p.raw_columns[offset + j]]
        if sure or deletable + insertable > 1:
            if sure or deletable > 0:
                for i in range(width):
                    const[i] += weight[i] * value
            if not sure:
                s.crowd[crowds, 0] = j
                s.crowd[crowds, 1] = deletable
                s.crowd[crowds, 2] = insertable
                crowds += 1
        else:
            sent = s.carried[only]
            for i in range(width):
                sent[i] += weight[i] * value
    return crowds


@kernel
def crowd_carrier(p, s, j, k):
    """Whether the undecided slot k carries column j."""
    state = s.status[k]
    return (state == MAYBE_DELETED or state == MAYBE_INSERTED) and p.raw[p.raw_at[k] + j] != 0.0
