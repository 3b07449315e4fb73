"""Gymnasium's LunarLander, restored by the memory of its Box2D world."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bonspiel.envs.snapshot.recorded import Moment
from bonspiel.envs.snapshot.replay import Replay
from bonspiel.envs.snapshot.storage import Kept
from bonspiel.envs.snapshot.world_memory import LayoutError, Saved, WorldMemory
from bonspiel.planners.model import Array, Rng


class Snapshot(NamedTuple):
    """A moment of an episode with all that the next step depends on.

    Attributes:
        moment: from where a replay leads to it if its world is gone.
        observation: returned there.
        world: number of its world.
        saved: memory of that.
        attributes: of the environment.
        legs: whether each touches the ground.
    """

    moment: Moment
    observation: Any
    world: int
    saved: Saved
    attributes: dict[str, Any]
    legs: list[bool]


class Box2D(Replay):
    """See `Storage`; a snapshot is the number of a record with the memory of the world.

    A replay from the reset remains for the state of an episode that is observed first, and for a state of a world that
    another reset has replaced.

    Args:
        fresh: makes copies of the environment.
        capacity: number of snapshots to keep of each sort.
        max_bytes: that the snapshots of each sort may take.

    Raises:
        LayoutError: the memory of worlds is not as expected.
    """

    def __init__(self, fresh: Callable[[], Any], capacity: int, max_bytes: float) -> None:
        super().__init__(fresh, capacity, again=True)
        self.kept = Kept(capacity, max_bytes)
        self.name = "Box2D"
        self.base = self.env.unwrapped
        self.changing = ["prev_shaping", "game_over"]
        if self.base.enable_wind:
            self.changing += ["wind_idx", "torque_idx"]
        self.worlds = 0
        self.observed: Snapshot | None = None
        self._reset(Moment(seed=0))

    def fresh(self) -> Any:
        """See `Storage`; without the particles, which only pictures need."""
        env = super().fresh()
        env.unwrapped.render_mode = None
        return env

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Replay.observe`."""
        super().observe(env, number, out)
        self.observed = self.kept.get(out)

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`."""
        wanted = self.kept.get(snapshot)
        if wanted.moment is not self.recorder.last:
            if wanted.world == self.worlds:
                self._restore(wanted)
            else:
                self._play(wanted.moment)
        self.base.np_random = rng
        return self.env

    def _keep(self, number: float, out: Array) -> None:
        recorder, variables = self.recorder, vars(self.base)
        assert recorder.last is not None
        attributes = {name: variables[name] for name in self.changing}
        legs = [leg.ground_contact for leg in self.base.legs]
        saved = self.memory.save()
        self.kept.measure(sum(map(len, saved)))
        self.kept.put(number, Snapshot(recorder.last, recorder.observation, self.worlds, saved, attributes, legs))
        out[0] = number

    def _restore(self, wanted: Snapshot) -> None:
        self.memory.restore(wanted.saved)
        vars(self.base).update(wanted.attributes)
        for leg, touches in zip(self.base.legs, wanted.legs, strict=True):
            leg.ground_contact = touches
        self.recorder.last, self.recorder.observation = wanted.moment, wanted.observation

    def _play(self, wanted: Moment) -> None:
        """Begin at the state that was observed last, if that is on the way."""
        observed, moment = self.observed, wanted
        if observed is not None and observed.world == self.worlds:
            while moment is not observed.moment and moment.before is not None:
                moment = moment.before
            if moment is observed.moment:
                self._restore(observed)
        super()._play(wanted)

    def _reset(self, moment: Moment) -> None:
        super()._reset(moment)
        self.worlds += 1
        self.memory = WorldMemory(self.base.world)


def by_box2d(fresh: Callable[[], Any], env: Any, capacity: int, max_bytes: float) -> Box2D | None:
    """By the memory of Box2D, for LunarLander itself, if this build of Box2D is as expected."""
    kind = type(env.unwrapped)
    if f"{kind.__module__}:{kind.__qualname__}" != "gymnasium.envs.box2d.lunar_lander:LunarLander":
        return None
    try:
        return Box2D(fresh, capacity, max_bytes)
    except LayoutError:
        return None
