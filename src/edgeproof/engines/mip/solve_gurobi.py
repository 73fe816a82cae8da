"""Gurobi through gurobipy, for those who have a licence."""

from __future__ import annotations

from typing import Any

import numpy as np

from .outcome import Answer, Outcome, SolverMissingError
from .program import FEASIBLE, Program


def solve(program: Program, seconds: float | None, nodes: int | None) -> Outcome:
    """One thread, pairs branched on first."""
    try:
        import gurobipy
    except ImportError:
        raise SolverMissingError("gurobipy", "gurobipy (solver gurobi)") from None
    with gurobipy.Env(empty=True) as environment:
        environment.setParam("OutputFlag", 0)
        environment.start()
        with gurobipy.Model(env=environment) as model:
            return _run(gurobipy, model, program, seconds, nodes)


def _run(gurobipy: Any, model: Any, program: Program, seconds: float | None, nodes: int | None) -> Outcome:
    kinds = np.where(program.integer, gurobipy.GRB.BINARY, gurobipy.GRB.CONTINUOUS)
    columns = [
        model.addVar(lower, upper, 0.0, kind)
        for lower, upper, kind in zip(program.lower.tolist(), program.upper.tolist(), kinds.tolist(), strict=True)
    ]
    for column in columns[: program.flips]:
        column.BranchPriority = 1
    for which, values, lower, upper in program.rows():
        row = gurobipy.LinExpr(values.tolist(), [columns[j] for j in which.tolist()])
        if lower == upper:
            model.addLConstr(row, gurobipy.GRB.EQUAL, lower)
            continue
        if lower > -np.inf:
            model.addLConstr(row, gurobipy.GRB.GREATER_EQUAL, lower)
        if upper < np.inf:
            model.addLConstr(row, gurobipy.GRB.LESS_EQUAL, upper)
    model.setObjective(columns[program.goal], gurobipy.GRB.MAXIMIZE)
    model.setParam("OptimalityTol", FEASIBLE)
    for name in ("FeasibilityTol", "IntFeasTol"):
        model.setParam(name, FEASIBLE)
    model.setParam("Threads", 1)
    model.setParam("MIPGap", 0.0)
    model.setParam("MIPGapAbs", 0.0)
    model.setParam("BestObjStop", program.enough)
    if seconds is not None:
        model.setParam("TimeLimit", max(seconds, 1e-3))
    if nodes is not None:
        model.setParam("NodeLimit", nodes)
    model.optimize()
    explored, status = int(model.NodeCount), model.Status
    if model.SolCount > 0:
        flips = np.array([round(column.X) for column in columns[: program.flips]], dtype=np.int64)
        return Outcome("found", flips, explored)
    if status == gurobipy.GRB.INFEASIBLE:
        return Outcome("none", None, explored)
    code = gurobipy.GRB
    limits: dict[int, Answer] = {
        code.TIME_LIMIT: "timeout", code.NODE_LIMIT: "node limit", code.MEM_LIMIT: "memory",
    }  # fmt: skip
    return Outcome(limits.get(status, "numerics"), None, explored)
