"""What a store holds, as rows of a table: one a question (of equal graphs one each), the line that counts, with the
seconds of all its lines.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple

from ..model.by_degree import ByDegree
from ..model.graph import Pair
from ..model.verdict import Attack
from ..sweep.line import DECIDED, stored_attack
from ..sweep.read import read_answers, read_best, result_files


class Row(NamedTuple):
    """`setting`: everything but budget and subject that the question depends on; `spent`: seconds of all its lines."""

    key: str
    setting: Setting
    graph: str
    graph_name: str
    graph_index: int
    directed: bool
    node: int | None
    kind: str
    budget: int | None
    engine: str
    status: str
    label: int | None
    predicted: bool
    true_label: int | None
    rival: int | None
    lower: int | None
    upper: int | None
    attack: Attack | None
    reason: str
    implied: bool
    spent: float
    nodes: int | None
    share: int  # of a budget by degree: what the rule gives this node beside the number that is added


class Setting(NamedTuple):
    """Questions of one setting differ in their subject (node or graph) and budget, and make one curve."""

    network: str  # hash
    network_name: str
    dataset: str
    target: str
    flips: str
    local: str
    exactly: str  # the threat in full, so that lists that differ are not taken for one
    rule: str = ""  # of budgets by degree, without the number that is added
    sweep: str = ""  # which of two sweeps that are compared

    @property
    def axis(self) -> str:
        """What budgets count."""
        unit = "cost" if '"cost"' in self.exactly else "flips"
        return f"budget ({self.rule} + k {unit})" if self.rule else f"budget ({unit})"

    @property
    def title(self) -> str:
        sweep = f" ({self.sweep})" if self.sweep else ""
        return f"{self.network_name or 'network'} on {self.dataset or 'graph'}{sweep}"

    @property
    def terms(self) -> str:
        local = f", local budget {self.local}" if self.local else ""
        against = "" if self.target == "all" else f", against class {self.target}"
        return f"{self.flips}{local}{against}"


class Flipped(NamedTuple):
    """A pair, how many nodes or graphs have a known attack that flips it, and the nodes' numbers."""

    graph_name: str
    directed: bool
    pair: Pair
    times: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Answers:
    """The rows of a store: what belongs together stands together, smaller budgets first.

    skipped: lines that are no answers, and why. contradicted: keys of questions that have been answered differently.
    """

    rows: tuple[Row, ...]
    skipped: tuple[str, ...] = ()
    contradicted: frozenset[str] = frozenset()

    def count(self, status: str) -> int:
        return sum(row.status == status for row in self.rows)

    @property
    def implied(self) -> int:
        return sum(row.implied for row in self.rows)

    @property
    def seconds(self) -> float:
        return sum(row.spent for row in self.rows)

    def most_flipped(self, most: int) -> list[Flipped]:
        """The pairs that stand in attacks on the most subjects."""
        seen = {
            (row.graph_name, row.directed, pair, row.node, row.setting.network)
            for row in self.rows
            for pair in row.attack or ()
        }
        broken: defaultdict[tuple[str, bool, Pair], list[int | None]] = defaultdict(list)
        for name, directed, pair, node, _ in seen:
            broken[name, directed, pair].append(node)
        found = [
            Flipped(*which, len(nodes), tuple(sorted({node for node in nodes if node is not None})))
            for which, nodes in broken.items()
        ]
        return sorted(found, key=lambda one: (-one.times, one.graph_name, one.pair))[:most]


def beside(first: Answers, second: Answers) -> Answers:
    """Two sweeps as one, the rows of the first before those of the second."""
    return Answers(
        first.rows + second.rows, first.skipped + second.skipped, first.contradicted | second.contradicted
    )  # fmt: skip


