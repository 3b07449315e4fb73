"""The Python source of a model's functions, from the expressions of an RDDL domain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import Domain
from bonspiel.envs.rddl.expressions import Expressions
from bonspiel.envs.rddl.storage import Storage, bare
from bonspiel.envs.rddl.uses import loop_invariant
from bonspiel.envs.rddl.writer import Writer
from bonspiel.planners.model import Array

HEAD = '''"""{name}: the problem's functions, written by bonspiel from its expressions in RDDL."""

import math

import numpy as np

from bonspiel.planners.jit import compiled

{definitions}


@compiled("step")
'''
SAMPLE = '''

@compiled("sample_action")
def sample_action(state, action, params, rng):
    """Uniform within bounds; a whole number where a coordinate has no others."""
    for i in range({count}):
        low, high = params[{low} + i], params[{high} + i]
        if params[{whole} + i] != 0.0:
            action[i] = low + np.floor((high - low + 1.0) * rng.random())
        else:
            action[i] = low + (high - low) * rng.random()
'''


@dataclass(frozen=True)
class Source:
    """The source of a module with `step` and `sample_action`.

    Attributes:
        text: of the module.
        params: the constants that the functions read: of the domain, then bounds of the action's coordinates, and 1
            for each that has only whole numbers.
        time_index: the coordinate of the state that counts the steps, its last one.
    """

    text: str
    params: Array
    time_index: int


def write_source(domain: Domain, actions: Actions, generator: Callable[[Any, str], str] | None = None) -> Source:
    """Write the source of a problem.

    Args:
        domain: of the problem.
        actions: its actions as a vector.
        generator: as for `Expressions`.

    Raises:
        Refused: a construct that cannot be compiled.
    """
    if domain.rddl.observ_fluents:
        raise domain.refuse("observ-fluent", "pvariables")
    storage, out = Storage(domain, actions), Writer()
    write = Expressions(domain, storage, out, generator)
    with out.block("def step(state, action, next_state, params, rng):"):
        out.line(f'"""A step of {domain.name}: the reward, and whether the episode is over."""')
        if storage.interm_dim:
            out.line(f"interm = np.empty({storage.interm_dim})")
        for fluent in filter(lambda one: one not in storage.inlined, domain.expressions):
            _fluent(write, fluent)
        time = storage.time
        out.line(f"next_state[{time}] = state[{time}] + 1.0")
        write.where = "reward"
        reward = storage.names.fresh("reward")
        out.line(f"{reward} = {bare(write.number(domain.rddl.reward, {}))}")
        out.line(f"return {reward}, {_end(write)}")
    start, count = len(storage.params), len(actions.low)
    whole = np.array([kind != "real" for kind in actions.kinds], dtype=float)
    text = HEAD.format(name=domain.name, definitions="\n".join(storage.definitions)) + "\n".join(out.lines) + "\n"
    text += SAMPLE.format(count=count, low=start, high=start + count, whole=start + 2 * count)
    return Source(text, np.concatenate([storage.params, actions.low, actions.high, whole]), storage.time_index)


def _fluent(write: Expressions, fluent: str) -> None:
    """Compute a fluent for all combinations of objects; sums that an inner loop does not change stand before it."""
    variables, expression = write.domain.expressions[fluent]
    write.where = fluent
    scope, flag = (
        {name: write.variable(name, kind, {}) for name, kind in variables},
        write.domain.range(fluent) == "bool",
    )

    def compute(outer: int) -> None:
        if outer == len(variables):
            value = write.value(expression, scope)
            target = write.storage.target(fluent, [one.code for one in scope.values()])
            write.out.line(f"{target} = {bare(value.code if flag and target.isidentifier() else value.number)}")
            return
        known = {name for name, _ in variables[:outer]}
        for one in loop_invariant(expression, known) if outer else ():
            if one.id not in write.known:
                write.known[one.id] = write.value(one, scope)
        write.loop([variables[outer]], scope, lambda: compute(outer + 1))

    compute(0)
    write.known.clear()


def _end(write: Expressions) -> str:
    """Whether the episode is over: a termination holds after the step, or an invariant of the state does not."""
    write.after = True
    ends = []
    for condition in write.domain.rddl.terminations:
        write.where = "termination"
        ends.append(write.value(condition, {}).code)
    for condition in write.domain.rddl.invariants:
        if not write.domain.is_constant(condition):
            write.where = "state-invariants"
            ends.append(f"not {write.value(condition, {}).code}")
    return " or ".join(ends) or "False"
