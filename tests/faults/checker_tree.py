"""Faults in the checker's region, tree, walk and file."""

from __future__ import annotations

from .fault import Fault

CHECKER_TREE = (
    # who can matter, and what flips cost
    Fault(
        "checker-root-free-flip", "proof/region.py",
        "limit=len(pairs) if budget is None else min(budget, len(pairs)),",
        "limit=len(pairs) if budget is None else min(max(budget - 1, 0), len(pairs)),",
    ),
    Fault(
        "checker-far-pairs-forgotten", "proof/region.py",
        "rings[max(insertions - 1, 0)].items() if steps < depth}",
        "rings[max(insertions - 1, 0)].items() if steps < depth - 1}",
    ),
    Fault(
        "checker-undirected-half-paid", "proof/tree.py",
        "if region.both_pay and u != v else (v,)",
        "if False else (v,)",
    ),
    # the tree: what a node may be, and who is below it
    Fault("checker-decided-twice", "proof/tree.py", "        if decided[pair]:\n", "        if False:\n"),
    Fault(
        "checker-flipped-child-omitted", "proof/tree.py",
        "allowed = left > 0 and",
        "allowed = left > 1 and",
    ),
    Fault("checker-bytes-behind-the-end", "proof/tree.py", "    reader.finish()\n", ""),
    Fault(
        "checker-spent-unchecked", "proof/walk.py",
        "if kind == SPENT and movable.size:",
        "if kind == SPENT and movable.size > 99:",
    ),
    Fault(
        "checker-settled-unchecked", "proof/walk.py",
        "near = distances(self.setting, batch)[0] < self.setting.chain.depth",
        "near = distances(self.setting, batch)[0] < 0",
    ),
    Fault(
        "checker-enumerates-singles-only", "proof/walk.py",
        "flips = one.left if kind == ENUMERATED else 0",
        "flips = min(one.left, 1) if kind == ENUMERATED else 0",
    ),
    Fault(
        "checker-one-rival-is-enough", "proof/walk.py",
        "if self.rivals <= one.shown.excluded:",
        "if self.rivals & one.shown.excluded:",
    ),
    Fault(
        "checker-tightened-boxes-for-siblings", "proof/walk.py",
        "decided[node.pair] = 2 if flip else 1\n            spare = one.spare",
        "decided[node.pair] = 1\n            spare = one.spare",
    ),
    # budgets, and what is left in doubt
    Fault(
        "checker-doubts-too-little", "proof/walk.py",
        "return movable[~(above <= 0.0).all(axis=0)]",
        "return movable[~(above <= 0.0).any(axis=0)]",
    ),
    Fault(
        "checker-trusts-floats", "proof/walk.py",
        "doubtful = ~(found + self.enclosure.error <= 0.0).all(axis=1)",
        "doubtful = ~(found <= 1e-9).all(axis=1)",
    ),
    # what is proved at which node
    Fault(
        "checker-lines-of-one-node-for-all", "proof/walk.py",
        "shown = [known | more for known, more in zip(shown, by_lines, strict=True)]",
        "shown = [known | by_lines[0] for known in shown]",
    ),
    Fault(
        "checker-boxes-of-one-node-for-all", "proof/walk.py",
        "zip(some, bounds.shown_by_boxes(), strict=True)",
        "zip(some, bounds.shown_by_boxes()[:1] * len(some), strict=True)",
    ),
    Fault(
        "checker-keeps-boxes-of-the-first", "proof/walk.py",
        "boxes=_take(bounds.boxes, k)",
        "boxes=_take(bounds.boxes, 0)",
    ),
    Fault(
        "checker-inherits-for-the-first", "proof/walk.py",
        "low[k], high[k] = one.boxes[t - 1]",
        "low[0], high[0] = one.boxes[t - 1]",
    ),
    Fault(
        "checker-nearly-is-enough", "proof/walk.py",
        "if self.rivals <= one.shown.excluded:",
        "if self.rivals <= one.shown.nearly:",
    ),
    Fault("checker-doubt-undecided", "proof/walk.py", "        self._evaluate_all(one, movable, one.left)\n", ""),
    Fault(
        "checker-doubt-one-flip-less", "proof/walk.py",
        "self._evaluate_all(one, movable, one.left)",
        "self._evaluate_all(one, movable, one.left - 1)",
    ),
    # leaves that nobody looks at
    Fault(
        "checker-box-unseen", "proof/walk.py",
        "                self._close_by_bounds(one)\n",
        "                if kind == LINE:\n                    self._close_by_bounds(one)\n",
    ),
    Fault(
        "checker-line-unseen", "proof/walk.py",
        "                self._close_by_bounds(one)\n",
        "                if kind == BOX:\n                    self._close_by_bounds(one)\n",
    ),
    Fault(
        "checker-spent-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != SPENT:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-settled-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != SETTLED:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-enumerated-unseen", "proof/walk.py",
        "                self._close_by_evaluation(one, kind)\n",
        "                if kind != ENUMERATED:\n                    self._close_by_evaluation(one, kind)\n",
    ),
    Fault(
        "checker-one-child-is-enough", "proof/walk.py",
        "stack += self._children(one)",
        "stack += list(self._children(one))[:1]",
    ),
    Fault(
        "checker-settled-at-one-end", "proof/walk.py",
        "return bool(near[ends[:, 1]].any() or (self.region.both_pay and near[ends[:, 0]].any()))",
        "return bool(near[ends[:, 1]].any())",
    ),
    Fault(
        "checker-enumerates-three", "proof/walk.py",
        "MOST_FLIPS_ENUMERATED = 2",
        "MOST_FLIPS_ENUMERATED = 3",
    ),
    Fault(
        "checker-local-budget-to-spare", "proof/walk.py",
        "(spent <= one.spare)",
        "(spent < one.spare)",
    ),
    Fault(
        "checker-counts-for-hours", "proof/walk.py",
        "            if graphs > MOST_GRAPHS:\n                break\n",
        "",
    ),
    # marks
    Fault("checker-never-tightens", "proof/tree.py", "bool(mark & TIGHTEN)\n", "False\n"),
    Fault("checker-no-first-lines", "proof/tree.py", "plain, last = bool(mark & LINES),", "plain, last = False,"),
    Fault("checker-no-second-lines", "proof/tree.py", "bool(mark & LINES_AGAIN) or kind == LINE", "kind == LINE"),
    Fault("checker-flipped-always-first", "proof/tree.py", "        if mark & KEPT_FIRST:\n", "        if False:\n"),
    Fault(
        "checker-any-bit-at-a-leaf", "proof/format.py",
        "or (found & ~KIND_BITS) & ~FLAGS[kind]:",
        "or found > 127:",
    ),
    # budgets of the walk and of the tree
    Fault("checker-flips-are-free", "proof/walk.py", "left=one.left - flip,", "left=one.left,"),
    Fault("checker-flips-cost-two", "proof/walk.py", "left=one.left - flip,", "left=one.left - 2 * flip,"),
    Fault(
        "checker-free-at-a-vertex", "proof/walk.py",
        "spare[w] -= 1\n            yield",
        "spare[w] -= 0\n            yield",
    ),
    Fault(
        "checker-two-at-a-vertex", "proof/walk.py",
        "spare[w] -= 1\n            yield",
        "spare[w] -= 2\n            yield",
    ),
    Fault("checker-tree-pays-twice", "proof/tree.py", "        left -= units\n", "        left -= 2 * units\n"),
    Fault("checker-tree-pays-twice-at-a-vertex", "proof/tree.py", "spare[w] -= units", "spare[w] -= 2 * units"),
    Fault(
        "checker-one-end-can-pay", "proof/tree.py",
        "all(spare[w] > 0 for w in payers(region, pair))",
        "any(spare[w] > 0 for w in payers(region, pair))",
    ),
    Fault("checker-children-swapped", "proof/tree.py", "marks[at][3 if flip else 2]", "marks[at][2 if flip else 3]"),
    Fault(
        "checker-decisions-stay", "proof/tree.py",
        "            decided[pair] = False\n",
        "            decided[pair] = True\n",
    ),
    Fault("checker-fewer-nodes", "proof/tree.py", "    if len(marks) != expected:\n", "    if False:\n"),
    # who can matter
    Fault(
        "checker-sources-beyond", "proof/region.py",
        "return {v: min(far, found.get(v, far)) for v, far in before.items()}",
        "return before",
    ),
    Fault(
        "checker-listed-one-way", "model/threat.py",
        "                sources.setdefault(u, []).append(v)\n",
        "                pass\n",
    ),
    Fault("checker-protected-flips", "proof/region.py", "        if self.protected:\n", "        if False:\n"),
    Fault(
        "checker-insertions-one-less", "proof/region.py",
        "insertions = depth if budget is None else min(budget, depth)",
        "insertions = max(depth - 1, 0) if budget is None else min(budget, depth)",
    ),
    # the file
    Fault(
        "checker-digest-unread", "proof/format.py",
        "    if hashlib.sha256(content).digest() != digest:\n",
        "    if False:\n",
    ),
    Fault("checker-fields-twice", "proof/format.py", "    if len(found) != len(fields):\n", "    if False:\n"),
    Fault("checker-control-characters", "proof/format.py", "32 <= byte < 127", "byte < 127"),
    Fault("checker-fractions", "proof/format.py", "parse_float=_fraction, ", ""),
    Fault(
        "checker-any-network", "proof/statement.py",
        'in (("network", network), ("graph", graph)):',
        'in (("graph", graph),):',
    ),
    Fault(
        "checker-any-graph", "proof/statement.py",
        'in (("network", network), ("graph", graph)):',
        'in (("network", network),):',
    ),
    Fault(
        "checker-any-query", "proof/statement.py",
        '    if header["query"] != query_hash(header):\n',
        "    if False:\n",
    ),
    Fault(
        "checker-any-semantics", "proof/statement.py",
        '    if header["semantics"] != SEMANTICS:\n',
        "    if False:\n",
    ),
    Fault("checker-any-field", "proof/statement.py", "or set(found) != expected:", "or not set(found) >= expected:"),
    # attacks
    Fault(
        "checker-attack-over-budget", "proof/check.py",
        "len(attack) > threat.budget:",
        "len(attack) > threat.budget + 1:",
    ),
    Fault("checker-attack-over-local-budget", "proof/check.py", "cost > limit:", "cost > limit + 1:"),
    Fault("checker-attack-twice", "proof/check.py", "    if len(set(attack)) != len(attack):\n", "    if False:\n"),
    Fault(
        "checker-attack-not-fragile", "proof/check.py",
        "        if not threat.admits(",
        "        if False and not threat.admits(",
    ),
    Fault("checker-attack-ties", "proof/check.py", "if not scores[rival] > scores", "if not scores[rival] >= scores"),
    Fault("checker-attack-by-anybody", "proof/check.py", "or rival not in query.rivals:", "or rival < 0:"),
)  # fmt: skip
