"""Lunar lander as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.lunar_lander.model import LunarLander


class LunarLanderEnv(NamedEnv):
    """A craft that falls onto the moon, and has to land in the middle, upright and slowly.

    The Lunar Lander MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181),
    as their program has it; not Gymnasium's LunarLander. Its figures and this package's stand in
    docs/results/published.md. State, action, rewards and arguments are those of `envs.LunarLander`; formulas and
    optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 5}

    model: LunarLander
    model_class = LunarLander
