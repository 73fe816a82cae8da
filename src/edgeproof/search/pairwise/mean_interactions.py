"""Pairwise interactions of a mean, T, at a vertex where several flips may be (tables.py).

Let k0 messages be there, with the mean c; flips E at v leave k of them. Of flip f alone, N(f) is what it changes in the
sum of distances from c, so that it changes the mean by N(f) / (k0 + s(f)): s is 1 where it inserts at v, -1 where it
deletes there, and 0 elsewhere. With d(f, e) for what f changes in the message that e has come or go,

    T  =  1 / k  sum over e in E, f not e, of  s(e) (d(f, e) - N(f) / (k0 + s(f)))

which is a sum over pairs up to k, and k lies between numbers that the local budget gives. Two cases are apart: a flip
alone that takes the only message changes the mean by -c; and where all messages go, T is -c less what every flip alone
changes, of which each pair gets its share.

Theory: "Interactions at a sum and at a mean".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MEAN
from ..jit.decorators import leaf
from ..state.rows import fill
from ..state.scratch import TOGETHER
from .deltas import add_scaled, weight_of
from .maximise import maximise
from .tables import CHANGE_SENT, GATHERED


@leaf
def maximise_between(y, fewest, most, low, high, m):
    """The most of multiplier times y / k, for k between these numbers of messages, of which there is at least one."""
    total = maximise(y, weight_of(MEAN, max(most, 1)), low, high, m)
    return max(total, maximise(y, weight_of(MEAN, max(fewest, 1)), low, high, m))


@leaf
def interact_at_mean(p, s, x, r, t, v, sign, gathered, sent):
    """The part of a flip at v and one elsewhere, which changes what is `gathered` and what the sender has `sent`."""
    width, low, high = p.width[t], x.bent_low[r, t, v], x.bent_high[r, t, v]
    messages, others = x.degree[v], x.most_at[v] - 1
    y = s.scratch[TOGETHER]
    fill(y, 0.0, width)
    if sent >= 0:
        add_scaled(y, x.rows[sent, CHANGE_SENT], np.float64(sign), width)
    if gathered >= 0:
        add_scaled(y, x.rows[gathered, GATHERED], -sign * weight_of(MEAN, messages), width)
    total = maximise_between(y, messages + sign - others, messages + sign + others, low, high, width)
    if gathered >= 0 and sign < 0 and messages <= x.most_at[v]:  # or all go
        share = weight_of(MEAN, messages)
        total = max(total, maximise(x.rows[gathered, GATHERED], -share * share, low, high, width))
    return total


@leaf
def interact_in_mean(p, s, x, r, t, v, one, two, mine, its, heard, told):
    """The part of two flips at v. `mine` and `its` are their rows there, `heard` is what the second changes in the
    message of the first, `told` the other way round.
    """
    width, low, high = p.width[t], x.bent_low[r, t, v], x.bent_high[r, t, v]
    messages, others = x.degree[v], x.most_at[v] - 2
    y = s.scratch[TOGETHER]
    fill(y, 0.0, width)
    if heard >= 0:
        add_scaled(y, x.rows[heard, CHANGE_SENT], np.float64(one), width)
    if told >= 0:
        add_scaled(y, x.rows[told, CHANGE_SENT], np.float64(two), width)
    if its >= 0:
        add_scaled(y, x.rows[its, GATHERED], -one * weight_of(MEAN, messages + two), width)
    if mine >= 0:
        add_scaled(y, x.rows[mine, GATHERED], -two * weight_of(MEAN, messages + one), width)
    total = maximise_between(y, messages + one + two - others, messages + one + two + others, low, high, width)
    if one + two == 0 and messages == 1:
        # one of them takes the only message, but the other one brings another: -c was too much
        total += max(maximise(x.centre[t, v], 1.0, low, high, width), 0.0)
    if one + two == -2 and messages <= x.most_at[v]:
        # or all go, and of their pairs this one has its share
        fill(y, 0.0, width)
        add_scaled(y, x.centre[t, v], -2.0 / (messages * (messages - 1)), width)
        share = weight_of(MEAN, messages - 1)
        if its >= 0:
            add_scaled(y, x.rows[its, GATHERED], -share * share, width)
        if mine >= 0:
            add_scaled(y, x.rows[mine, GATHERED], -share * share, width)
        total = max(total, maximise(y, 1.0, low, high, width))
    return total
