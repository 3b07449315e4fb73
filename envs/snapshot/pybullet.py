"""Environments of PyBullet: replayed from the states that were observed last, to which the simulator goes back.

Saving a state takes PyBullet as long as twenty steps, going back to it a fraction of one: so only states that are
observed are saved, from which a search begins.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from bonspiel.envs.snapshot.leaves import Leaf, Path, leaves
from bonspiel.envs.snapshot.places import Found, Places, moments
from bonspiel.envs.snapshot.recorded import Moment
from bonspiel.envs.snapshot.replay import Replay
from bonspiel.planners.model import Array

SAVED = 16  # states that are kept, about 100 KB each


class PyBullet(Replay):
    """See `Storage`; a replay begins at the nearest saved state.

    Args:
        fresh: makes copies of the environment.
        capacity: number of records to keep of each sort.
        places: of the numbers beside the simulator.
    """

    def __init__(self, fresh: Callable[[], Any], capacity: int, places: Places) -> None:
        super().__init__(fresh, capacity, again=True)
        self.name, self.places = "PyBullet", places
        self.client: int | None = None
        self.found: list[Found] = []
        self.saved: OrderedDict[Moment, tuple[int, list[float], Any]] = OrderedDict()

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Replay.observe`."""
        super().observe(env, number, out)
        moment = self.recorder.last
        assert moment is not None
        if moment not in self.saved:
            self.saved[moment] = self._call("saveState"), self.places.read(self.found), self.recorder.observation
        self.saved.move_to_end(moment)
        if len(self.saved) > SAVED:
            self._call("removeState", self.saved.popitem(last=False)[1][0])

    def _play(self, wanted: Moment) -> None:
        moment = wanted
        while moment is not self.recorder.last and moment not in self.saved and moment.before is not None:
            moment = moment.before
        if moment is not self.recorder.last and moment in self.saved:
            state, numbers, observation = self.saved[moment]
            self._call("restoreState", state)
            self.places.write(self.found, numbers)
            self.recorder.last, self.recorder.observation = moment, observation
        super()._play(wanted)

    def _reset(self, moment: Moment) -> None:
        """Without the saved states, since a reset may make other bodies."""
        while self.saved:
            self._call("removeState", self.saved.popitem()[1][0])
        super()._reset(moment)
        self.found, self.client = self.places.find(self.env), client_of(leaves(self.env))

    def _call(self, name: str, *state: int) -> int:
        return int(getattr(sys.modules["pybullet"], name)(*state, physicsClientId=self.client) or 0)


def by_pybullet(fresh: Callable[[], Any], env: Any, capacity: int) -> PyBullet | None:
    """By states of PyBullet, where an attribute holds the number of its simulator, `...client...`.

    Raises:
        UnknownStateError: something beside the simulator changes within an episode that cannot be written back.
        FailingError: a reset or a step failed.
    """
    if "pybullet" not in sys.modules or client_of(leaves(env)) is None:
        return None
    return PyBullet(fresh, capacity, Places(list(moments(fresh(), episodes=2))))


def client_of(found: dict[Path, Leaf]) -> int | None:
    """The number of the only simulator that an environment holds; None if it holds none or several."""
    pybullet = sys.modules["pybullet"]
    clients = {
        leaf.value
        for path, leaf in found.items()
        if "client" in str(path[-1][1]).lower() and type(leaf.value) is int and pybullet.isConnected(leaf.value)
    }
    return clients.pop() if len(clients) == 1 else None
