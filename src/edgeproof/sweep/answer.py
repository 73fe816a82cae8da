"""What a sweep gives back for one question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

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

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        return f"Failure({where}: {self.error}: {self.message})"


Result = Verdict | Radius | Failure


@dataclass(frozen=True)
class Answer:
    """Reads like the Verdict, Radius or Failure that it holds: `answer.status`, `answer.attack`, `answer.lower`.

    key: identifies the question in a store. implied_by: the key of the answer that settled this one, if any.
    """

    question: Question
    key: str
    result: Result
    implied_by: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "result":  # while unpickling there is no result yet
            raise AttributeError(name)
        return getattr(self.result, name)

    def __repr__(self) -> str:
        return f"Answer({self.result!r})"
