"""Tiny models with known answers, compiled and as plain Python."""

from dataclasses import dataclass, fields

import numpy as np

from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import SIGNATURES, compiled
from bonspiel.planners.model import AimBlock


@compiled("sample_action")
def sample_unit(state, action, params, rng):
    action[0] = rng.random()


class UnitBox:
    """Base of the tiny models: actions in [0, 1], one player, no discount."""

    discount = 1.0
    compiled = True
    params = np.zeros(1)
    action_low = np.zeros(1)
    action_high = np.ones(1)
    sample_action = staticmethod(sample_unit)

    def initial_state(self, rng):
        return np.zeros(self.state_dim)

    @staticmethod
    def is_best(action):
        return action[0] >= 0.5


@compiled("step")
def bandit_step(state, action, next_state, params, rng):
    next_state[0] = 1.0
    return (0.6 if action[0] >= 0.5 else 0.3) + 0.04 * (rng.random() - 0.5), True


@dataclass(frozen=True)
class Bandit(UnitBox):
    """One pull: 0.3 or 0.6, with noise."""

    best = 0.6
    state_dim = 1
    horizon = 1
    state_low = np.zeros(1)
    state_high = np.ones(1) * 2
    step = staticmethod(bandit_step)


@compiled("step")
def chain_step(state, action, next_state, params, rng):
    right = action[0] >= 0.5
    next_state[0] = state[0] + 1.0 if right else 0.0
    if next_state[0] == 3.0:
        return 1.0, True
    return (0.0 if right else 0.05), False


@compiled("rollout")
def chain_rollout(state, scratch, depth, params, rng):
    return 0.1 * depth


@dataclass(frozen=True)
class Chain(UnitBox):
    """Deterministic: three times right earns 1, a step back to the start 0.05; discount 0.9, so the best is 0.81."""

    best = 0.81
    discount = 0.9
    state_dim = 1
    horizon = 5
    state_low = np.zeros(1)
    state_high = np.ones(1) * 4
    step = staticmethod(chain_step)
    rollout = staticmethod(chain_rollout)


@compiled("step")
def diamond_step(state, action, next_state, params, rng):
    high = action[0] >= 0.5
    next_state[1] = state[1] + 1.0
    if state[1] == 0.0:
        next_state[0] = 1.0 if high else 2.0
        return 0.0, False
    next_state[0] = 3.0
    if state[0] == 1.0:
        return (0.5 if high else 0.4), True
    return (0.9 if high else 0.1), True


@compiled("player")
def diamond_player(state, params):
    return 1.0 if state[1] == 0.0 else -1.0


@dataclass(frozen=True)
class Diamond(UnitBox):
    """Two players: high leads to 0.4 or 0.5, low to 0.1 or 0.9, as the opponent chooses; minimax is 0.4 by high."""

    best = 0.4
    state_dim = 2
    horizon = 2
    time_index = 1
    state_low = np.zeros(2)
    state_high = np.ones(2) * 4
    distance_weights = np.array([np.inf, np.inf])
    step = staticmethod(diamond_step)
    player = staticmethod(diamond_player)


@compiled("step")
def handover_step(state, action, next_state, params, rng):
    high = action[0] >= 0.5
    next_state[0] = 1.0
    next_state[1] = 1.0 if high else -1.0
    if state[0] == 0.0:
        return (0.0 if high else 0.2), False
    return (1.0 if high else 0.0), True


@compiled("player")
def handover_player(state, params):
    return state[1]


@compiled("cells")
def handover_cells(state, first, last, params, out):
    box_cells(state[:1], first, last, params, out)


@dataclass(frozen=True)
class Handover(UnitBox):
    """Low earns 0.2 and hands the second move to the opponent, at the same place as the first player.

    The second move earns 1 or 0, high or low, so the best is 1 by high. A planner that shares the statistics of a place
    between the players finds it worth the same to both, and takes the 0.2 as well.
    """

    best = 1.0
    state_dim = 2
    horizon = 2
    params = np.array([0.0, 2.0])
    distance_weights = np.array([1.0, 0.0])
    step = staticmethod(handover_step)
    player = staticmethod(handover_player)
    cells = staticmethod(handover_cells)

    def initial_state(self, rng):
        return np.array([0.0, 1.0])


@compiled("step_exact")
def target_step_exact(state, action, next_state, params, rng):
    next_state[0] = action[0]
    next_state[1] = state[1] + 1.0
    return 0.0, False


@compiled("step")
def target_step(state, action, next_state, params, rng):
    next_state[1] = state[1] + 1.0
    if state[1] == 0.0:
        next_state[0] = action[0] + 0.05 * rng.standard_normal()
        return 0.0, False
    next_state[0] = state[0]
    narrow, broad = abs(state[0] - 0.3) < 0.01, abs(state[0] - 0.7) < 0.1
    return (1.0 if narrow else (0.8 if broad else 0.0)), True


