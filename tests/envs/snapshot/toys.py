"""Small environments that can or cannot be restored."""

import copy
import random
import threading

import gymnasium
import numpy as np


class Noisy(gymnasium.Env):
    """A random walk that draws its noise from np_random."""

    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.normal()
        return np.array([self.x]), {}

    def step(self, action):
        self.x += action[0] + self.np_random.normal()
        return np.array([self.x]), -abs(self.x), False, self.x > 50, {}


class Restorable(Noisy):
    def get_state(self):
        return np.array([[self.x]])

    def set_state(self, state):
        self.x = float(state[0, 0])


class Broken(Restorable):
    """Its `get_state` is of another purpose."""

    def get_state(self):
        raise NotImplementedError


class Limited(Restorable):
    """Ends by a count of steps that get_state lacks."""

    def reset(self, **kwargs):
        self.steps = 0
        return super().reset(**kwargs)

    def step(self, action):
        self.steps += 1
        observation, reward, *_ = super().step(action)
        return observation, reward, self.is_over(), False, {}

    def is_over(self):
        return self.steps >= 60


class LimitedExactly(Limited):
    def is_over(self):
        return self.steps == 60


class Slope(Restorable):
    """A reward by what the reset drew and get_state lacks."""

    def reset(self, **kwargs):
        result = super().reset(**kwargs)
        self.slope = self.np_random.normal()
        return result

    def step(self, action):
        observation, _, *rest = super().step(action)
        return observation, self.slope * self.x, *rest


class Fuel(Restorable):
    """Observed and rewarded alike, but the episode ends once fuel runs out, which get_state lacks."""

    def reset(self, **kwargs):
        self.fuel = 8.0
        return super().reset(**kwargs)

    def step(self, action):
        self.fuel -= abs(action[0])
        observation, reward, *_ = super().step(action)
        return observation, reward, self.fuel < 0.0, False, {}


class Wearing(Limited):
    """Wears out late, for good, which get_state lacks: only a long branch gets there before the episode does."""

    def reset(self, **kwargs):
        self.is_worn = False
        return super().reset(**kwargs)

    def step(self, action):
        observation, reward, *rest = super().step(action)
        self.is_worn |= self.steps > 22
        return observation, reward - self.is_worn, *rest

    def get_state(self):
        return [self.x, self.steps]

    def set_state(self, state):
        self.x, self.steps = float(state[0]), int(state[1])


class Worn(Wearing):
    """Wears out only after all branches, in the rest of the episode."""

    def is_over(self):
        return self.steps >= 90

    def step(self, action):
        observation, reward, *rest = Limited.step(self, action)
        self.is_worn |= self.steps > 60
        return observation, reward - self.is_worn, *rest


POSITION = [0.0]


class Global(Noisy):
    """Its state belongs to the module."""

    def reset(self, **kwargs):
        observation, info = super().reset(**kwargs)
        POSITION[0] = self.x
        return observation, info

    def step(self, action):
        self.x = POSITION[0]
        result = super().step(action)
        POSITION[0] = self.x
        return result


class Sharing(Noisy):
    """Deep copies share the list that is its state; a reset makes a new one."""

    def reset(self, **kwargs):
        observation, info = super().reset(**kwargs)
        self.trail = [self.x]
        return observation, info

    def step(self, action):
        self.x = self.trail[-1]
        result = super().step(action)
        self.trail.append(self.x)
        return result

    def __deepcopy__(self, memo):
        return copy.copy(self)


class OwnGenerator(Noisy):
    """Draws from a generator that copies take along."""

    def reset(self, *, seed=None, options=None):
        self.generator = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def step(self, action):
        self.x += self.generator.normal()
        return super().step(action)


class Alias(OwnGenerator):
    """Draws from the np_random of its reset."""

    def reset(self, **kwargs):
        result = super().reset(**kwargs)
        self.generator = self.np_random
        return result


class GlobalNoise(Noisy):
    def step(self, action):
        self.x += random.random()
        return super().step(action)


class Elsewhere(Restorable):
    """Its reset draws from NumPy's global generator."""

    def reset(self, **kwargs):
        super().reset(**kwargs)
        self.x = np.random.normal()  # noqa: NPY002 - that is its fault
        return np.array([self.x]), {}


class OwnStart(Elsewhere):
    """Its reset draws from a generator that it never seeds, and that copies take along."""

    def __init__(self):
        self.generator = np.random.default_rng()

    def reset(self, **kwargs):
        super().reset(**kwargs)
        self.x = self.generator.normal()
        return np.array([self.x]), {}


class NeverSeeded(Restorable):
    """Its reset does not pass on the seed."""

    def reset(self, *, seed=None, options=None):
        return super().reset()


class HiddenStart(Restorable):
    """Its reset draws from elsewhere what rewards alone show."""

    def reset(self, **kwargs):
        self.gain = random.random()
        return super().reset(**kwargs)

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward * self.gain, *rest


class Locked(Noisy):
    """Cannot be copied."""

    def __init__(self):
        self.lock = threading.Lock()


class FailsInReset(Noisy):
    def reset(self, **kwargs):
        raise KeyError("no\nmap")


class FailsInStep(Noisy):
    def step(self, action):
        raise ZeroDivisionError("third wheel")


class Inertia(gymnasium.Wrapper):
    """Takes the mean of the last two actions: a wrapper with a state."""

    def reset(self, **kwargs):
        self.last = 0.0
        return super().reset(**kwargs)

    def step(self, action):
        mean, self.last = 0.5 * (action + self.last), action
        return super().step(mean.astype(action.dtype))
