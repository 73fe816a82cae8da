"""Which parts of a vertex's record at a stage somebody looks at."""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, POOL
from ..jit.decorators import leaf


@leaf
def who_takes_products(p, t, v):
    """Who takes a product of h(v) at stage t: v itself (C h), its neighbours (A h). Vertices on the rim, which are
    most, do not matter there themselves.
    """
    own = np.int64(v < p.active[t])  # numbers: both are counted
    if p.kind[t] == DENSE or not p.sends_products[t]:
        return own, np.int64(0)
    return own, np.int64(p.kind[t] == POOL or p.how[t] == GCN or p.out_ptr[v] < p.out_ptr[v + 1])


@leaf
def parts_used(p, t, v):
    """How much of a record of stage t somebody looks at, of: what v is, what it sends, what it keeps for itself."""
    if t == p.T:
        return 1
    return 3 if v < p.active[t + 1] else 2
