"""The choice of the set-up of an end of mixed doubles, by the planner's process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bonspiel.curling.records.position import MatchPosition

FALLBACK = "center_house"  # the hammer, which is nearly always the best


class SetupChoice(NamedTuple):
    """A set-up.

    Attributes:
        name: one of `curling.match.setup_value.CHOICES`.
        chance: the probability to win of the team that decides; None where it is not known.
        failure: why this is not the best one, in one line.
    """

    name: str
    chance: float | None = None
    failure: str | None = None


def best_setup(position: MatchPosition) -> SetupChoice:
    """The best set-up of the end that begins with this position, by the table of `curling.match.setup_value`."""
    from bonspiel.curling.match.mixed_doubles import decider_chance, setup_of

    model, state = position.model(), position.state()
    return SetupChoice(setup_of(model.begin_end(state))[1], decider_chance(state, model.params))
