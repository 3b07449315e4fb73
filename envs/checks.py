"""A check for authors of models: does the model keep the contract that planners rely on?"""

import copy
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.role_checks import OPTIONAL, InvalidResult, check_refinement, checked_step, sampled_action
from bonspiel.planners.checks import offers, require, require_count, require_positive
from bonspiel.planners.core.actions import action_sd
from bonspiel.planners.core.bounds import distance_weights
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.jit import SIGNATURES
from bonspiel.planners.kinds import BOOLEAN, CATEGORICAL, KINDS, REAL, is_discrete, kind_codes
from bonspiel.planners.model import Array, HasActions, HasActionSd, HasCells, HasStateBounds, HasTimeIndex, Model, Rng

BRIEF = (1, 4, 16)  # numbers of states to check, while time is left
BRIEF_SECONDS = 0.02

REQUIRED = [name for name in vars(Model) if not name.startswith("_")]


def check_model(model: Model, rng: Rng | None = None, states: int = 100) -> None:
    """Call every function of a model along random episodes and check the contract of `planners.Model`.

    Args:
        model: the model, compiled or not.
        rng: chooses the states and actions; a compiled model is called with copies of it, in both forms.
        states: number of states to look at.

    Raises:
        ValueError: the model breaks the contract; names the function or attribute and what is wrong.
    """
    instead = (
        "a planners.Model: take bonspiel.envs.from_gymnasium(env), or env.unwrapped.model of an environment of bonspiel"
    )
    require(not hasattr(model, "action_space"), "model", model, instead)
    _check_attributes(model)
    require(isinstance(rng, np.random.Generator), "rng", rng, "a Generator, such as numpy.random.default_rng(0)")
    assert rng is not None
    seen: list[Array] = []
    while len(seen) < states:
        state = _initial_state(model, rng)
        for _ in range(min(model.horizon, states - len(seen))):
            seen.append(state)
            action = sampled_action(model, state, rng)
            state, terminated = checked_step(model, "step", state, action, rng)
            if terminated:
                break
    for name, check in OPTIONAL.items():
        if getattr(model, name, None) is not None:
            for state in seen:
                check(model, state, rng)
    if offers(model, HasCells):
        check_refinement(model, seen, rng)


def check_briefly(model: Model, rng: Rng) -> None:
    """As `check_model`, of so few states that it takes less than a tenth of a second, or that one state's calls take.

    Invalid results and exceptions pass unless there are some in every try, since a search counts them and goes on.

    Args:
        model: see `check_model`.
        rng: see `check_model`.

    Raises:
        ValueError: see `check_model`.
    """
    start, invalid, passed = time.perf_counter(), None, False
    for states in BRIEF:
        try:
            check_model(model, rng, states)
            passed = True
        except Exception as error:
            if isinstance(error, ValueError) and not isinstance(error, InvalidResult):
                raise
            invalid = error
        if passed and time.perf_counter() - start > BRIEF_SECONDS:
            break
    if invalid is not None and not passed:
        raise invalid


def _check_attributes(model: Model) -> None:
    for name in REQUIRED:
        require(hasattr(model, name), name, "missing", "an attribute of the model")
    require_count("state_dim", model.state_dim)
    require_count("horizon", model.horizon)
    require_positive("discount", model.discount, 1.0)
    low, high = model.action_low, model.action_high
    _check_vector("action_low", low, None)
    _check_vector("action_high", high, len(low))
    _check_vector("params", model.params, None)
    codes = kind_codes(model)
    real = codes == REAL if len(codes) > 0 else np.ones(len(low), bool)
    below = np.where(real, low < high, low <= high)
    require(below.all(), "action_low", low, f"below action_high={high}")
    _check_kinds(low, high, codes)
    for name in ("state_low", "state_high"):
        given, dim = getattr(model, name, None), model.state_dim
        require(given is None or np.shape(given) == (dim,), name, given, f"a vector of {dim} numbers")
    if offers(model, HasStateBounds):
        lowest, highest = np.asarray(model.state_low), np.asarray(model.state_high)
        at_most = (lowest <= highest).all()  # a coordinate that is always the same concerns searches with cells alone
        require(at_most, "state_low", lowest, f"at most state_high={highest}")
    period = getattr(model, "action_period", None)
    fits = period is None or (np.shape(period) == np.shape(low) and (np.asarray(period) > 0.0).all())
    require(fits, "action_period", period, f"a vector of {len(low)} numbers above 0, inf for a coordinate without one")
    discrete = is_discrete(model)
    require(
        not discrete or offers(model, HasActions), "discrete", discrete, "False without `actions` and `max_actions`"
    )
    if offers(model, HasTimeIndex):
        last = model.state_dim - 1
        require_count("time_index", model.time_index, 0, last)
    if offers(model, HasActionSd):
        action_sd(model)
    distance_weights(model)
    null_action(model)
    if (lookahead := getattr(model, "lookahead", None)) is not None:
        require_count("lookahead", lookahead, 0)  # 0 limits nothing
    for name in SIGNATURES if model.compiled else ():
        function = getattr(model, name, None)
        decorated = f'decorated with bonspiel.planners.jit.compiled("{name}"), since the model says compiled=True'
        require(function is None or hasattr(function, "py_func"), name, function, decorated)


def _check_kinds(low: Array, high: Array, codes: NDArray[np.int64]) -> None:
    """Bounds of whole numbers are whole, those of booleans 0 and 1 at most, and categoricals begin with 0."""
    for k, code in enumerate(codes.tolist()):
        of = f"whole where action_kinds[{k}]={KINDS[code]!r}"
        whole = low[k] == np.floor(low[k]) and high[k] == np.floor(high[k])
        require(code == REAL or whole, f"bounds of coordinate {k}", (low[k], high[k]), of)
        within = code != BOOLEAN or (low[k] >= 0.0 and high[k] <= 1.0)
        require(within, f"bounds of boolean coordinate {k}", (low[k], high[k]), "0 and 1")
        begins = code != CATEGORICAL or low[k] == 0.0
        require(begins, f"action_low[{k}]", low[k], "0, the first value of a categorical coordinate")


def _check_vector(name: str, value: Any, length: int | None) -> None:
    ok = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1
    require(ok and value.flags.c_contiguous, name, value, "a contiguous float64 vector")
    require(length is None or len(value) == length, name, value, f"of length {length}")
    require(np.isfinite(value).all(), name, value, "finite")


def _initial_state(model: Model, rng: Rng) -> Array:
    state, again = model.initial_state(rng), model.initial_state(rng)
    _check_vector("initial_state(...)", state, model.state_dim)
    one, other = (model.initial_state(copy.deepcopy(rng)) for _ in range(2))
    same = np.array_equal(one, other, equal_nan=True)
    require(same, "initial_state(...)", other, f"{one} again with a copy of the generator; draw from rng alone")
    require(not np.shares_memory(state, again), "initial_state(...)", state, "a new array at every call")
    if offers(model, HasTimeIndex):
        begins = 0.0 <= state[model.time_index] < model.horizon
        allowed = f"one with steps left: from 0 to {model.horizon - 1} in entry time_index={model.time_index}"
        require(begins, "initial_state(...)", state, allowed)
    return state
