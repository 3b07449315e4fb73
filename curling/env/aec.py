"""Curling for two agents: a PettingZoo AEC environment (needs the extra `pettingzoo`)."""

from typing import Any, ClassVar

from bonspiel.curling.env.environment import CurlingEnv, mixed_doubles_arguments
from bonspiel.curling.match.state import team_of
from bonspiel.envs.two_agents import TwoAgents
from bonspiel.planners.checks import require, require_choice
from bonspiel.planners.model import Array


class CurlingAEC(TwoAgents[Array, Array]):
    """A match of curling between the agents "team_0" and "team_1".

    Actions, observations, rules and arguments are those of `CurlingEnv` without an opponent; both agents see the whole
    state. Agents need not alternate: who scores with the last stone of an end throws first in the next. With
    `reward="points"` an agent's reward is its points less the other's, with "win" 1, 1/2 or 0 at the end, with
    "win_probability" its own.

    Args:
        render_mode: "rgb_array", "human" or None.
        arguments: of `CurlingEnv`, but no opponent and no `opponent_simulations`.

    Raises:
        ValueError: an argument that is not allowed; the message names it.
        gymnasium.error.ResetNeeded: the match has not begun.
    """

    metadata: ClassVar[dict[str, Any]] = {**CurlingEnv.metadata, "name": "curling_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        for name in ("opponent", "opponent_simulations"):
            given = arguments.pop(name, None)
            require(given is None, name, given, "None, since both teams are agents")
        self.match = CurlingEnv(render_mode=render_mode, **arguments)
        super().__init__(self.match, ("team_0", "team_1"))
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.match.observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, self.match.action_space)

    def observe(self, agent: str) -> Array:
        """The state."""
        require_choice("agent", agent, self.possible_agents)
        return self.match.state

    @property
    def mover(self) -> int:
        """The team that throws next."""
        return int(team_of(self.match.state))

    def second_reward(self, reward: float, over: bool) -> float:
        """Points are lost by the other team; chances to win add up to 1."""
        if self.match.model.reward == "points":
            return -reward
        return 1.0 - reward if over else 0.0


def env(**arguments: Any) -> CurlingAEC:
    """A match, without PettingZoo's wrappers; see `CurlingAEC`."""
    return CurlingAEC(**arguments)


def mixed_doubles_env(**arguments: Any) -> CurlingAEC:
    """A match of mixed doubles, as `CurlingMixedDoubles-v0`; see `CurlingAEC`."""
    return CurlingAEC(**mixed_doubles_arguments(arguments))
