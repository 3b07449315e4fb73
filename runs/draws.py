"""Random streams of environments, of planners, and of other draws that a text names. All follow from a run's seed."""

import hashlib

import numpy as np

from bonspiel.planners.model import Rng
from bonspiel.runs.experiment import Setting


def environment_rng(seed: int, episode: int, step: int) -> Rng:
    """The environment's draws: step 0 is the initial state. All planners meet the same ones (common random numbers)."""
    return np.random.default_rng(np.random.SeedSequence((seed, episode, step)))


def planner_rng(setting: Setting, episode: int) -> Rng:
    """The planner's own draws, independent of the environment's and of every other planner's and budget's."""
    return named_rng(f"{setting.planner}|{setting.budget}|{setting.unit}", setting.seed, episode)


def named_rng(text: str, seed: int, index: int) -> Rng:
    """The draws that a text names, in the episode or game of this index."""
    key = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")
    return np.random.default_rng(np.random.SeedSequence((seed, index, key)))
