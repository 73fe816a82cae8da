"""Rows of scratch: what each holds, and for how long.

A loop promises that what it writes to is no part of another argument (jit/decorators.py), so two things that are alive
at once never share a row. A row holds what it says until its reader is done, and nothing between two vertices.
"""

from __future__ import annotations

(
    # forward: evaluating one vertex
    NEW_VALUES,  # its pre-activations, then its values, until they are in its record
    AGGREGATE,  # what it gathers, until that is added, as it is or times A
    PRODUCT,  # C h, and A h behind it: from `multiply` to its caller
    # intervals: bounding one vertex
    NEW_LOW,  # its box, until that is in its record
    NEW_HIGH,
    AGGREGATE_LOW,  # the box of what it gathers, until that is added, as it is or times A
    AGGREGATE_HIGH,
    CENTRE,  # a box that a matrix is multiplied with, or a row of coefficients
    RADIUS,
    PRODUCT_CENTRE,  # that product, until it is added or joined to a box
    PRODUCT_RADIUS,
    INSERTING,  # what `insert_top` has in hand
    INSERTED_GAIN,  # GCN: what one inserted sender adds, until it is among the top ones
    DEGREE_GAIN,  # GCN: what one flip at a sender adds, until it is among the top ones
    LARGEST,  # rounding: the largest of what may be inserted, while one vertex gathers
    # linear: activations of one vertex
    CHORD_SLOPE,
    CHORD_RISE,
    TANGENT_SLOPE,
    TANGENT_DROP,  # of curved ones
    # pairwise: what flips change at one vertex
    ACTIVATION_DELTA,  # in its values, until that is multiplied
    MAX_DELTA,  # in a max that it gathers: from `gather_max` to its caller
    MAX_BEFORE,  # that max before the flip
    NO_DELTA,  # zeros, where a message does not change
    DELTA_LOW,  # the least and the largest change of any message
    DELTA_HIGH,
    EXTRA_LOW,  # the least and the largest sensitivity of one receiver that may be inserted
    EXTRA_HIGH,
    TOGETHER,  # what two flips do to one mean, while its interaction is bounded
    SCRATCH_ROWS,
) = range(29)
