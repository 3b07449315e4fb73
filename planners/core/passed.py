"""The steps between two decisions of an episode, by which what the earlier one learned is out of date."""

from bonspiel.planners.checks import offers, require
from bonspiel.planners.model import Array, HasTimeIndex, Model


class StepsPassed:
    """Counts the steps since the last decision that was made.

    A model's `time_index` tells them. Otherwise each decision that is asked for is one step later than the last one,
    unless it is asked for in the same state: that is the same step again, as after an error.

    Args:
        model: of the episode.
    """

    def __init__(self, model: Model) -> None:
        self._index = model.time_index if offers(model, HasTimeIndex) else None
        self._state: Array | None = None
        self._passed = 0

    def to(self, state: Array) -> int:
        """The steps from the last decision to this state, at least 0.

        Raises:
            ValueError: it is of an earlier step than the last one.
        """
        if self._state is not None and self._state.tobytes() != state.tobytes():
            before, now = (0, 0) if self._index is None else (int(self._state[self._index]), int(state[self._index]))
            allowed = "of no earlier step than the last decision's; begin another episode"
            require(now >= before, "state", state, allowed)
            self._passed += 1 if now == 0 else now - before  # 0 in states that do not say, as of `observe(env, seen)`
        self._state = state.copy()
        return self._passed

    @property
    def is_sure(self) -> bool:
        """False if the state is that of the last decision and may yet be of the next step, as of a plant at rest."""
        return self._passed > 0 or self._index is not None

    def decided(self) -> None:
        """A decision was made in the state last asked about."""
        self._passed = 0
