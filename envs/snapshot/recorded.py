"""Records of episodes for a replay: the reset, the actions, and the noise of each step."""

import copy
from dataclasses import dataclass
from typing import Any, Self

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from bonspiel.envs.snapshot.objects import bit_generator


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """A reset or a step of an episode, with the moment before; shared by the episodes that begin alike.

    Attributes:
        before: None of a reset.
        action: of the step; None of a reset.
        noise: state of the environment's generator before; None of a reset with a seed.
        seed: of a reset.
        options: of a reset.
    """

    before: "Moment | None" = None
    action: Any = None
    noise: Any = None
    seed: int | None = None
    options: Any = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Recorded(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Records each episode, so that `from_gymnasium` can replay it; changes nothing.

    Attributes:
        last: the last reset or step; None before the first reset and after an error.
        observation: returned by it.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.last: Moment | None = None
        self.observation: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new record."""
        self.last, noise = None, self._noise() if seed is None else None
        self.observation, info = self.env.reset(seed=seed, options=options)
        self.last = Moment(noise=noise, seed=seed, options=options)
        return self.observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Add a step to the record."""
        before, self.last, noise, taken = self.last, None, self._noise(), copy.deepcopy(action)
        result = self.env.step(action)
        self.observation = result[0]
        self.last = Moment(before, taken, noise)
        return result

    def _noise(self) -> Any:
        return bit_generator(self.env.unwrapped.np_random).state
