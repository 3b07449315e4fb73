"""Go for two agents: a PettingZoo AEC environment (needs the extra `pettingzoo`)."""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo import AECEnv

from envs.go.env import GoEnv
from envs.go.state import MOVER
from planners.checks import require_choice

AGENTS = ["black_0", "white_0"]
Observation = dict[str, NDArray[Any]]


class GoAEC(AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """A game of Go between the agents "black_0" and "white_0".

    Actions, rules and arguments are those of `envs.go.env.GoEnv`. An observation is a dictionary of "observation", the
    state, and "action_mask", 1 for the legal moves of the player to move, who alone has any. At the end the winner's
    reward is 1, the other's -1; a draw gives 0 to both.

    Raises:
        ValueError: a value that is not allowed, an unknown agent, or an illegal move; the message names it.
        gymnasium.error.ResetNeeded: the game has not begun.
    """

    metadata: ClassVar[dict[str, Any]] = {**GoEnv.metadata, "name": "go_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        super().__init__()
        self.game = GoEnv(render_mode=render_mode, **arguments)
        self.render_mode = render_mode
        self.possible_agents = AGENTS[:]
        self.agents: list[str] = []
        parts: dict[str, spaces.Space[Any]] = {
            "observation": self.game.observation_space,
            "action_mask": spaces.Box(0, 1, (self.game.model.max_actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.game.model.max_actions) for agent in AGENTS}
        self._mask = np.zeros(self.game.model.max_actions, np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The state and the mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The points and the pass."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, from `options["state"]` if given; other options are ignored, as PettingZoo wants it."""
        given = {key: (options or {})[key] for key in {"state"} & set(options or {})}
        _, info = self.game.reset(seed=seed, options=given)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._mask, self.agent_selection = info["action_mask"], self._mover()

    def observe(self, agent: str) -> Observation:
        """The state, and the agent's legal moves."""
        require_choice("agent", agent, AGENTS)
        state = self.game.state
        mask = self._mask if agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": state, "action_mask": mask.copy()}

    def step(self, action: int | None) -> None:
        """Play for the selected agent."""
        if not self.game.path:
            raise ResetNeeded("the game has not begun: call reset() first")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        _, reward, over, _, info = self.game.step(action)
        self.rewards = {"black_0": reward, "white_0": -reward}
        self.terminations = dict.fromkeys(AGENTS, over)
        self._mask, self.agent_selection = info["action_mask"], self._mover()
        self._accumulate_rewards()

    def render(self) -> NDArray[np.uint8] | None:
        """See `GoEnv`."""
        return self.game.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.game.close()

    def _mover(self) -> str:
        return AGENTS[int(self.game.state[self.game.model.area + MOVER] < 0.0)]


def env(**arguments: Any) -> GoAEC:
    """A game, without PettingZoo's wrappers; see `GoAEC`."""
    return GoAEC(**arguments)
