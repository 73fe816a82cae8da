"""HiGHS through highspy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .outcome import Outcome, SolverMissingError
from .program import FEASIBLE, Program


def solve(program: Program, seconds: float | None, nodes: int | None) -> Outcome:
    """One thread, as the other engines have."""
    try:
        import highspy
    except ImportError:
        raise SolverMissingError("'edgeproof[mip]'", "highspy (solver highs)") from None
    highs = configured(highspy)
    highs.setOptionValue("objective_target", -program.enough)
    if seconds is not None:
        highs.setOptionValue("time_limit", max(seconds, 1e-3))
    if nodes is not None:
        highs.setOptionValue("mip_max_nodes", nodes)
    highs.passModel(model_of(highspy, program))
    highs.run()
    return _read(highspy, highs, program)


def configured(highspy: Any) -> Any:
    """Presolve is off: it was seen to call programs infeasible that have a solution."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("presolve", "off")
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"):
        highs.setOptionValue(name, FEASIBLE)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.0)
    return highs


def model_of(highspy: Any, program: Program) -> Any:
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.lower.size, program.row_lower.size
    cost = np.zeros(program.lower.size)
    cost[program.goal] = -1.0
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = program.row_ptr.astype(np.int32)
    lp.a_matrix_.index_ = program.row_columns.astype(np.int32)
    lp.a_matrix_.value_ = program.row_values
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[integer] for integer in program.integer.astype(int).tolist()]
    return lp


def _read(highspy: Any, highs: Any, program: Program) -> Outcome:
    status, info = highs.getModelStatus(), highs.getInfo()
    nodes = max(int(info.mip_node_count), 0)
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        found = highs.getSolution().col_value
        flips = np.rint(np.array(found[: program.flips])).astype(np.int64)
        return Outcome("found", flips, nodes, program.unscaled(found[at] for at in program.free))
    kind = highspy.HighsModelStatus
    if status == kind.kInfeasible:
        return Outcome("none", None, nodes)
    if status == kind.kTimeLimit:
        return Outcome("timeout", None, nodes)
    if status in (kind.kIterationLimit, kind.kSolutionLimit):
        return Outcome("node limit", None, nodes)
    return Outcome("numerics", None, nodes)
