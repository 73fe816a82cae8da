"""What a sweep gives back for one question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..model.verdict import Attack, Radius, Stats, Verdict
from .plan import Question


@dataclass(frozen=True)
class Failure:
    """The question could not be answered; it has the fields of an answer, but is none."""

    error: str
    message: str
    node: int | None = None
    stats: Stats = field(default_factory=Stats, compare=False)
    status: Literal["error"] = "error"
    label: int | None = None
    attack: Attack | None = None
    rival: int | None = None
    reason: str | None = None
    exact: bool = False
    robust: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the same names."""
        return {
            "status": self.status, "node": self.node, "error": self.error, "message": self.message,
            "stats": dict(self.stats),
        }  # fmt: skip

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        return f"Failure({where}: {self.error}: {self.message})"


Result = Verdict | Radius | Failure


def _plain(budget: Any) -> Any:
    """A number, one for each vertex, or in words what makes the number."""
    if budget is None or isinstance(budget, int):
        return budget
    return budget.tolist() if isinstance(budget, np.ndarray) else str(budget)


@dataclass(frozen=True)
class Answer:
    """Reads like the Verdict, Radius or Failure that it holds: `answer.status`, `answer.attack`, `answer.lower`.

    key: identifies the question in a store. implied_by: the key of the answer that settled this one, if any.
    """

    question: Question
    key: str
    result: Result
    implied_by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields of its result with those of the question, as plain values: a row of a table.

        `pandas.DataFrame(answer.to_dict() for answer in answers)` is such a table.
        """
        asked, threat = self.question, self.question.threat
        return {
            "key": self.key, "graph": asked.graph, "budget": _plain(threat.budget),
            "local_budget": _plain(threat.local_budget),
            "target": asked.target, "implied_by": self.implied_by, **self.result.to_dict(),
        }  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "result":  # while unpickling there is no result yet
            raise AttributeError(name)
        return getattr(self.result, name)

    def __repr__(self) -> str:
        return f"Answer({self.result!r})"
