"""Navigation as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.navigation.model import Navigation


class NavigationEnv(NamedEnv):
    """A player moves to the right, and has to steer round circles to a small goal.

    The task "2d-navigation-circles" of Kujanpaa, Babadi, Zhao, Kannala, Ilin and Pajarinen, "Continuous Monte Carlo
    graph search" (AAMAS 2024, arXiv 2210.01426), as their program has it. State, action, rewards and arguments are
    those of `envs.Navigation`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 4}

    model: Navigation
    model_class = Navigation
