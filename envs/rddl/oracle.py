"""The step of a problem as pyRDDLGym interprets it: what compiled steps are compared with, and their substitute."""

from typing import Any

import numpy as np

from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import COLOURS, Domain, Refused
from bonspiel.planners.model import Array, Rng


class Interpreter:
    """A step of pyRDDLGym's simulator from any state, with flat states and actions as compiled functions have.

    Args:
        domain: of the problem.
        actions: its actions as a vector.
    """

    def __init__(self, domain: Domain, actions: Actions) -> None:
        self.domain, self.actions = domain, actions

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """Write the next state; the reward, and whether the episode is over."""
        simulator, rddl = self.domain.simulator, self.domain.rddl
        simulator.rng = rng
        simulator.subs = {**simulator.init_values, **self.fluents(state), **self.action_fluents(action)}
        _, reward, terminated = simulator.step({})
        start = 0
        for fluent in rddl.state_fluents:
            count = self.domain.count(fluent)
            next_state[start : start + count] = np.ravel(simulator.subs[fluent])
            start += count
        next_state[start] = state[start] + 1.0
        return float(reward), bool(terminated or not simulator.check_state_invariants(silent=True))

    def check_types(self, state: Array) -> None:
        """Step once from a state, which shows expressions of a type that pyRDDLGym does not take.

        Raises:
            Refused: names the expression.
        """
        from pyRDDLGym.core.debug.exception import RDDLTypeError

        try:
            self.step(state, self.actions.null, np.empty_like(state), np.zeros(0), np.random.default_rng(0))
        except RDDLTypeError as error:
            reason = " ".join(COLOURS.sub("", str(error)).split())
            raise Refused(f"rddl:{self.domain.name}: a type that RDDL does not allow: {reason}") from error
        except Exception:  # a value out of range, say, which compiled steps answer by an invalid one
            return

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Uniform within bounds; a whole number where a coordinate has no others."""
        low, high = self.actions.low, self.actions.high
        for i, kind in enumerate(self.actions.kinds):
            width = high[i] - low[i]
            action[i] = low[i] + (width * rng.random() if kind == "real" else np.floor((width + 1.0) * rng.random()))

    def fluents(self, state: Array) -> dict[str, Any]:
        """The values of the state fluents in a state."""
        found, start = {}, 0
        for fluent in self.domain.rddl.state_fluents:
            count = self.domain.count(fluent)
            found[fluent] = self._shaped(fluent, state[start : start + count])
            start += count
        return found

    def action_fluents(self, action: Array) -> dict[str, Any]:
        """The values of the action fluents in an action."""
        found, domain = {}, self.domain
        for fluent in domain.rddl.action_fluents:
            block, start = self.actions.block_of(fluent), self.actions.starts[fluent]
            count, given = domain.count(fluent), action[start : start + len(block.low)]
            values = domain.values(fluent).copy() if block.slots or block.rows is not None else given
            if block.rows is not None:
                for row, which in enumerate(given.astype(int)):
                    if which:
                        values[row * (count // len(given)) + which - 1] = 1.0
            elif block.slots:
                before = sum(map(domain.count, block.fluents[: block.fluents.index(fluent)]))
                for which in {int(one) - 1 - before for one in given}:
                    if 0 <= which < count:
                        values[which] = 1.0 - domain.values(fluent)[which]
            found[fluent] = self._shaped(fluent, values)
        return found

    def _shaped(self, fluent: str, values: Array) -> Any:
        like = np.asarray(self.domain.simulator.init_values[fluent])
        whole = values if like.dtype == float else np.rint(values)
        shaped = np.reshape(whole, like.shape).astype(like.dtype)
        return shaped if like.shape else shaped[()]
