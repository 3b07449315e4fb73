"""Curling for two agents: a PettingZoo AEC environment (needs the extra `pettingzoo`)."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from curling.state import team_of
from envs.curling import CurlingEnv
from planners.base import Array, require

AGENTS = ["team_0", "team_1"]


class CurlingAEC(AECEnv[str, Array, Array | None]):  # type: ignore[misc]
    """A match of curling between the agents "team_0" and "team_1".

    Actions, observations, rules and arguments are those of `envs.curling.CurlingEnv` without an opponent; both agents
    see the whole state. Agents need not alternate: who scores with the last stone of an end throws first in the next.
    With `reward="points"` an agent's reward is its points less the other's, with "win" 1, 1/2 or 0 at the end, with
    "win_probability" its own.

    Args:
        render_mode: "rgb_array", "human" or None.
        arguments: of `CurlingEnv`, but no opponent and no `opponent_simulations`.

    Raises:
        ValueError: an argument that is not allowed; the message names it.
    """

    metadata: ClassVar[dict[str, Any]] = {**CurlingEnv.metadata, "name": "curling_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        super().__init__()
        for name in ("opponent", "opponent_simulations"):
            given = arguments.pop(name, None)
            require(given is None, name, given, "None, since both teams are agents")
        self.match = CurlingEnv(render_mode=render_mode, **arguments)
        self.render_mode = render_mode
        self.possible_agents = AGENTS[:]
        self.agents: list[str] = []
        self.observation_spaces = dict.fromkeys(AGENTS, self.match.observation_space)
        self.action_spaces = dict.fromkeys(AGENTS, self.match.action_space)

    def observation_space(self, agent: str) -> Space[Any]:
        """The states of the match."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """(vx, vy, spin)."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match, from `options["state"]` if given; other options are ignored, as PettingZoo wants it."""
        self.match.reset(seed=seed, options={key: (options or {})[key] for key in {"state"} & set(options or {})})
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[team_of(self.match.state)]

    def observe(self, agent: str) -> Array:
        """The state."""
        return self.match.state

    def step(self, action: Array | None) -> None:
        """Throw for the selected agent."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        _, reward, over, _, _ = self.match.step(action)  # type: ignore[arg-type]
        if self.match.model.reward == "points":
            self.rewards = {"team_0": reward, "team_1": -reward}
        else:
            self.rewards = {"team_0": reward, "team_1": 1.0 - reward if over else 0.0}
        self.terminations = dict.fromkeys(AGENTS, over)
        self.agent_selection = AGENTS[team_of(self.match.state)]
        self._accumulate_rewards()

    def render(self) -> NDArray[np.uint8] | None:
        """See `CurlingEnv`."""
        return self.match.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.match.close()


def env(**arguments: Any) -> CurlingAEC:
    """A match as PettingZoo's own environments are made; see `CurlingAEC`."""
    return CurlingAEC(**arguments)


def mixed_doubles_env(**arguments: Any) -> CurlingAEC:
    """A match of mixed doubles, as `CurlingMixedDoubles-v0`; see `CurlingAEC`."""
    return CurlingAEC(**{"physics": "dc4", **arguments, "game": "mixed_doubles"})
