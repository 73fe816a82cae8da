"""Certified accuracy: how many predictions are right and provably stay right, by budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arithmetic.predict import predicted_class
from .errors import EdgeproofError, InputError, Interrupted
from .model.arrays import frozen_ints
from .model.graph import Graph
from .model.network import Network
from .model.query import require_parts
from .model.threat import Threat
from .sweep.answer import Answer, Failure
from .sweep.many import verify_many
from .sweep.plan import Question, choose


@dataclass(frozen=True)
class CertifiedAccuracy:
    """`by_budget[k]`: the share of nodes (or graphs) that are right and proved to stay right under k flips.

    at_most[k]: the same with everything that was not decided counted as right; both are equal where no limit was hit.
    count: how many there are. answers: the radii of those that are right.
    """

    by_budget: tuple[float, ...]
    at_most: tuple[float, ...]
    count: int
    answers: tuple[Answer, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the same names, for JSON; the answers are left out."""
        return {"count": self.count, "by_budget": list(self.by_budget), "at_most": list(self.at_most)}

    def to_pandas(self) -> Any:
        """A DataFrame with one row a budget: budget, by_budget, at_most."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas: pandas is not installed; pip install pandas") from None
        budgets = range(len(self.by_budget))
        return pandas.DataFrame({"budget": budgets, "by_budget": self.by_budget, "at_most": self.at_most})

    @property
    def exact(self) -> bool:
        return self.by_budget == self.at_most

    def _title(self) -> str:
        things = "graph" if self.answers and self.answers[0].node is None else "node"
        return f"certified accuracy of {self.count:,} {things}{'' if self.count == 1 else 's'}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{budget}</td><td>{low:.1%}{f' to {high:.1%}' if high > low else ''}</td></tr>"
            for budget, (low, high) in enumerate(zip(self.by_budget, self.at_most, strict=True))
        )
        head = "<tr><th>budget</th><th>right and proved</th></tr>"
        return f"<table><caption>{self._title()}</caption>{head}{rows}</table>"

    def __str__(self) -> str:
        lines = [self._title(), "budget  share"]
        for budget, (low, high) in enumerate(zip(self.by_budget, self.at_most, strict=True)):
            lines.append(f"{budget:>6}  {low:.1%}" + (f" to {high:.1%}" if high > low else ""))
        return "\n".join(lines)


def certified_accuracy(
    network: Network,
    graph: Graph | Sequence[Graph],
    threat: Threat,
    nodes: str | ArrayLike = "all",
    *,
    labels: ArrayLike | None = None,
    timeout: float | None = None,
    executor: Executor | Any = None,
    workers: int = 0,
    store: str | PathLike[str] | None = None,
    progress: bool | Callable[[int, int], object] | None = None,
) -> CertifiedAccuracy:
    """The share of `nodes` whose prediction is right and provably stays right, for every budget up to `threat.budget`.

    graph: one, or for a network that classifies graphs a sequence of them. nodes: as in `Plan`, "test" for instance.
    labels: the true classes, one a vertex (or graph); default: those of the graph. timeout (seconds) holds for each
    node. executor and workers as in `verify_many`; workers=0 computes here. progress: called with the number of nodes
    that are answered and of all that are asked about; `print` will do. True: told on stderr.
    store: a folder; what it holds is not asked again, what is found is added, so that the call can be made again.
    Ctrl-C raises `Interrupted`, whose `answer` is what is known: nodes without an answer count in `at_most` alone.
    """
    graphs = tuple(graph) if isinstance(graph, Sequence) else (graph,)
    require_parts(network, graphs, threat)
    if "budget" in threat.rules:
        raise InputError(
            "budget: certified accuracy is a curve over budgets that hold for all nodes, got a rule by degree; "
            "a sweep with --budget degree+0, degree+1, .. and its report draw that curve"
        )
    chosen = choose(nodes, graph if network.task == "node" else graphs)
    if chosen.size == 0:
        raise InputError("nodes: expected at least one, got none")
    truth = _true_classes(network, graphs, labels)
    questions = []
    for one in chosen.tolist():
        at, node = (0, one) if network.task == "node" else (one, None)
        if predicted_class(network, graphs[at], node) == truth[one]:
            questions.append(Question(threat, node, truth[one], radius=True, graph=at))
    answers: list[Answer] = []
    # without small limits first: nobody sees an answer before the last one is there
    try:
        for answer in verify_many(
            network, graph, questions, executor, workers=None if executor is not None else workers, store=store,
            timeout=timeout, passes=False, progress=progress,
        ):  # fmt: skip
            if isinstance(answer.result, Failure):
                raise EdgeproofError(f"{answer.result.error}: {answer.result.message}")
            answers.append(answer)
    except KeyboardInterrupt:
        known = _accuracy(answers, len(questions) - len(answers), int(chosen.size), threat.budget)
        raise Interrupted(known) from None
    return _accuracy(answers, 0, int(chosen.size), threat.budget)


def _accuracy(answers: Sequence[Answer], waiting: int, count: int, cap: int | None) -> CertifiedAccuracy:
    """waiting: how many have no answer yet."""
    most = cap
    if most is None:
        most = max((answer.lower + 1 for answer in answers if not answer.robust), default=0)
    return CertifiedAccuracy(
        tuple(_share(answers, count, budget, proved=True) for budget in range(most + 1)),
        tuple(_share(answers, count, budget, proved=False) + waiting / count for budget in range(most + 1)),
        count,
        tuple(answers),
    )


def _true_classes(network: Network, graphs: Sequence[Graph], labels: ArrayLike | None) -> list[int]:
    if network.task == "node" and len(graphs) != 1:
        raise InputError(f"graph: the network classifies vertices, expected one graph, got {len(graphs)}")
    count = graphs[0].num_vertices if network.task == "node" else len(graphs)
    if labels is None:
        held: Iterable[Any] = [graphs[0].labels] if network.task == "node" else [one.labels for one in graphs]
        if any(one is None or (one.ndim == 0) == (network.task == "node") for one in held):
            raise InputError("labels: the graph has no true classes, expected them to be given")
        labels = np.concatenate([np.reshape(one, -1) for one in held])
    array = frozen_ints(labels, "labels")
    if array.shape != (count,):
        raise InputError(f"labels: expected {count} numbers, got shape {array.shape}")
    return [int(one) for one in array]


def _share(answers: Sequence[Answer], count: int, budget: int, *, proved: bool) -> float:
    def kept(answer: Answer) -> bool:
        known = answer.lower if proved else answer.upper
        return bool(answer.robust or known is None or known >= budget)

    return sum(map(kept, answers)) / count
