"""What the values of the grounding say of the claim.

Theory: "Rounding of the grounding".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry
from ..state.state import H


@entry
def grounding_may_break(p, s, excluded):
    """Whether the grounding breaks the claim, or comes so close that only exact arithmetic can tell."""
    h = s.values[p.T, 0, H]
    for r in range(p.rivals):
        objective = h[r] if p.folded else h[p.rival_at[r]] - h[p.label_at]
        # written so that a NaN counts as "may break"
        if not excluded[r] and not objective + s.error[r] <= 0.0:
            return True
    return False


@entry
def largest_objective(p, s, excluded):
    """How close the grounding comes to breaking the claim: above 0 it breaks it, up to rounding, which is added."""
    h = s.values[p.T, 0, H]
    best = -np.inf
    for r in range(p.rivals):
        objective = h[r] if p.folded else h[p.rival_at[r]] - h[p.label_at]
        if not excluded[r]:
            best = max(best, objective + s.error[r])
    return best
