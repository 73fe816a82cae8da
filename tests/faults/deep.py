"""Faults in bounds of single flips of whole graphs."""

from __future__ import annotations

from .fault import Fault

DEEP = (
    Fault(
        "deep-vertex-is-not-raised", "search/deep/raised.py",
        'alpha[at], beta[at], kept[at] = (one[self.vertex] for one in (more.alpha, more.beta, more.kept))',
        'alpha[at] = more.alpha[self.vertex]',
    ),
    Fault(
        "deep-hearers-keep-what-they-heard", "search/deep/raised.py",
        '            pre[heard] += factor[:, None] * question.sent[w]\n',
        '            pre[heard] += 0.0 * factor[:, None] * question.sent[w]\n',
    ),
    Fault(
        "deep-partner-keeps-its-degree", "search/deep/insertions.py",
        'factor = held.beta[xs] if stand.directed else more.beta[xs]\n        heard',
        'factor = held.beta[xs]\n        heard',
    ),
    Fault(
        "deep-partner-hears-nothing", "search/deep/insertions.py",
        'more.kept[xs, None] * sent[xs] + more.beta[w] * sent[w]',
        'more.kept[xs, None] * sent[xs]',
    ),
    Fault(
        "deep-only-the-first-message", "search/deep/insertions.py",
        '            total += descent.heard.most(at, raised.scales[number].alpha[at] * sent)\n',
        '            total += 0.0 * descent.heard.most(at, raised.scales[number].alpha[at] * sent)\n',
    ),
    Fault(
        "deep-partner-is-heard-nowhere-else", "search/deep/insertions.py",
        'out[inside] += descent.passed.most_each(local[inside], change[inside])',
        'out[inside] += 0.0',
    ),
    Fault(
        "deep-degree-not-felt-below", "search/deep/insertions.py",
        'rows = self.degrees.message[local[some]]',
        'rows = 0.0 * self.degrees.message[local[some]]',
    ),
    Fault(
        "deep-degree-not-felt-above", "search/deep/insertions.py",
        'rows = self.degrees.step[self.second][xs[inside], None] * at_x[inside]',
        'rows = 0.0 * at_x[inside]',
    ),
    Fault(
        "deep-boxes-without-the-message", "search/deep/insertions.py",
        '            low[at] += down + other_down\n            high[at] += up + other_up\n',
        '            low[at] += down\n            high[at] += up\n',
    ),
    Fault(
        "deep-boxes-without-the-change", "search/deep/insertions.py",
        '            high[stand.target[k]] += raised.weight[number][k] * up\n',
        '            high[stand.target[k]] += 0.0\n',
    ),
    Fault(
        "deep-boxes-without-the-partner", "search/deep/insertions.py",
        '        low += least\n        high += most\n',
        '        low += 0.0 * least\n        high += 0.0 * most\n',
    ),
    Fault(
        "deep-slopes-of-the-wrong-end", "search/deep/intervals.py",
        '_quotient(pre + error, pre + high + error, slope)',
        '_quotient(pre + error, pre + low + error, slope)',
    ),
    Fault(
        "deep-radius-is-lost", "search/deep/intervals.py",
        'return Coefficients(self.middle @ weight, self.radius @ abs(weight))',
        'return Coefficients(self.middle @ weight, abs(self.radius @ weight))',
    ),
    Fault(
        "deep-slopes-of-the-point", "search/deep/intervals.py",
        'between = (large - slope * small) / apart',
        'between = np.where(abs(one) >= abs(other), 1.0 * (one > 0.0), 1.0 * (other > 0.0))',
    ),
    Fault(
        "deep-degrees-are-not-boxed", "search/deep/degrees.py",
        '        np.minimum.at(self.low, self.targets, change)\n',
        '        np.minimum.at(self.low, self.targets, 0.0 * change)\n',
    ),
    Fault(
        "deep-nobody-is-shaken", "search/deep/degrees.py",
        'out[y] = (total[some, None] * sent[some]).max(axis=0)',
        'out[y] = (total[some, None] * sent[some]).min(axis=0)',
    ),
    Fault(
        "deep-one-end-of-two", "search/deep/outskirts.py",
        'insertions.upper_ranges(raised, 2.0 * (down - shaken), 2.0 * (up + shaken))',
        'insertions.upper_ranges(raised, 0.0 * down, 0.0 * up)',
    ),
    Fault(
        "deep-survey-of-one-end", "search/deep/outskirts.py",
        'best = np.maximum(self.gains.max(axis=0), 0.0)',
        'best = np.minimum(self.gains.max(axis=0), 0.0)',
    ),
    Fault(
        "deep-survey-without-messages", "search/deep/outskirts.py",
        'own + alpha * (heard + messages.max(axis=0))',
        'own + alpha * heard',
    ),
    Fault(
        "deep-survey-of-the-wrong-side", "search/deep/outskirts.py",
        'gains[: rim.size] += most_between(held_there, rim, step * sent_high, step * sent_low)',
        'gains[: rim.size] -= most_between(held_there, rim, step * sent_high, step * sent_low)',
    ),
    Fault(
        "deep-bounds-too-near", "search/deep/search.py",
        '            fits &= near[xs] >= depth - 1\n',
        '            fits &= near[xs] >= depth - 2\n',
    ),
    Fault(
        "deep-far-pairs-are-forgotten", "search/deep/search.py",
        'for at in range(inner, outskirts.ends.size):',
        'for at in range(outskirts.ends.size, outskirts.ends.size):',
    ),
)  # fmt: skip