@compiled("rollout")
def target_rollout(state, scratch, depth, params, rng):
    return target_step(state, state, scratch, params, rng)[0] + 0.01 * rng.random()


@dataclass(frozen=True)
class Target(UnitBox):
    """Throw at a line, then score by where it lies: 1 within 0.01 of 0.3, 0.8 within 0.1 of 0.7."""

    narrow, broad, sd = 0.3, 0.7, 0.05
    state_dim = 2
    horizon = 2
    time_index = 1
    step = staticmethod(target_step)
    step_exact = staticmethod(target_step_exact)
    rollout = staticmethod(target_rollout)
    state_low = np.array([-1.0, 0.0])
    state_high = np.array([2.0, 3.0])

    def aim_grid(self, state, size):
        places = np.linspace(0.0, 1.0, size)
        return [AimBlock(places[None, :, None], (0.0, self.sd * (size - 1)))]


@dataclass(frozen=True)
class Estimated(Target):
    """Target with an estimate of the return."""

    value = staticmethod(target_rollout)


@compiled("step")
def duel_step(state, action, next_state, params, rng):
    next_state[0] = state[0] + action[0] - 0.5 + 0.1 * (rng.random() - 0.5)
    next_state[1] = state[1] + 1.0
    over = next_state[1] == 4.0
    return (1.0 if over and next_state[0] > 0.0 else 0.0), over


@compiled("player")
def duel_player(state, params):
    return 1.0 - 2.0 * (state[1] % 2.0)


@compiled("actions")
def duel_actions(state, params, out, keys):
    # the player who leads may do one thing more
    count = 3 if state[0] > 0.0 else 2
    for i in range(count):
        out[i, 0] = 0.25 + 0.25 * i
        keys[i] = np.uint64(1000 * (i + 1))
    return count


@compiled("rollout")
def duel_rollout(state, scratch, depth, params, rng):
    return 1.0 if state[0] + 0.2 * (rng.random() - 0.5) > 0.0 else 0.0


@dataclass(frozen=True)
class Duel(UnitBox):
    """Two players push x up and down by turns; it ends above or below 0. The player in front has a third push."""

    state_dim = 2
    horizon = 4
    time_index = 1
    max_actions = 3
    state_low = np.array([-2.0, 0.0])
    state_high = np.array([2.0, 4.0])
    step = staticmethod(duel_step)
    player = staticmethod(duel_player)
    actions = staticmethod(duel_actions)
    rollout = staticmethod(duel_rollout)


@dataclass(frozen=True)
class Spoilt:
    """Rewards that are not numbers, of actions and of rollouts from a threshold on."""

    threshold: float = -np.inf

    @property
    def params(self):
        return np.array([self.threshold])


@compiled("step")
def spoilt_target_step(state, action, next_state, params, rng):
    reward, over = target_step(state, action, next_state, params, rng)
    return (np.nan if action[0] >= params[0] else reward), over


@compiled("step_exact")
def spoilt_target_step_exact(state, action, next_state, params, rng):
    reward, over = target_step_exact(state, action, next_state, params, rng)
    return (np.nan if action[0] >= params[0] else reward), over


@compiled("rollout")
def spoilt_target_rollout(state, scratch, depth, params, rng):
    total = target_rollout(state, scratch, depth, params, rng)
    return np.nan if state[0] >= params[0] else total


@compiled("step")
def spoilt_duel_step(state, action, next_state, params, rng):
    reward, over = duel_step(state, action, next_state, params, rng)
    return (np.nan if action[0] >= params[0] else reward), over


@compiled("rollout")
def spoilt_duel_rollout(state, scratch, depth, params, rng):
    total = duel_rollout(state, scratch, depth, params, rng)
    return np.nan if state[0] >= params[0] else total


@dataclass(frozen=True)
class SpoiltTarget(Spoilt, Target):
    step = staticmethod(spoilt_target_step)
    step_exact = staticmethod(spoilt_target_step_exact)
    rollout = staticmethod(spoilt_target_rollout)


@dataclass(frozen=True)
class SpoiltDuel(Spoilt, Duel):
    step = staticmethod(spoilt_duel_step)
    rollout = staticmethod(spoilt_duel_rollout)


SOLVED = (Bandit(), Chain(), Diamond(), Handover())  # `best` is the value of an optimal first move, which `is_best`
MODELS = (*SOLVED, Target(), Duel())


def python_twin(model):
    """The same model as plain Python: the sources of its compiled functions, uncompiled."""
    functions = {role: staticmethod(getattr(model, role).py_func) for role in SIGNATURES if hasattr(model, role)}
    cls = type(model)
    twin = type(f"Python{cls.__name__}", (cls,), {"compiled": False, **functions})
    return twin(**{field.name: getattr(model, field.name) for field in fields(model)})
