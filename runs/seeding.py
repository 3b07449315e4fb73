"""Checks that episodes follow from their seed, since planners are compared in pairs of episodes that begin alike."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.runs.experiment import UsageError

if TYPE_CHECKING:
    from bonspiel.planners import Model

UNSEEDED = "played --unseeded, so that planners did not meet the same episodes and pairs of them say nothing"
REMEDY = (
    "call super().reset(seed=seed) in its reset and draw from self.np_random alone, or add --unseeded, but then "
    "planners do not meet the same episodes"
)


def note(text: str, model: "Model", unseeded: bool) -> str:
    """Check an environment before a run; returns the remark that follows its parameters in reports."""
    from bonspiel.envs.snapshot import GymnasiumModel
    from bonspiel.envs.snapshot.check import UnseededError, check_seeding

    if not isinstance(model, GymnasiumModel):  # others keep the contract of models, or are refused
        return ""
    try:
        check_seeding(model)
    except UnseededError as error:
        if not unseeded:
            raise UsageError(f"{text} does not repeat itself with the same seed: {error}; {REMEDY}") from error
        return f"; {UNSEEDED}"
    except (Exception, SystemExit) as error:  # whatever the author's code raises
        raise UsageError(f"{text} fails ({error_text(error)}){error_place(error)}") from error
    return ""


def notes(resolved: Mapping[str, str]) -> list[str]:
    """A line for each environment of a run that was played unseeded, from the result of `Suite.resolve`."""
    return [f"{text} was {UNSEEDED}" for text, meaning in resolved.items() if UNSEEDED in meaning]
