"""Model predictive control by do-mpc (IPOPT) beside planners over sequences, in the same episodes; needs do-mpc 5.1.2.

python docs/studies/mpc.py pendulum double_integrator --episodes 10

For each: mean return and its standard error, mean and 99th percentile of a decision's time, mean change of the action.
"""

import argparse
import math
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import casadi
import do_mpc
import numpy as np

from bonspiel import envs, planners
from bonspiel.envs.classic.pendulum.model import MAX_SPEED, TIME_STEP
from bonspiel.planners import Array, Budget, Model
from bonspiel.runs.draws import environment_rng

PLANNERS = ["icem:memory=1,knots=6,rate_cost=1", "mppi:memory=1,octaves=8,knots=6,rate_cost=30"]


def pendulum(state: Any, action: Any, model: Any) -> tuple[Any, Any]:
    """The next angle and speed, and the cost, as expressions; see `envs.classic.pendulum`."""
    angle, speed = state[0], state[1]
    from_upright = casadi.atan2(casadi.sin(angle), casadi.cos(angle))
    cost = from_upright**2 + 0.1 * speed**2 + 0.001 * action**2
    fall = 1.5 * model.g / model.length * casadi.sin(angle)
    after = speed + (fall + 3.0 / (model.mass * model.length**2) * action) * TIME_STEP
    after = casadi.fmin(casadi.fmax(after, -MAX_SPEED), MAX_SPEED)
    return casadi.vertcat(angle + after * TIME_STEP, after), cost


def double_integrator(state: Any, action: Any, model: Any) -> tuple[Any, Any]:
    """The next place and speed without noise, and the cost, as expressions; see `envs.classic.double_integrator`."""
    place, speed = state[0], state[1]
    after = casadi.vertcat(place + 0.1 * speed + 0.005 * action, speed + 0.1 * action)
    return after, place**2 + 0.1 * speed**2 + action**2


PROBLEMS = {"pendulum": pendulum, "double_integrator": double_integrator}


class DoMpc:
    """The decisions of an episode, each from do-mpc's last solution; the plan is not cut at the end of the episode."""

    def __init__(self, problem: str, model: Model, lookahead: int) -> None:
        symbols = do_mpc.model.Model("discrete")
        state, action = symbols.set_variable("_x", "x", (2, 1)), symbols.set_variable("_u", "u")
        after, cost = PROBLEMS[problem](state, action, model)
        symbols.set_rhs("x", after)
        symbols.set_expression("cost", cost)
        symbols.setup()
        self.mpc: Any = do_mpc.controller.MPC(symbols)
        self.mpc.settings.n_horizon, self.mpc.settings.t_step = lookahead, 1.0
        self.mpc.settings.supress_ipopt_output()
        self.mpc.set_objective(mterm=casadi.DM(0), lterm=symbols.aux["cost"])
        self.mpc.set_rterm(u=0.0)
        self.mpc.bounds["lower", "_u", "u"], self.mpc.bounds["upper", "_u", "u"] = model.action_low, model.action_high
        self.mpc.setup()
        self.begun = False

    def decide(self, state: Array) -> Array:
        """The action in a state."""
        if not self.begun:
            self.mpc.x0, self.begun = state[:2], True
            self.mpc.set_initial_guess()
        action: Array = np.ravel(self.mpc.make_step(state[:2].reshape(-1, 1)))
        return action


def begin(name: str, problem: str, model: Model, lookahead: int, budget: int, seed: int) -> Callable[[Array], Array]:
    """The decisions of an episode: actions by state."""
    if name == "do-mpc":
        return DoMpc(problem, model, lookahead).decide
    search, rng = planners.begin_episode(planners.parse(name), model), np.random.default_rng(seed)
    return lambda state: search.plan(state, Budget(budget), rng).action


def row(name: str, problem: str, lookahead: int, budget: int, episodes: int) -> str:
    """A line of the table: episodes begin, and are disturbed, as those of `bonspiel run PROBLEM` are."""
    model: Any = envs.make_model(problem)
    returns, seconds, changes = [], list[float](), list[float]()
    for episode in range(episodes):
        decide = begin(name, problem, model, lookahead, budget, episode)
        state, total, actions = model.initial_state(environment_rng(0, episode, 0)), 0.0, list[Array]()
        for step in range(model.horizon):
            start = time.perf_counter()
            with redirect_stdout(StringIO()):
                action = np.clip(decide(state), model.action_low, model.action_high)
            seconds.append(time.perf_counter() - start)
            following = np.empty_like(state)
            total += model.step(state, action, following, model.params, environment_rng(0, episode, step + 1))[0]
            actions.append(action)
            state = following
        returns.append(total)
        changes.append(float(np.abs(np.diff(actions, axis=0)).mean()))
    error = np.std(returns, ddof=1) / math.sqrt(episodes)
    late = np.quantile(seconds, 0.99)
    times = f"{1e3 * np.mean(seconds):.1f} | {1e3 * late:.1f}"
    return f"| {problem} | `{name}` | {np.mean(returns):.1f} ± {error:.1f} | {times} | {np.mean(changes):.3f} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+", choices=[*PROBLEMS])
    parser.add_argument("--planner", action="append")
    parser.add_argument("--lookahead", type=int, default=50, help="of do-mpc (default: 50, that of the planners)")
    parser.add_argument("--budget", type=int, default=1_000, help="simulations of a decision (default: 1000)")
    parser.add_argument("--episodes", type=int, default=10)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print("| problem | planner | return | ms | p99 ms | mean change |\n|---|---|---|---|---|---|")
    for problem in given.problems:
        for name in ("do-mpc", *(given.planner or PLANNERS)):
            print(row(name, problem, given.lookahead, given.budget, given.episodes), flush=True)


if __name__ == "__main__":
    main()
