"""What an activation makes of several changes at once, beyond what it makes of each alone.

Theory: "Several changes at one neuron".
"""

from __future__ import annotations

from ..jit.decorators import leaf


@leaf
def activate(z, slope):
    return max(z, 0.0) + slope * min(z, 0.0)


@leaf
def interplay(z, slope, change, others):
    """For |a| <= change and |c| <= others: at least |(f(z + c + a) - f(z + c)) - (f(z + a) - f(z))|.

    Both brackets lie between slope * a and a; so do those with a and c exchanged; and where z + c + a, z + c, z + a and
    z lie on one side of the kink, the difference is 0: it grows with what reaches beyond.
    """
    most = min(change, others, max(change + others - abs(z), 0.0))
    return (1.0 - slope) * most
