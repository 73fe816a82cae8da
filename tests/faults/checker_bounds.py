"""Faults in the checker's bounds."""

from __future__ import annotations

from .fault import Fault

CHECKER_BOUNDS = (
    # boxes
    Fault(
        "checker-sum-one-gain-less", "proof/boxes.py",
        "np.arange(slots) < cap[..., None]",
        "np.arange(slots) < cap[..., None] - 1",
    ),
    Fault(
        "checker-mean-denominator", "proof/boxes.py",
        "            divisor = np.maximum(count, 1)\n",
        "            divisor = np.maximum(present[..., None], 1)\n",
    ),
    Fault(
        "checker-max-kept-one-better", "proof/boxes.py",
        "at = np.minimum(cap, ",
        "at = np.minimum(np.maximum(cap - 1, 0), ",
    ),
    Fault(
        "checker-crowd-never-leaves", "proof/boxes.py",
        "(goes > cap[:, None])",
        "(goes >= cap[:, None])",
    ),
    Fault(
        "checker-crowds-not-told-apart", "proof/boxes.py",
        " | (names[1:] != names[:-1])",
        "",
    ),
    # lines
    Fault(
        "checker-chord-constant", "proof/lines.py",
        "np.maximum(k * low - chord * low, high - chord * high), 0.0)",
        "0.0 * low, 0.0)",
    ),
    Fault(
        "checker-sum-gain-sign", "proof/lines.py",
        "gains = np.where(there, -low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _narrows",
        "gains = np.where(there, low, high) * moves\n        self._add_gains(v, rows, gains)\n\n    def _narrows",
    ),
    Fault(
        "checker-inner-pass-spends-less", "proof/lines.py",
        "line, np.where(apart, 1, 0))",
        "line, np.where(apart, 2, 1))",
    ),
    Fault(
        "checker-inner-pass-own-pair-forgotten", "proof/lines.py",
        "line, np.where(apart, 1, 0))",
        "line, 1)",
    ),
    Fault(
        "checker-inner-pass-without-chord", "proof/lines.py",
        "total = line.const + const[some]",
        "total = line.const + 0.0 * const[some]",
    ),
    Fault(
        "checker-narrowed-second-forgotten", "proof/lines.py",
        "(terms[0] - terms[1] + terms[2])",
        "(terms[0] - terms[1])",
    ),
    Fault(
        "checker-narrowed-floor-forgotten", "proof/lines.py",
        "(terms[0] - terms[1] + terms[2])",
        "(terms[2] - terms[1])",
    ),
    Fault(
        "checker-narrowed-end-swapped", "proof/lines.py",
        "a[some] if end is high else -a[some]",
        "a[some]",
    ),
    Fault(
        "checker-mean-surplus", "proof/means.py",
        "    surplus = np.where(most == present, np.maximum(surplus, -middle / k), surplus)\n",
        "",
    ),
    Fault(
        "checker-mixed-denominator", "proof/means.py",
        "least_left = np.maximum(present - np.minimum(cap, deletable), 1)[:, None]",
        "least_left = np.maximum(present, 1)[:, None]",
    ),
    Fault(
        "checker-star-loss", "proof/stars.py",
        "np.maximum(reach - self.floor, 0.0), 0.0)",
        "0.0 * reach, 0.0)",
    ),
    Fault(
        "checker-insertion-gain", "proof/stars.py",
        "rises = np.maximum(self.high - self.floor[:, None], 0.0)[node]",
        "rises = np.maximum(self.low - self.floor[:, None], 0.0)[node]",
    ),
    # budgets, and what is left in doubt
    Fault(
        "checker-spends-one-less", "proof/spend.py",
        "(np.arange(most) < left[:, None])",
        "(np.arange(most) < left[:, None] - 1)",
    ),
    Fault(
        "checker-local-budget-doubled", "proof/spend.py",
        "room[rows, payer[best]] -= gain > 0.0",
        "room[rows, payer[best]] -= 2 * (gain > 0.0)",
    ),
    # what is proved at which node
    Fault(
        "checker-lines-prove-what-nobody-asked", "proof/bounds.py",
        "= [{} for _ in asked]",
        "= [dict.fromkeys(range(len(self.setting.query.rivals)), -1.0) for _ in asked]",
    ),
    Fault("checker-lines-nearly", "proof/bounds.py", "if bound <= 0.0)", "if bound <= 0.01)"),
    Fault("checker-rooms-of-doubt", "proof/bounds.py", "ROUNDED = 4.0", "ROUNDED = 0.0"),
    # rounding
    Fault(
        "checker-evaluates-without-error", "proof/enclose.py",
        "= 2.0 * (rows @ error[0]",
        "= 0.0 * (rows @ error[0]",
    ),
    Fault("checker-boxes-without-slack", "proof/enclose.py", "slack = size * self.unit + TINY", "slack = 0.0 * size"),
    # attacks
    Fault(
        "checker-small-values-are-exact", "proof/enclose.py",
        "magnitude = np.maximum(np.maximum(abs(below[0]), abs(below[1]))[0], NORMAL)",
        "magnitude = np.maximum(abs(below[0]), abs(below[1]))[0]",
    ),
    Fault(
        "checker-small-features-are-exact", "proof/enclose.py",
        "[np.maximum(abs(setting.features), NORMAL)]",
        "[abs(setting.features)]",
    ),
)  # fmt: skip
