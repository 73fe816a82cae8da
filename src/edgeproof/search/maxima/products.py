"""What every vertex would add to one that takes a max of features: products of sparse rows.

Theory: "Flips at one vertex under a max".
"""

from __future__ import annotations

from ..jit.decorators import entry


@entry
def newcomers_products(ptr, column, value, peak, weight, up, down):
    """up[x], down[x]: sums over the columns c of max(value[x, c] - peak[c], 0) times the positive and the negative part
    of weight[c]; weight: (columns, width).
    """
    width = weight.shape[1]
    for x in range(up.shape[0]):
        plus, minus = up[x], down[x]
        for j in range(width):
            plus[j], minus[j] = 0.0, 0.0
        for e in range(ptr[x], ptr[x + 1]):
            more = value[e] - peak[column[e]]
            if more > 0.0:
                row = weight[column[e]]
                for j in range(width):
                    part = more * row[j]
                    plus[j] += max(part, 0.0)
                    minus[j] -= min(part, 0.0)
