"""How far computed values of curved activations are off (transcendental.py says why), and what they are made of."""

from __future__ import annotations

import math

# |computed - true| <= PAD (|x| + |act(0)|) for any activation of a float x; some eight times what was measured
PAD = 2.0**-48
# of a value computed by one call of exp, expm1, tanh, erf, erfc or log1p: relative to it
CALL = 4 * 2.0**-52
ROOT_HALF = math.sqrt(0.5)
TANH_FACTOR = math.sqrt(2.0 / math.pi)
