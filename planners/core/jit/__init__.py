"""Everything that knows numba: decorators, lazy loading, calls by address, atomic operations.

A search kernel is compiled once and serves every model: it calls the model's functions by their addresses, with
`step(problem, ...)` and its siblings. The same source also runs uncompiled for a model written in plain Python, whose
functions are then called as they are. `planners.core.problem` says what a problem is.

An author of a model needs two decorators: `compiled("step")` for the functions of the model protocol, and `helper` for
what they call. An author of a planner needs `search_kernel` of `planners.core.problem`, `helper` and `model_helper`.
"""

from numba import boolean, float64, int64, typeof, uint64

from bonspiel.planners.core.jit.calls import (
    Problem,
    actions,
    address_of,
    cells,
    player,
    priors,
    region,
    run,
    runner,
    sample_action,
)
from bonspiel.planners.core.jit.decorators import (
    MATRIX,
    RNG,
    ROLES,
    SIGNATURES,
    VECTOR,
    compiled,
    helper,
    kernel,
    model_helper,
)
from bonspiel.planners.core.jit.lazy import CompiledFunction, compile_missing, seconds_loading
from bonspiel.planners.core.jit.rollouts import meet_again, rollout, step, step_exact, traced_rollout
from bonspiel.planners.core.jit.settings import INTERPRETED
from bonspiel.planners.core.jit.tables import table
from bonspiel.planners.core.jit.validity import gain_of, guarded, merged_validity, new_validity, no_validity

__all__ = [
    "INTERPRETED",
    "MATRIX",
    "RNG",
    "ROLES",
    "SIGNATURES",
    "VECTOR",
    "CompiledFunction",
    "Problem",
    "actions",
    "address_of",
    "boolean",
    "cells",
    "compile_missing",
    "compiled",
    "float64",
    "gain_of",
    "guarded",
    "helper",
    "int64",
    "kernel",
    "meet_again",
    "merged_validity",
    "model_helper",
    "new_validity",
    "no_validity",
    "player",
    "priors",
    "region",
    "rollout",
    "run",
    "runner",
    "sample_action",
    "seconds_loading",
    "step",
    "step_exact",
    "table",
    "traced_rollout",
    "typeof",
    "uint64",
]
