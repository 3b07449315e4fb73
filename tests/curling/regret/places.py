"""Positions of the tests of regret."""

import json

import numpy as np

from bonspiel.curling.ice.sheet import no_stones, places
from bonspiel.curling.model import Curling
from bonspiel.curling.regret.sources import judging

MODEL = judging(Curling(8, extra_ends=10))
TEE = MODEL.law.sheet.tee


def position(shot, seed=3):
    """A position that the default policy reaches."""
    rng = np.random.default_rng(seed)
    state = MODEL.initial_state(rng)
    after = np.empty_like(state)
    for _ in range(shot):
        MODEL.rollout(state.copy(), after, 1, MODEL.params, rng)
        state = after.copy()
    return state


def stones(**lying):
    """Stones at places relative to the tee, by name such as red1 or yellow3."""
    found = no_stones()
    for name, (x, y) in lying.items():
        team, number = (0, name[3:]) if name.startswith("red") else (1, name[6:])
        found[8 * team + int(number) - 1] = x, TEE + y
    return found


def last_stone(lead=0, **lying):
    """An object of JSON: yellow throws the last stone of an end, or of the match."""
    found = stones(**lying)
    return {"stones": places(found), "shot": 15, "hammer": 1, "end": 7, "lead": lead, "ends": 8, "extra_ends": 10}


def file_of(path, *given):
    """A file of positions."""
    path.write_text(json.dumps(list(given)))
    return path
