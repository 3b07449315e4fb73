"""Simple regret of first actions, by dynamic programming."""

import numpy as np
from numpy.typing import ArrayLike

import envs
from planners.base import Array, check_actions


def simple_regret(env: str, first_actions: ArrayLike, actions: ArrayLike | None = None) -> Array:
    """V*(s) - Q*(s, a) of first actions a in the initial state s: the loss if all later ones are optimal.

    Args:
        env: the environment's text.
        first_actions: [n, action_dim].
        actions: the only ones to choose from later, [A, action_dim], as for a planner with a fixed set; all if None.

    Returns:
        [n], at least 0.

    Raises:
        TypeError: the optimum of this environment is not known, or its episodes start in different states.
        ValueError: the actions are of the wrong shape or out of bounds.
    """
    from envs.optimal import solve

    model = envs.parse(env)
    start, other = (model.initial_state(np.random.default_rng(seed)) for seed in (0, 1))
    if (start != other).any():
        raise TypeError(f"no simple regret in {env}: its episodes start in different states")
    reference = solve(model, actions)
    first = np.asarray(first_actions, np.float64)
    if len(first) == 0:
        return np.zeros(0)
    # many episodes begin alike, above all those of planners with a fixed set of actions
    chosen, places = np.unique(check_actions(model, first, "first_actions"), axis=0, return_inverse=True)
    lost = reference.value(start) - np.array([reference.q(start, action) for action in chosen])
    # an action between those of which V* is computed may be better than it, by less than its accuracy
    return np.asarray(np.maximum(lost, 0.0)[places.ravel()])
