"""What a sweep asks: nodes or graphs, times threats, times targets. Questions are made as they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.arrays import IntArray, frozen_ints
from ..model.by_degree import ByDegree
from ..model.graph import Graph
from ..model.network import Network
from ..model.threat import Threat

Target = int | Literal["next"] | None


@dataclass(frozen=True, eq=False)
class Question:
    """One verdict or radius. label None: the predicted class; target None: against every other class, "next": against
    the class after the label, cyclically (the paper's weak robustness). graph: its number, where there are several.
    """

    threat: Threat
    node: int | None = None
    label: int | None = None
    target: Target = None
    radius: bool = False
    graph: int = 0


class Ask(NamedTuple):
    """A question within its group; `position` is its number in the plan, `threat` the number of its threat."""

    position: int
    threat: int
    target: Target
    radius: bool


class Group(NamedTuple):
    """Questions about the same node (or graph) and label: what one of them learns can settle others."""

    graph: int
    node: int | None
    label: int | None
    asks: tuple[Ask, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """Every node (or graph) with every threat and target.

    nodes: "all", the name of a mask of the graph ("train", "val", "test"), indices or booleans; for graph tasks, the
    numbers of the graphs. radius: ask for radii (each threat's budget is its cap) instead of verdicts.

    >>> plan = Plan(threats=[Threat(1), Threat(5, local_budget=2)], nodes=[3, 4], targets=[None, "next"])
    >>> len(plan.on(Graph([[0], [1]], [[1.0]] * 5, directed=True)))
    8
    """

    threats: Sequence[Threat]
    nodes: str | ArrayLike = "all"
    targets: Sequence[Target] = (None,)
    label: int | None = None
    radius: bool = False

    def on(self, graphs: Graph | Sequence[Graph]) -> Questions:
        """The questions of this plan about a graph (its nodes) or a dataset of graphs (each as a whole)."""
        if not self.threats or not self.targets:
            raise InputError("plan: expected at least one threat and one target")
        chosen = choose(self.nodes, graphs)
        return _Product(self, chosen, by_node=isinstance(graphs, Graph))


class Questions(ABC):
    """A numbered sequence of questions in groups; `threats` is the table that asks refer to."""

    threats: Sequence[Threat]

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def groups(self) -> Iterator[Group]:
        """All groups in order; may be called again for another pass."""

    def question(self, group: Group, ask: Ask) -> Question:
        return Question(self.threats[ask.threat], group.node, group.label, ask.target, ask.radius, group.graph)


class _Product(Questions):
    def __init__(self, plan: Plan, chosen: IntArray, by_node: bool) -> None:
        self.threats = tuple(plan.threats)
        self._plan, self._chosen, self._by_node = plan, chosen, by_node
        order = asking_order(self.threats)
        self._each = [(threat, target) for target in plan.targets for threat in order]

    def __len__(self) -> int:
        return self._chosen.size * len(self._each)

    def groups(self) -> Iterator[Group]:
        position = 0
        for one in self._chosen:
            asks = tuple(Ask(position + k, *each, self._plan.radius) for k, each in enumerate(self._each))
            position += len(asks)
            graph, node = (0, int(one)) if self._by_node else (int(one), None)
            yield Group(graph, node, self._plan.label, asks)


class Listed(Questions):
    """Questions that somebody listed; neighbours in the list about the same node and label form a group."""

    def __init__(self, questions: Iterable[Question]) -> None:
        number: dict[int, int] = {}
        threats: list[Threat] = []
        self._groups: list[Group] = []
        position = 0
        for position, one in enumerate(questions, 1):
            if not isinstance(one, Question):
                raise InputError(f"queries: expected a Plan or Questions, got {type(one).__name__}")
            if id(one.threat) not in number:
                number[id(one.threat)] = len(threats)
                threats.append(one.threat)
            ask = Ask(position - 1, number[id(one.threat)], one.target, one.radius)
            last = self._groups[-1] if self._groups else None
            if last is not None and last[:3] == (one.graph, one.node, one.label):
                self._groups[-1] = last._replace(asks=(*last.asks, ask))
            else:
                self._groups.append(Group(one.graph, one.node, one.label, (ask,)))
        self.threats, self._count = tuple(threats), position

    def __len__(self) -> int:
        return self._count

    def groups(self) -> Iterator[Group]:
        return iter(self._groups)


def _size(budget: int | IntArray | ByDegree | None) -> float:
    """A guess is enough: of a rule, what it gives a vertex of degree 4."""
    if isinstance(budget, ByDegree):
        return float(budget.of(4))
    return np.inf if budget is None else float(np.mean(budget))


def asking_order(threats: Sequence[Threat]) -> list[int]:
    """The largest threat first, since `robust` under it settles all it contains; then upwards, since an attack found
    under a small one settles all that contain it.
    """

    def size(number: int) -> tuple[float, float]:
        return _size(threats[number].budget), _size(threats[number].local_budget)

    upwards = sorted(range(len(threats)), key=size)
    return upwards[-1:] + upwards[:-1]


def choose(nodes: str | ArrayLike, graphs: Graph | Sequence[Graph]) -> IntArray:
    """The numbers of the nodes (or graphs) that are meant."""
    node_task = isinstance(graphs, Graph)
    count = graphs.num_vertices if isinstance(graphs, Graph) else len(graphs)
    things = "vertices" if node_task else "graphs"
    masks: Mapping[str, np.ndarray] = graphs.masks if isinstance(graphs, Graph) else {}
    if isinstance(nodes, str):
        if nodes == "all":
            return np.arange(count)
        if nodes not in masks:
            known = ", ".join(["all", *masks])
            raise InputError(f"nodes: expected one of {known}, or numbers, got {nodes!r}")
        return np.flatnonzero(masks[nodes])
    given = np.asarray(nodes)
    if given.dtype == np.bool_:
        if given.shape != (count,):
            raise InputError(f"nodes: expected {count} booleans, one for each of the {things}, got shape {given.shape}")
        return np.flatnonzero(given)
    chosen = frozen_ints(given, "nodes")
    if chosen.ndim != 1:
        raise InputError(f"nodes: expected a list of numbers, got shape {chosen.shape}")
    outside = (chosen < 0) | (chosen >= count)
    if outside.any():
        raise InputError(f"nodes: {chosen[outside][0]} is out of range, there are {count} {things}")
    if np.unique(chosen).size < chosen.size:
        raise InputError("nodes: expected every number once")
    return chosen


def check(network: Network, graphs: Sequence[Graph], questions: Questions) -> None:
    """Refuse at the start what would fail in every question."""
    for graph in graphs:
        if network.num_features != graph.features.num_columns:
            raise InputError(
                f"the network expects {network.num_features} features, the graph has {graph.features.num_columns}"
            )
    if network.task == "graph" and any("budget" in threat.rules for threat in questions.threats):
        raise InputError("budget: by degree is for questions about a node; the network classifies graphs")
    if not isinstance(questions, _Product):
        return  # a list may be mixed: what is wrong with one question is recorded as its error
    plan = questions._plan
    for threat in questions.threats:
        for graph in {one.num_vertices: one for one in graphs}.values():
            threat.check_against(graph)
        if threat.insert == "target" and network.task == "graph":
            raise InputError("insert: 'target' needs a node task")
    for field, values in (("label", [plan.label]), ("target", plan.targets)):
        for value in values:
            known = value is None or value == "next"
            if not known and not (isinstance(value, int) and 0 <= value < network.num_classes):
                raise InputError(f"{field}: {value} is out of range, there are {network.num_classes} classes")
