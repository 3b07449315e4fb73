"""Replay of an episode from its reset, for environments that can neither be read nor copied."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from bonspiel.envs.snapshot.noise import set_noise, take_noise
from bonspiel.envs.snapshot.recorded import Moment, Recorded
from bonspiel.envs.snapshot.storage import Kept
from bonspiel.envs.snapshot.wrappers import recorder, with_recorder
from bonspiel.planners.model import Array, Rng

TOLERANCE = 1e-9


class Replay:
    """See `Storage`; a snapshot is the number of a record: seed, actions, and the state of the noise before each.

    Restoring costs all steps of the episode so far, except from the state that the step before led to.

    Args:
        fresh: makes copies of the environment.
        capacity: number of records to keep of each sort.
        again: whether a reset of the same copy begins a replay; a new copy otherwise, where a reset leaves traces.
    """

    width = 1

    def __init__(self, fresh: Callable[[], Any], capacity: int, again: bool) -> None:
        self.name = "replay" if again else "replay in new copies"
        self.again = again
        self._fresh = fresh
        self.kept = Kept(capacity)
        self._renew()

    def fresh(self) -> Any:
        """See `Storage`."""
        return with_recorder(self._fresh())

    def _renew(self) -> None:
        self.env = self.fresh()
        found = recorder(self.env)
        assert found is not None
        self.recorder: Recorded = found

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`.

        Raises:
            ValueError: the episode was not recorded, or its replay is another one.
        """
        theirs = recorder(env)
        if theirs is None or theirs.last is None:
            remedy = "make it as env = envs.Recorded(env), before wrappers that change actions, and call env.reset()"
            raise ValueError(f"env={env}: must be recorded from its reset; {remedy}")
        self._play(theirs.last)
        space = theirs.observation_space
        seen, again = (np.asarray(spaces.flatten(space, o)) for o in (theirs.observation, self.recorder.observation))
        if not np.allclose(seen, again, rtol=0.0, atol=TOLERANCE, equal_nan=True):
            remedy = "a reset leaves traces in it: make a new one each episode"
            raise ValueError(f"env={env}: must repeat its episode, but a replay ends elsewhere; {remedy}")
        self._keep(number, out)

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`."""
        self._play(self.kept.get(snapshot))
        set_noise(self.env, rng.bit_generator.state)
        return self.env

    def save(self, env: Any, rng: Rng, out: Array) -> None:
        """See `Storage`."""
        take_noise(env, rng)
        self._keep(rng.random(), out)

    def _keep(self, number: float, out: Array) -> None:
        self.kept.put(number, self.recorder.last)
        out[0] = number

    def _play(self, wanted: Moment) -> None:
        """Lead the own environment to a moment, from where it is if that is on the way."""
        missing: list[Moment] = []
        moment = wanted
        while moment is not self.recorder.last:
            missing.append(moment)
            if moment.before is None:
                break
            moment = moment.before
        for moment in reversed(missing):
            if moment.before is None:
                self._reset(moment)
            else:
                set_noise(self.env, moment.noise)
                self.recorder.step(copy.deepcopy(moment.action))  # which a step may change
            self.recorder.last = moment  # the same one again: records share their beginnings

    def _reset(self, moment: Moment) -> None:
        if not self.again:
            self.env.close()
            self._renew()
        if moment.noise is not None:
            set_noise(self.env, moment.noise)
        self.recorder.reset(seed=moment.seed, options=moment.options)
