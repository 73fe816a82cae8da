"""Faults where activations are curved."""

from __future__ import annotations

from .fault import Fault

CURVES = (
    Fault("minimum-of-a-curve", "search/state/curves.py", "        bottom = GELU_LEAST\n", "        bottom += 0.0\n"),
    Fault("minimum-of-silu", "search/state/curves.py", "        bottom = SILU_LEAST\n", "        bottom += 0.0\n"),
    Fault("curve-without-padding", "search/state/curves.py", "    bottom -= room\n", "    bottom -= 0.0 * room\n"),
    Fault(
        "concave-piece-by-its-ends", "search/state/curves.py",
        "    if sign * shape >= 0:\n",
        "    if sign * shape >= -1:\n",
    ),
    Fault(
        "curves-turn-elsewhere", "search/state/curves.py",
        "return 0.0, np.inf, 1, -1, -1",
        "return 0.0, np.inf, 1, 1, 1",
    ),
    Fault(
        "middle-piece-forgotten", "search/state/curves.py",
        "if high > one and low < two:",
        "if high < one and low < two:",
    ),
    Fault("selu-is-convex", "search/state/curves.py", "return 0.0, np.inf, 1, 0, 0", "return np.inf, np.inf, 1, 1, 1"),
    Fault("line-of-a-curve-unpadded", "search/state/curves.py", "LINE_OFF = 2.0**-43", "LINE_OFF = 0.0"),
    Fault(
        "curve-below-has-no-constant", "search/linear/relax.py",
        "positive * rise[i] - negative * drop[i]",
        "positive * rise[i]",
    ),
    Fault(
        "stale-lines-of-a-curve", "search/state/curves.py",
        "if bends[i] < 2.0 or (at_low[i] == low[i] and at_high[i] == high[i]):",
        "if bends[i] < 2.0 or at_low[i] == low[i]:",
    ),
    Fault(
        "stale-range-of-a-curve", "search/state/curves.py",
        "        if at_low[i] == low[i] and at_high[i] == high[i]:\n",
        "        if at_high[i] == high[i]:\n",
    ),
    Fault(
        "padding-of-scores",
        "arithmetic/enclosure.py",
        "            e *= part.steepest * GROWS\n",
        "            e *= GROWS\n",
    ),
    Fault(
        "tie-holds", "search/engine.py",
        'if answer.status == "robust" and alarm.tied is not None:',
        'if answer.status == "robust" and alarm.tied == -1:',
    ),
)  # fmt: skip
