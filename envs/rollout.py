"""Rollouts of compiled models: a policy acts until the episode or the lookahead ends."""

from typing import Any

from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array, Rng


@helper
def follow(
    policy: Any,
    step: Any,
    state: Array,
    action: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    discount: float = 1.0,
) -> float:
    """Return of a policy over at most `depth` steps.

    Args:
        policy: writes an action, with the arguments of `sample_action`, which is the uniform policy.
        step: of the model.
        state: where to start; receives the last state before the end of an episode.
        action: receives the actions, [action_dim].
        scratch: receives the next states, [state_dim].
        depth: most steps.
        params: of the model.
        rng: for the policy and the steps.
        discount: of the model.
    """
    total, weight = 0.0, 1.0
    for _ in range(depth):
        policy(state, action, params, rng)
        reward, terminated = step(state, action, scratch, params, rng)
        total += weight * reward
        if terminated:
            break
        weight *= discount
        for i in range(len(state)):
            state[i] = scratch[i]
    return total
