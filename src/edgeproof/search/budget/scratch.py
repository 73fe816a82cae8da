"""Rows of scratch, by name: what each holds, and for how long. None holds anything between two shapes or passes."""

from __future__ import annotations

# `rows` of a pass (Pass), while it looks at one vertex
(
    PASS_TURN,  # most that one change of a degree adds at an in-neighbour
    PASS_LEAST_SLOPE,  # slopes of that in-neighbour wherever such changes bring it
    PASS_MOST_SLOPE,
    MENDED,  # an in-neighbour once the node hears one more
    MENDED_TWICE,  # the same once a newcomer that it hears has another degree
    NODE,  # the node once it hears one more, before the newcomer's message
    NEWCOMER,  # the node with that message; then the newcomer itself
    OTHER,  # the node, then each in-neighbour, once one of them has another degree
    NEIGHBOUR,  # that in-neighbour with its new degree, before a message comes or goes
    FLIPPED,  # and after
    PASS_ROWS,
) = range(11)

# `sums` of a pass: a number for each rival
(
    AT_NODE,  # the constant, and what the node's own row adds
    AT_NEIGHBOUR,  # what one in-neighbour adds, while it is mended
    AT_NEIGHBOURS,  # what all in-neighbours add once the node hears one more
    WITHOUT,  # the margin without what one in-neighbour adds
    PASS_SUMS,
) = range(5)

# `rows` of the tables of one shape (Tables), while one vertex is bounded
(
    BEFORE,  # its pre-activation, from which changes are counted
    TURN,  # most that one change of a sender's degree adds to what it gathers
    LEAST_SLOPE,  # slopes wherever flips can bring it
    MOST_SLOPE,
    LEAST_QUOTIENT,  # difference quotients from BEFORE over what its own flips reach
    MOST_QUOTIENT,
    LEAST_STEP,  # slopes of any segment that it can see while its items are listed
    MOST_STEP,
    LIFT,  # most that one deletion adds to what a newcomer gathers
    DROP,  # and takes from it
    REACH_LOW,  # what a newcomer can become, until that is made slopes
    REACH_HIGH,
    TABLE_ROWS,
) = range(13)

# `out` of the tables
(
    MORE,  # the two largest charges of one more in-neighbour
    MORE_NEXT,
    LESS,  # and of one less
    LESS_NEXT,
    START,  # the margin before any flip, while worths are noted
    CHARGED,  # what flips that change degrees only can reach
    OUT_NUMBERS,
) = range(7)

# `top` of the tables: items of one vertex by their gain, the best first
INSERTIONS, DELETIONS, INNER_INSERTIONS, INNER_DELETIONS, TOP_LISTS = range(5)
