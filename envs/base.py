"""A Gymnasium environment of any model."""

import math
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bonspiel.envs import draw
from bonspiel.planners.checks import check_action, check_state, offers, require, steps_taken
from bonspiel.planners.model import Array, HasStateBounds, HasTimeIndex, Model


def widened(model: Model, action: Any) -> Any:
    """An action of fewer digits, such as a float32 of a learned policy: a bound rounded to these is the bound."""
    try:
        given = np.asarray(action)
    except ValueError:  # rows of several lengths
        return action
    if given.dtype.kind != "f" or given.dtype.itemsize >= 8 or given.shape != np.shape(model.action_low):
        return action
    wide = given.astype(np.float64)
    for bound in (model.action_low, model.action_high):
        wide = np.where(given == bound.astype(given.dtype), bound, wide)
    return wide


class ModelEnv(gymnasium.Env[Array, Array]):
    """The environment that a model describes; the observation is the state.

    A planner needs `env.unwrapped.model` and `env.unwrapped.state`, and its action goes to `env.step` as it is. Noise
    is drawn from `env.np_random`, which `reset(seed=...)` seeds. `reset(options={"state": ...})` starts from a given
    state. The action space is a Box of floats also for a model with `action_kinds`; `step` refuses an action that is
    not whole in a coordinate that is not real.

    Args:
        model: what to simulate, compiled or not.
        render_mode: "rgb_array", "human" or None.

    Attributes:
        model: the model.
        state: the current state, [state_dim].
        path: the states since the reset, first and current one included.
        rewards: the rewards since the reset.

    Raises:
        ValueError: an action, a state or a render mode is not valid.
        gymnasium.error.ResetNeeded: the episode has not begun or is over.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, model: Model, render_mode: str | None = None) -> None:
        modes = self.metadata["render_modes"]
        require(render_mode is None or render_mode in modes, "render_mode", render_mode, f"None or one of {modes}")
        self.model = model
        self.render_mode = render_mode
        unbounded = np.full(model.state_dim, np.inf)
        bounds = (model.state_low, model.state_high) if offers(model, HasStateBounds) else (-unbounded, unbounded)
        self.observation_space = spaces.Box(*bounds, dtype=np.float64)
        self.action_space = spaces.Box(model.action_low, model.action_high, dtype=np.float64)
        self.path: list[Array] = []
        self.rewards: list[float] = []
        self._steps_left = 0
        self._window: draw.Window | None = None

    @property
    def state(self) -> Array:
        """The current state, [state_dim]: a copy."""
        if not self.path:
            raise ResetNeeded("the episode has not begun: call reset() first")
        return self.path[-1].copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in one of the model's initial states, or in `options["state"]`."""
        super().reset(seed=seed)
        options = options or {}
        require(set(options) <= {"state"}, "options", options, "a dictionary with at most the key 'state'")
        if "state" in options:
            state = self._given_state(options["state"])
        else:
            state = self.model.initial_state(self.np_random)
        self.path, self.rewards = [state], []
        self._steps_left = self.model.horizon - steps_taken(self.model, state)
        self._show()
        return state.copy(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Take one step; the episode is truncated at the model's horizon."""
        checked = self._playable(action)
        state = np.empty(self.model.state_dim)
        reward, terminated = self.model.step(self.path[-1], checked, state, self.model.params, self.np_random)
        is_finite = math.isfinite(reward) and (terminated or bool(np.isfinite(state).all()))
        require(is_finite, "step(...)", (reward, state), "a finite reward and a finite state")
        self.path.append(state)
        self.rewards.append(float(reward))
        self._steps_left = 0 if terminated else self._steps_left - 1
        self._show()
        return state.copy(), float(reward), bool(terminated), not terminated and self._steps_left == 0, {}

    def render(self) -> NDArray[np.uint8] | None:
        """The picture as an array [height, width, 3] in mode "rgb_array"; mode "human" shows each step by itself."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() was called without a render mode: pass render_mode="rgb_array" or "human"')
        return draw.paint(self.draw) if self.render_mode == "rgb_array" else None

    def draw(self, figure: Any) -> None:
        """Draw the episode on an empty matplotlib figure; here, the state's coordinates and the reward of each step."""
        counter = self.model.time_index if offers(self.model, HasTimeIndex) else None
        draw.timelines(figure, np.array(self.path), self.rewards, counter)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    @property
    def plays_its_model(self) -> bool:
        """True if an episode is one of `model`; a class with another `step` or `reset` says so itself."""
        return type(self).step is ModelEnv.step and type(self).reset is ModelEnv.reset

    def _playable(self, action: Array) -> Array:
        """The checked action; raises as `step` does."""
        if self._steps_left == 0:
            raise ResetNeeded("the episode has not begun or is over: call reset() first")
        return check_action(self.model, widened(self.model, action))

    def _given_state(self, given: Any) -> Array:
        state, horizon = check_state(self.model, given).copy(), self.model.horizon
        require(self.observation_space.contains(state), "state", given, f"in {self.observation_space}")
        before_the_end = 0 <= steps_taken(self.model, state) < horizon
        require(before_the_end, "state", given, f"before the end of the episode, which has {horizon} steps")
        return state

    def _show(self) -> None:
        if self.render_mode == "human":
            self._window = self._window or draw.Window(self.metadata["render_fps"])
            self._window.show(draw.paint(self.draw))


class NamedEnv(ModelEnv):
    """The environment of one class of models, whose parameters it takes next to `render_mode`."""

    model_class: ClassVar[type]

    def __init__(self, *arguments: Any, render_mode: str | None = None, **parameters: Any) -> None:
        super().__init__(self.model_class(*arguments, **parameters), render_mode)
