"""MPPI by pytorch-mppi, as a planner of bonspiel: `torch_mppi:TorchMPPI` in this folder; needs pytorch-mppi 0.9.1."""

from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numba
import numpy as np
import torch
from pytorch_mppi import MPPI

from bonspiel.planners import Decision
from bonspiel.planners.kernel import (
    Traits,
    check_plan,
    discrete_actions,
    missing_action_bounds,
    steps_left,
    two_players,
)


def step_each(step, states, actions, next_states, rewards, over, params, rng):
    """One step of every sequence; one that is over earns nothing more."""
    for i in range(len(states)):
        rewards[i] = 0.0
        if not over[i]:
            rewards[i], over[i] = step(states[i], actions[i], next_states[i], params, rng)


step_each_compiled = numba.njit(step_each)


@dataclass(frozen=True)
class TorchMPPI:
    """Rounds of `population` sequences; the mean sequence is kept, shifted, from decision to decision."""

    population: int = 100
    temperature: float = 1.0  # in units of the return
    sd: float = 0.5  # of the perturbations, as a part of an action's range
    lookahead: int = 30

    traits: ClassVar[Traits] = Traits(takes_root_actions=False)
    memory: ClassVar[float] = 1.0

    def unsupported(self, model):
        """Refuse what pytorch-mppi cannot plan in."""
        return two_players(model) or discrete_actions(model) or missing_action_bounds(model)

    def plan(self, model, state, budget, rng, root_actions=None):
        """One decision, without earlier ones."""
        return self.begin_episode(model).plan(state, budget, rng, root_actions)

    def begin_episode(self, model):
        """The search of an episode, which keeps the mean sequence."""
        return _Episode(self, model)


class _Episode:
    def __init__(self, planner, model):
        self.planner, self.model, self.controller = planner, model, None

    def plan(self, state, budget, rng, root_actions=None):
        start, planner = perf_counter(), self.planner
        state = check_plan(planner, self.model, state, budget, rng, root_actions)
        self.rng = rng  # of the model's noise
        torch.manual_seed(int(rng.integers(2**63)))  # of the perturbations
        self.prepare(steps_left(self.model, state, planner.lookahead))
        size = self.controller.K = min(planner.population, budget.simulations or planner.population)
        done, over = 0, False
        while not over:
            action = self.controller.command(state, shift_nominal_trajectory=False)
            done += size
            spent = perf_counter() - start
            over = done + size > budget.simulations if budget.simulations else spent > budget.seconds
        chosen = np.clip(action.numpy(), self.model.action_low, self.model.action_high)
        return Decision(chosen, np.nan, done, spent, chosen[None], np.array([done]), np.array([np.nan]))

    def prepare(self, steps):
        """A mean sequence of `steps` actions: the last one, shifted, or the middle of the range."""
        if self.controller is not None:
            self.controller.shift_nominal_trajectory()
            return self.controller.change_horizon(steps)
        low, high = torch.tensor(self.model.action_low), torch.tensor(self.model.action_high)
        sigma, middle = torch.diag((self.planner.sd * (high - low)) ** 2), (low + high) / 2
        means = {"u_init": middle, "U_init": middle.repeat(steps, 1), "horizon": steps}
        rules = {"u_min": low, "u_max": high, "lambda_": self.planner.temperature, "step_dependent_dynamics": True}
        self.controller = MPPI(self.step, self.cost, self.model.state_dim, sigma, **means, **rules)

    def step(self, states, actions, t):
        model, states, actions = self.model, states.contiguous().numpy(), actions.contiguous().numpy()
        if t == 0:
            self.over, self.weight = np.zeros(len(states), bool), 1.0
        next_states, rewards = states.copy(), np.empty(len(states))
        each = step_each_compiled if model.compiled else step_each
        each(model.step, states, actions, next_states, rewards, self.over, model.params, self.rng)
        self.costs = torch.from_numpy(-self.weight * rewards)
        self.weight *= model.discount
        return torch.from_numpy(next_states)

    def cost(self, states, actions, t):
        return self.costs
