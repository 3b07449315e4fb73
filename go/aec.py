"""Go for two agents: a PettingZoo AEC environment (needs the extra `pettingzoo`)."""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bonspiel.envs.two_agents import TwoAgents
from bonspiel.go.env import GoEnv
from bonspiel.go.state import MOVER
from bonspiel.planners.checks import require_choice

Observation = dict[str, NDArray[Any]]


class GoAEC(TwoAgents[Observation, int]):
    """A game of Go between the agents "black_0" and "white_0".

    Actions, rules and arguments are those of `go.env.GoEnv`. An observation is a dictionary of "observation", the
    state, and "action_mask", 1 for the legal moves of the player to move, who alone has any. At the end the winner's
    reward is 1, the other's -1; a draw gives 0 to both.

    Raises:
        ValueError: a value that is not allowed, an unknown agent, or an illegal move; the message names it.
        gymnasium.error.ResetNeeded: the game has not begun.
    """

    metadata: ClassVar[dict[str, Any]] = {**GoEnv.metadata, "name": "go_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        game = GoEnv(render_mode=render_mode, **arguments)
        super().__init__(game, ("black_0", "white_0"))
        self._area, moves = game.model.area, game.model.max_actions
        parts: dict[str, spaces.Space[Any]] = {
            "observation": game.observation_space,
            "action_mask": spaces.Box(0, 1, (moves,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(moves) for agent in self.possible_agents}
        self._mask = np.zeros(moves, np.int8)

    def observe(self, agent: str) -> Observation:
        """The state, and the agent's legal moves."""
        require_choice("agent", agent, self.possible_agents)
        state = self.game.state
        mask = self._mask if agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": state, "action_mask": mask.copy()}

    @property
    def mover(self) -> int:
        """0 for Black, 1 for White."""
        return int(self.game.state[self._area + MOVER] < 0.0)

    def _select(self, info: dict[str, Any]) -> None:
        super()._select(info)
        self._mask = info["action_mask"]


def env(**arguments: Any) -> GoAEC:
    """A game, without PettingZoo's wrappers; see `GoAEC`."""
    return GoAEC(**arguments)
