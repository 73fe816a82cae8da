"""Search nodes that pairwise interactions bound (pairwise/screening.py), instead of boxes and lines.

A node is screened once: pairs in no attack are fixed, and tables say how far sets of flips with each other pair can
get. Tables are kept by the number of flips left, so those of a node stay while the search is below it, where fewer are
left. Its children need less:

- Without the chosen pair, the tables still hold. The child is SCREENED: the next pair is chosen at once.
- With it flipped, one flip less is left. What the tables say of sets with it fixes pairs before the flip; the child is
  FLIPPED: it is screened in its turn, and sets of three that its parent has excluded are not bounded again.
- Any other node is UNKNOWN: it is screened from nothing.

Two things end what tables say. An attack lowers the limit, so that sets of the old size are no longer asked for:
`known_at` holds the limit for which they were filled. And numbers may have been too large to bound anything: then
`bounded` is 0, no pair is fixed, and the children of that node are told nothing. `after` holds the pair whose flip led
from a screened node to this one, or -1: it is what a screening may take over from its parent.

Theory: "Screening", "Orbital fixing loses no attack".
"""

from __future__ import annotations

from ..attacks.flips import flip_grounding
from ..jit.decorators import part
from ..pairwise.screening import choose_by_set_bound, fix_safe_partners, screen
from ..state.state import ACTION, LEAVES, LIMIT, SCREENED_LEAVES, SCREENINGS
from ..state.trail import mark_trails, undo_to
from ..symmetry.orbital_fixing import extend_stabiliser, fix_orbit, update_stabiliser
from .codes import BRANCH, ENUMERATE, GO_ON, PAUSED, PICK, RETREAT, SCREEN

# what tables say of a node when it is reached; see above
UNKNOWN, SCREENED, FLIPPED = 0, 1, 2


@part
def holds_tables(s, x, depth, left):
    """Whether the tables hold for this node. Notes, too, whether a screening may take over what they say of its
    parent.
    """
    how = s.frame_screened[depth]
    above = s.frame_left[depth - 1] if depth > 0 else 0
    if left > 1 and not (how == FLIPPED and above == left + 1 and x.known_at[above] == s.tally[LIMIT]):
        x.after[left] = -1
    return how == SCREENED and above == left and x.known_at[left] == s.tally[LIMIT]


@part
def enter_with_tables(s, x, marks, depth, left):
    """Arrive at a node with so many flips left."""
    if s.frame_screened[depth] == UNKNOWN:
        update_stabiliser(s, x)
    known = holds_tables(s, x, depth, left)
    s.frame_left[depth] = left
    s.frame_screened[depth] = UNKNOWN
    mark_trails(s, marks)
    if left == 1:
        s.tally[ACTION] = ENUMERATE
    else:
        s.tally[ACTION] = PICK if known else SCREEN


@part
def screen_node(p, s, x, options, excluded, marks, depth):
    """Fill the tables, and fix the pairs in no attack."""
    s.tally[SCREENINGS] += 1
    if screen(p, s, x, options, excluded, s.frame_left[depth]) < 0:
        return PAUSED
    mark_trails(s, marks)
    s.tally[ACTION] = PICK
    return GO_ON


@part
def pick_pair(p, s, x, depth):
    """Choose the pair to decide here: the one whose sets reach most.

    Theory: "Which pair is decided next".
    """
    pair = choose_by_set_bound(p, s, x, s.frame_left[depth])
    if pair < 0:
        s.tally[SCREENED_LEAVES] += 1
        s.tally[ACTION] = RETREAT
    else:
        s.tally[LEAVES] -= 1
        s.frame_screened[depth] = SCREENED
        s.frame_pair[depth] = pair
        s.tally[ACTION] = BRANCH


@part
def enter_screened_child(p, s, x, options, excluded, marks, depth, pair, flip):
    """Go to a child, where no box is looked at; False if the flip is in no attack."""
    if not flip:
        s.frame_screened[depth + 1] = SCREENED
        fix_orbit(p, s, x, pair)
        return True
    left = s.frame_left[depth]
    if fix_safe_partners(p, s, x, excluded, pair, left):
        s.frame_screened[depth + 1] = FLIPPED
        x.after[left - 1] = pair if x.bounded[left] else -1
        extend_stabiliser(s, x, pair)
        flip_grounding(p, s, options, pair)
        return True
    undo_to(p, s, marks)
    return False
