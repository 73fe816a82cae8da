"""What the node loop does next, and why it returns."""

from __future__ import annotations

# why it returned; the last one is said of it if time was up (deadline.py)
FINISHED, CANDIDATE, PAUSED, TRAIL_FULL, STOPPED = 0, 1, 2, 3, 4
GO_ON = -1  # it does not: the next action comes

# actions (actions.py): arrive at a node and bound it; try its gains as an attack; take them back; tighten, and bound
# again; choose a pair; begin to evaluate all graphs below; go on with that; go to a child; go back; and at a node that
# is screened (screened.py): fix the pairs in no attack; choose one of the others
ENTER, PROBE, PROBED, TIGHTEN, CHOOSE, ENUMERATE, EVALUATE, BRANCH, RETREAT, SCREEN, PICK = range(11)
