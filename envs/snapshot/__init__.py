"""Models of Gymnasium environments: a step restores a snapshot, takes the step and saves the next snapshot.

`choose` takes the cheapest way to restore that `check` finds faithful: vectors (`vector_state`, `mujoco_state`), the
memory of a Box2D world (`box2d`), states that PyBullet saves (`pybullet`), deep copies (`deep_copies`) or a replay of
the episode (`replay`).
"""

from bonspiel.envs.snapshot.choose import from_gymnasium
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.mujoco_rewards import REWARDS, SequenceReward
from bonspiel.envs.snapshot.recorded import Recorded
from bonspiel.envs.snapshot.vector_state import ATTRIBUTES
from bonspiel.envs.snapshot.wrappers import STATELESS

__all__ = ["ATTRIBUTES", "REWARDS", "STATELESS", "GymnasiumModel", "Recorded", "SequenceReward", "from_gymnasium"]
