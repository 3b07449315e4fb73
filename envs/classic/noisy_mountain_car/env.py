"""Noisy mountain car as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.noisy_mountain_car.model import NoisyMountainCar


class NoisyMountainCarEnv(NamedEnv):
    """A car with a noisy engine in a valley, which has to gather speed to leave it, and breaks down if it has too much.

    The Mountain Car MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181).
    Its figures and this package's stand in docs/results/published.md. State, action, rewards and arguments are
    those of `envs.NoisyMountainCar`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 30}

    model: NoisyMountainCar
    model_class = NoisyMountainCar
