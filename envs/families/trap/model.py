"""Lines with traps to jump over, one for each coordinate of the action; an instance draws lengths and rewards."""

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from bonspiel.envs.families.draw_instance import LARGEST_DIM, between, check_shared, instance_rng, require_between
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_count
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

OFFSET, FACTOR, SPARSITY, JUMPS, LINES = range(5)  # the entries of params; then a block for each line
LOW, HIGH, NOISE_LOW, NOISE_HIGH, EDGES = range(5)  # of a block; the ends of platforms and traps, then the rewards
MOST_JUMPS = 5
PLACES = -3.0, 3.0  # of starts
UNITS = 0.5, 2.0  # lengths of the longest step
BACKWARDS = 0.0, 0.4  # the longest step back; this and the following in such units
PLATFORMS = 0.6, 0.95
TRAPS = 0.55, 0.8
FIRST_REWARD = 0.4, 0.8  # the last is 1


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move by action and noise along each line; the reward depends on the platforms that the places are on."""
    n, edges = len(action), 2 * int(params[JUMPS])
    block = (len(params) - LINES) // n
    total = 0.0
    for i in range(n):
        line = LINES + i * block
        noise = params[line + NOISE_LOW] + (params[line + NOISE_HIGH] - params[line + NOISE_LOW]) * rng.random()
        x = state[i] + action[i] + noise
        next_state[i] = x
        passed = 0
        while passed < edges and x >= params[line + EDGES + passed]:
            passed += 1
        if passed % 2 == 0:
            total += params[line + EDGES + edges + passed // 2]
    next_state[n] = state[n] + 1.0
    paid = params[SPARSITY] if next_state[n] % params[SPARSITY] == 0.0 else 0.0
    return params[OFFSET] + params[FACTOR] * paid * total / n, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    block = (len(params) - LINES) // len(action)
    for i in range(len(action)):
        low, high = params[LINES + i * block + LOW], params[LINES + i * block + HIGH]
        action[i] = low + (high - low) * rng.random()


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over `depth` steps."""
    return follow(sample_action, step, state, np.empty(len(state) - 1), scratch, depth, params, rng)


@dataclass(frozen=True)
class Traps:
    """State (x, t), action a, x <- x + a + e in each of `dim` coordinates, each of them a line of its own.

    A line begins with a platform. Traps, in which nothing is earned, divide it from further ones, which earn more, the
    last 1: a step must end near the edge of a platform before the next step crosses the trap. The reward is the mean of
    the lines. An instance draws starts, the unit of length, lengths, rewards, bounds of actions and where the uniform
    noise begins.

    Args:
        instance: its number, from 0.
        dim: lines, from 1 to 16.
        jumps: traps on a line, from 1 to 5.
        noise: width of the noise over the longest step, from 0.01 to 1.
        horizon: steps, from 1 to 200.
        width: of the box of actions, from 0.01 to 100; in that of 1 the longest step crosses a trap from near its edge.
        offset: of the reward of each step, from -1e6 to 1e6.
        factor: of the reward, from 1e-6 to 1e6.
        sparsity: only every so-manieth step earns, that many times as much, from 1 to the horizon.
    """

    instance: int = 1
    dim: int = 2
    jumps: int = 2
    noise: float = 0.1
    horizon: int = 4
    width: float = 1.0
    offset: float = 0.0
    factor: float = 1.0
    sparsity: int = 1

    discount = 1.0
    varied = MappingProxyType(  # what `bonspiel sensitivity` varies
        {
            "dim": (1, 2, 4, 8),
            "jumps": (1, 2, 3),
            "noise": (0.02, 0.1, 0.3, 1.0),
            "horizon": (2, 4, 8),
            "width": (1.0, 3.0, 10.0),
            "offset": (-10.0, 0.0, 10.0),
            "factor": (0.01, 1.0, 100.0),
            "sparsity": (1, 2, 4),
        }
    )
    compiled = True
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        check_shared(self)
        require_count("dim", self.dim, 1, LARGEST_DIM)
        require_count("jumps", self.jumps, 1, MOST_JUMPS)
        require_between("noise", self.noise, 0.01, 1.0)
        require_count("sparsity", self.sparsity, 1, self.horizon)

    @property
    def state_dim(self) -> int:
        """The places and the time."""
        return self.dim + 1

    @property
    def time_index(self) -> int:
        """The last coordinate."""
        return self.dim

    @cached_property
    def lines(self) -> tuple[Array, Array]:
        """Starts, [dim], and blocks of params, [dim, block]."""
        rng, jumps = instance_rng("trap", self.instance, self.dim), self.jumps
        starts, blocks = between(rng, *PLACES, self.dim), []
        for start in starts:
            unit, back, begins = between(rng, *UNITS), between(rng, *BACKWARDS), rng.random()
            lengths = np.stack([between(rng, *PLATFORMS, MOST_JUMPS), between(rng, *TRAPS, MOST_JUMPS)], axis=1)
            rewards, share = between(rng, *FIRST_REWARD), np.arange(jumps + 1) / jumps
            bounds = [-unit * self.width * back, unit * self.width]
            noise = [-unit * self.noise * begins, unit * self.noise * (1.0 - begins)]
            edges = start + unit * np.cumsum(lengths[:jumps].ravel())
            blocks.append(np.concatenate([bounds, noise, edges, rewards + (1.0 - rewards) * share]))
        return starts, np.array(blocks)

    @cached_property
    def params(self) -> Array:
        """Offset, factor, sparsity, jumps and the block of each line: bounds, noise, edges, rewards."""
        return np.concatenate([[self.offset, self.factor, self.sparsity, self.jumps], self.lines[1].ravel()])

    @cached_property
    def action_low(self) -> Array:
        """The longest steps back."""
        return self.lines[1][:, LOW].copy()

    @cached_property
    def action_high(self) -> Array:
        """The longest steps."""
        return self.lines[1][:, HIGH].copy()

    @cached_property
    def state_low(self) -> Array:
        """The places that only the longest steps back and the least noise lead to."""
        starts, blocks = self.lines
        return np.append(starts + self.horizon * (blocks[:, LOW] + blocks[:, NOISE_LOW]), 0.0)

    @cached_property
    def state_high(self) -> Array:
        """The places that only the longest steps and the most noise lead to."""
        starts, blocks = self.lines
        return np.append(starts + self.horizon * (blocks[:, HIGH] + blocks[:, NOISE_HIGH]), float(self.horizon))

    @cached_property
    def distance_weights(self) -> Array:
        """Only states of the same time are compared."""
        return np.array([1.0] * self.dim + [np.inf])

    def initial_state(self, rng: Rng) -> Array:
        """The starts."""
        return np.append(self.lines[0], 0.0)
