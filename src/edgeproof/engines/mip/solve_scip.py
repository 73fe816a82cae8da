"""SCIP through PySCIPOpt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .arena import UNDECIDED
from .outcome import Answer, Outcome, SolverMissingError
from .program import FEASIBLE, Program

# decisions about pairs -> columns and their ends in the program's units; None if no assignment is left
Tighten = Callable[[IntArray], tuple[list[int], FloatArray, FloatArray] | None]

_GAVE_UP: dict[str, Answer] = {
    "timelimit": "timeout", "nodelimit": "node limit", "totalnodelimit": "node limit", "memlimit": "memory",
}  # fmt: skip


def solve(program: Program, seconds: float | None, nodes: int | None, tighten: Tighten | None = None) -> Outcome:
    """Pairs are branched on before anything else and cuts are off.

    Once every pair is decided the network is a plain evaluation, so no other branching is as good; cuts slow down
    every linear program of the tree and hardly raise its bound.
    """
    try:
        import pyscipopt
    except ImportError:
        raise SolverMissingError("'edgeproof[mip]'", "PySCIPOpt (solver scip)") from None
    model, columns = _load(pyscipopt, program)
    model.setSeparating(pyscipopt.SCIP_PARAMSETTING.OFF)
    model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)
    model.setParam("limits/primal", -program.enough)
    if seconds is not None:
        model.setParam("limits/time", max(seconds, 1e-3))
    if nodes is not None:
        model.setParam("limits/totalnodes", nodes)
    if tighten is not None:
        _include_tightening(pyscipopt, model, columns, program, tighten)
    model.optimize()
    return _read(model, columns, program)


def _load(pyscipopt: Any, program: Program) -> tuple[Any, list[Any]]:
    scip = pyscipopt.scip
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("misc/catchctrlc", False)  # Ctrl-C belongs to the caller
    model.setParam("numerics/feastol", FEASIBLE)
    model.setParam("numerics/epsilon", 1e-12)  # columns have a range of 1 or 2
    model.setParam("numerics/dualfeastol", FEASIBLE)
    columns = []
    for at, (lower, upper, integer) in enumerate(
        zip(program.lower.tolist(), program.upper.tolist(), program.integer.tolist(), strict=True)
    ):
        cost = -1.0 if at == program.goal else 0.0
        columns.append(model.addVar("", "B" if integer else "C", lower, upper, cost))
        if at < program.flips:
            model.chgVarBranchPriority(columns[at], 1000)
    terms = [scip.Term(column) for column in columns]
    for which, values, lower, upper in program.rows():
        row = scip.Expr({terms[j]: value for j, value in zip(which.tolist(), values.tolist(), strict=True)})
        ends = (None if lower == -np.inf else lower, None if upper == np.inf else upper)
        model.addCons(scip.ExprCons(row, *ends))
    return model, columns


def _read(model: Any, columns: list[Any], program: Program) -> Outcome:
    status, nodes = model.getStatus(), int(model.getNTotalNodes())
    if model.getNSols() > 0:
        best = model.getBestSol()
        flips = np.array([round(best[column]) for column in columns[: program.flips]], dtype=np.int64)
        values = program.unscaled(float(best[columns[at]]) for at in program.free)
        return Outcome("found", flips, nodes, values)
    if status == "infeasible":
        return Outcome("none", None, nodes)
    return Outcome(_GAVE_UP.get(status, "numerics"), None, nodes)


def _include_tightening(pyscipopt: Any, model: Any, columns: list[Any], program: Program, tighten: Tighten) -> None:
    """Boxes again wherever the tree has decided about pairs ("aggressive")."""
    done, cutoff = {"result": pyscipopt.SCIP_RESULT.DIDNOTFIND}, {"result": pyscipopt.SCIP_RESULT.CUTOFF}

    class Boxes(pyscipopt.Prop):  # type: ignore[misc]
        seen: bytes = b""

        def propinitsol(self) -> None:
            self.columns = [self.model.getTransformedVar(column) for column in columns]

        def propexec(self, proptiming: int) -> dict[str, int]:
            flips = np.full(program.flips, UNDECIDED)
            for at, column in enumerate(self.columns[: program.flips]):
                if column.getLbLocal() > 0.5:
                    flips[at] = 1
                elif column.getUbLocal() < 0.5:
                    flips[at] = 0
            # boxes depend on these decisions alone, and were put into the program at its root
            if flips.tobytes() == self.seen or (flips == UNDECIDED).all():
                return {"result": pyscipopt.SCIP_RESULT.DIDNOTRUN}
            self.seen = flips.tobytes()
            found = tighten(flips)
            if found is None:
                return cutoff
            tightened = False
            for at, lower, upper in zip(found[0], found[1].tolist(), found[2].tolist(), strict=True):
                for change, end in ((self.model.tightenVarLb, lower), (self.model.tightenVarUb, upper)):
                    infeasible, changed = change(self.columns[at], end)
                    if infeasible:
                        return cutoff
                    tightened |= changed
            return {"result": pyscipopt.SCIP_RESULT.REDUCEDDOM} if tightened else done

    model.includeProp(
        Boxes(), "boxes", "interval bounds under the decisions of this node", presolpriority=0, presolmaxrounds=0,
        proptiming=pyscipopt.SCIP_PROPTIMING.BEFORELP, freq=1, delay=False,
    )  # fmt: skip
    for column in columns:
        model.markDoNotMultaggrVar(column)