def gather(folder: str | PathLike[str], sweep: str = "") -> Answers:
    """`sweep` names it where two are compared.

    Raises StoreError where there is no store, or one that cannot be read; lines that are no answers are skipped.
    """
    skipped: list[str] = []
    spent: defaultdict[tuple[str, int], float] = defaultdict(float)
    decided: defaultdict[str, set[tuple[str, int | None]]] = defaultdict(set)
    for path in result_files(folder):
        for found in read_answers(path, skipped.append):
            line = found.line
            spent[line["key"], line["graph_index"]] += line["stats"].get("seconds") or 0.0
            if line["status"] in DECIDED:
                decided[line["key"]].add((line["status"], line["lower"]))
    best = read_best(folder, skip=lambda why: None)
    rows = tuple(sorted((_row(line, spent[line["key"], line["graph_index"]], sweep) for line in best), key=_place))
    contradicted = frozenset(key for key, answers in decided.items() if len(answers) > 1)
    return Answers(rows, tuple(skipped), contradicted)


def tell_skipped(skipped: Sequence[str]) -> str:
    """How many lines of the store are no answers, and which is the first of them."""
    return f"{len(skipped):,} line{' is' if len(skipped) == 1 else 's are'} no answer and left out: {skipped[0]}"


def _place(row: Row) -> tuple[Any, ...]:
    """Where a reader looks for it; a sweep finds easy answers first."""
    setting = row.setting
    subject = (
        setting.network_name,
        setting.network,
        setting.dataset,
        row.graph_index,
        -1 if row.node is None else row.node,
    )
    asked = row.kind == "radius", setting.flips, setting.local, setting.target
    return *subject, *asked, float("inf") if row.budget is None else row.budget


def _row(line: dict[str, Any], spent: float, sweep: str) -> Row:
    error, asked = line["error"], line["asked"]
    reason = line["reason"] or (f"{error['type']}: {error['message']}" if error else "")
    return Row(
        line["key"], _setting(line, sweep), line["graph"], line["graph_name"], line["graph_index"],
        line["directed"] is True, line["node"], line["kind"], line["budget"],
        line["engine"], line["status"], line["label"], asked["label"] is None,
        line["true_label"], line["rival"], line["lower"], line["upper"],
        None if line["attack"] is None else stored_attack(line),
        reason, line["implied_by"] is not None, spent, line["stats"].get("nodes"),
        line["threat"].get("budget_share") or 0,
    )  # fmt: skip


def _setting(line: dict[str, Any], sweep: str) -> Setting:
    threat, local = dict(line["threat"]), line["local_budget"]
    threat.pop("budget_share", None)
    rule = ByDegree.parse(threat.pop("budget_rule", ""))
    everywhere = threat.get("local_budget_rule")
    against = line["asked"]["target"]
    return Setting(
        line["network"], line["network_name"], re.sub(r"\[\d+\]$", "", line["graph_name"]),
        "all" if against is None else str(against), _flips(threat),
        everywhere or ("by vertex" if threat.get("local_budgets") else "" if local is None else str(local)),
        json.dumps([threat, line["asked"]["label"]], sort_keys=True),
        "" if rule is None else str(replace(rule, plus=0)), sweep,
    )  # fmt: skip


def _flips(threat: dict[str, Any]) -> str:
    if threat.get("fragile"):
        return f"{threat['fragile']['count']} listed pairs"
    insert = {True: ["insertions"], "target": ["insertions into the node"]}.get(threat.get("insert"), [])
    parts = (["deletions"] if threat.get("delete") else []) + insert
    told = " and ".join(parts) or "nothing"
    told += f", {threat['protected']['count']} protected" if threat.get("protected") else ""
    told += f", {threat['cost'].get('count')} costs" if threat.get("cost") else ""
    return told + _more(threat.get("features"), threat.get("inject"))


def _more(features: dict[str, Any] | None, inject: dict[str, Any] | None) -> str:
    told = ""
    if features and features["flips"]:
        budget = features["budget"]
        told += ", flips of features" + ("" if budget is None else f" (up to {budget})")
    elif features:
        told += f", features moved by up to {features['epsilon']}"
    if inject:
        told += f", up to {inject['count']} new vertices with up to {inject['edges']} edges each"
    return told
