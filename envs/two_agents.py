"""Base class of PettingZoo environments for games of two agents (needs the extra `pettingzoo`)."""

from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from bonspiel.envs.base import ModelEnv

Observation = TypeVar("Observation")
Action = TypeVar("Action")


class TwoAgents(AECEnv[str, Observation, Action | None]):  # type: ignore[misc]
    """A game between two agents, over an environment whose player +1 is the first of them.

    Args:
        game: both players' environment.
        agents: their names.

    Raises:
        gymnasium.error.ResetNeeded: a step before the game has begun.
    """

    observation_spaces: dict[str, Space[Any]]
    action_spaces: dict[str, Space[Any]]

    def __init__(self, game: ModelEnv, agents: tuple[str, str]) -> None:
        super().__init__()
        self.game, self.render_mode = game, game.render_mode
        self.possible_agents = list(agents)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, from `options["state"]` if given; other options are ignored, as PettingZoo wants it."""
        given = {key: (options or {})[key] for key in {"state"} & set(options or {})}
        _, info = self.game.reset(seed=seed, options=given)
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._select(info)

    def step(self, action: Action | None) -> None:
        """Act for the selected agent."""
        if not (self.game.path and self.agents):
            raise ResetNeeded("the game has not begun or is over: call reset() first")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        _, reward, over, _, info = self.game.step(action)  # type: ignore[arg-type]
        self.rewards = dict(zip(self.possible_agents, (reward, self.second_reward(reward, over)), strict=True))
        self.terminations = dict.fromkeys(self.possible_agents, over)
        self._select(info)
        self._accumulate_rewards()

    def render(self) -> NDArray[np.uint8] | None:
        """See the environment of the game."""
        return self.game.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.game.close()

    @property
    @abstractmethod
    def mover(self) -> int:
        """The agent that moves next, 0 or 1."""

    def second_reward(self, reward: float, over: bool) -> float:
        """The second agent's reward for a step."""
        return -reward

    def _select(self, info: dict[str, Any]) -> None:
        self.agent_selection = self.possible_agents[self.mover]
