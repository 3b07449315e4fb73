"""Returns with a constant added to every reward, for docs/results/leaderboard.md.

python docs/studies/leaderboard.py
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel import planners
from bonspiel.envs.classic.donut import model as donut
from bonspiel.envs.rollout import follow
from bonspiel.envs.trap import model as trap
from bonspiel.planners import Budget
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

CONSTANT = -1  # the place in params
CONSTANTS = (0.0, 10.0, -10.0)
NAMES = ("abstraction", "scaled_abstraction", "adaptive", "weighted_uct", "uct:leaf=tree")


@compiled("step")
def trap_step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """A step of Trap; its reward and the constant."""
    reward, terminated = trap.step(state, action, next_state, params, rng)
    return reward + params[CONSTANT], terminated


@compiled("rollout")
def trap_rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions."""
    return follow(trap.sample_action, trap_step, state, np.empty(1), scratch, depth, params, rng)


@compiled("step")
def donut_step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """A step of Donut; its reward and the constant."""
    reward, terminated = donut.step(state, action, next_state, params, rng)
    return reward + params[CONSTANT], terminated


@compiled("rollout")
def donut_rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions."""
    return follow(donut.sample_action, donut_step, state, np.empty(2), scratch, depth, params, rng)


@dataclass(frozen=True)
class ShiftedTrap(trap.Trap):
    """Trap with a constant in every reward."""

    constant: float = 0.0

    step = staticmethod(trap_step)
    rollout = staticmethod(trap_rollout)

    @cached_property
    def params(self) -> Array:
        """Those of Trap, then the constant."""
        return np.append(trap.Trap(self.noise_range, self.noise).params, self.constant)


@dataclass(frozen=True)
class ShiftedDonut(donut.Donut):
    """Donut with a constant in every reward."""

    constant: float = 0.0

    step = staticmethod(donut_step)
    rollout = staticmethod(donut_rollout)

    @cached_property
    def params(self) -> Array:
        """Those of Donut, then the constant."""
        return np.append(donut.Donut(self.radius, self.width, self.noise).params, self.constant)


def episode(model: ShiftedTrap | ShiftedDonut, name: str, number: int, simulations: int) -> float:
    """The return of an episode without the constant."""
    noise, rng = np.random.default_rng((1, number)), np.random.default_rng((2, number))
    search = planners.begin_episode(planners.parse(name), model)
    state, total = model.initial_state(noise), 0.0
    for _ in range(model.horizon):
        action, after = search.plan(state, Budget(simulations), rng).action, np.empty(model.state_dim)
        total += model.step(state, action, after, model.params, noise)[0] - model.constant
        state = after
    return total


def rows(episodes: int, simulations: int) -> dict[str, list[tuple[float, float]]]:
    """Mean return and its standard error by planner, with each constant in Trap, then in Donut."""
    found: dict[str, list[tuple[float, float]]] = {}
    for name in NAMES:
        for problem in (ShiftedTrap, ShiftedDonut):
            for constant in CONSTANTS:
                model = problem(constant=constant)
                returns = [episode(model, name, number, simulations) for number in range(episodes)]
                error = np.std(returns, ddof=1) / np.sqrt(episodes)
                found.setdefault(name, []).append((float(np.mean(returns)), float(error)))
    return found


if __name__ == "__main__":
    for planner, cells in rows(200, 100).items():
        print(f"| `{planner}` | {' | '.join(f'{mean:.3f} +- {error:.3f}' for mean, error in cells)} |")
