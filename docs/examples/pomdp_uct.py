"""UCT by pomdp-py, as a planner of bonspiel: `pomdp_uct:PomdpUCT` in this folder; needs pomdp-py 1.3.5.1."""

import random
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numpy as np
import pomdp_py
from pomdp_py.utils.templates import SimpleAction, SimpleObservation, SimpleState

from bonspiel.planners import Decision
from bonspiel.planners.kernel import Traits, action_set, check_plan, missing_action_bounds, steps_left, two_players


@dataclass(frozen=True)
class PomdpUCT:
    """POUCT with the state as observation, on the action set of `uct`."""

    exploration: float = 1.0
    n_actions: int = 8
    lookahead: int | None = None

    traits: ClassVar[Traits] = Traits(takes_root_actions=False)

    def unsupported(self, model):
        """Refuse what POUCT cannot plan in."""
        return two_players(model) or missing_action_bounds(model)

    def plan(self, model, state, budget, rng, root_actions=None):
        """One decision."""
        start = perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        random.seed(int(rng.integers(2**63)))  # pomdp-py draws from Python's own generator
        vectors = {SimpleAction(str(number)): one for number, one in enumerate(action_set(model, self.n_actions))}
        policy, steps = _AnyAction(vectors), steps_left(model, state, self.lookahead)
        search = pomdp_py.POUCT(
            max_depth=steps,
            num_sims=budget.simulations or -1,
            planning_time=budget.seconds or -1.0,
            discount_factor=model.discount,
            exploration_const=self.exploration * 2**0.5,  # C sqrt(2 ln N / n) here, C sqrt(ln N / n) there
            rollout_policy=policy,
        )
        belief = pomdp_py.Particles([SimpleState((tuple(state), steps))])
        agent = pomdp_py.Agent(belief, policy, blackbox_model=_Simulator(model, vectors, rng))
        best = search.plan(agent)
        edges = [agent.tree[action] for action in vectors]
        visits = np.array([edge.num_visits for edge in edges])
        values = np.where(visits > 0, [edge.value for edge in edges], np.nan)
        actions, spent = np.array(list(vectors.values())), perf_counter() - start
        return Decision(vectors[best], agent.tree[best].value, search.last_num_sims, spent, actions, visits, values)


class _AnyAction(pomdp_py.RolloutPolicy):
    def __init__(self, actions):
        self.actions = list(actions)

    def get_all_actions(self, state=None, history=None):
        return self.actions

    def rollout(self, state, history=None):
        return random.choice(self.actions)


class _Simulator(pomdp_py.BlackboxModel):
    """States are vectors with the steps left of the plan; POUCT may take one step more, which earns nothing."""

    def __init__(self, model, vectors, rng):
        self.model, self.vectors, self.rng = model, vectors, rng

    def sample(self, state, action):
        vector, left = state.data
        if not left:
            return state, SimpleObservation(vector), 0.0, 1
        following = np.empty(len(vector))
        reward, over = self.model.step(np.array(vector), self.vectors[action], following, self.model.params, self.rng)
        vector = tuple(following)
        return SimpleState((vector, 0 if over else left - 1)), SimpleObservation(vector), reward, 1
