"""Leaves valued by the model's own estimate instead of rollouts (Silver et al. 2017), for every planner."""

import functools
import inspect
from dataclasses import dataclass, field
from typing import Any

from bonspiel.planners import Array, Budget, Decision, EpisodeSearch, Model, Planner, Rng, begin_episode, unsupported
from bonspiel.planners.checks import missing, require
from bonspiel.planners.model import HasValue
from bonspiel.planners.planner import FreshSearches, Traits, check_plan, has_same_actions, traits_of
from bonspiel.planners.registry import NESTED
from bonspiel.planners.wrappers.presearch.planner import Presearch


@functools.cache
def _class_with_values(cls: type[Any]) -> type[Any]:
    """The class of models whose `rollout` is their `value`, also for planners that would take `traced_rollout`."""

    def reduce(model: Any) -> tuple[Any, ...]:
        return with_values, (_of_class(model, cls),)

    members = {"traced_rollout": None, "__reduce__": reduce, "__doc__": cls.__doc__}
    if (value := inspect.getattr_static(cls, "value", None)) is not None:  # else of the instance
        members["rollout"] = value
    return type(f"{cls.__name__}WithValues", (cls,), members)


def with_values(model: Any) -> Any:
    """The model with its `value` in place of its `rollout`."""
    made = _of_class(model, _class_with_values(type(model)))  # type: ignore[arg-type]
    own = not vars(model).keys().isdisjoint(("value", "rollout"))
    if own or inspect.getattr_static(type(model), "value", None) is None:  # it is of this instance
        made.__dict__["rollout"] = model.value
    made.__dict__.pop("traced_rollout", None)
    return made


def _of_class(model: Any, cls: type[Any]) -> Any:
    """The same model, with its arrays, as one of another class."""
    made: Any = object.__new__(cls)
    made.__dict__.update(vars(model))
    return made


def _rolls_out(planner: Any) -> bool:
    """True if a planner, or that within it, values states by rollouts."""
    inner = getattr(planner, "inner", planner)
    return (
        traits_of(planner).rolls_out
        and getattr(planner, "leaf", None) != "tree"
        and (inner is planner or isinstance(planner, Presearch) or _rolls_out(inner))
    )


@dataclass(frozen=True)
class Valued:
    """A planner that takes the model's `value` for every rollout.

    Args:
        inner: a planner that rolls out; in writing, `valued:inner=(crave:leaf=rollout)`.
    """

    inner: Planner = field(default=Presearch(), metadata={NESTED: True})

    def __post_init__(self) -> None:
        """Refuse what is no planner."""
        require(callable(getattr(self.inner, "plan", None)), "inner", self.inner, "a planner")
        require(not isinstance(self.inner, Valued), "inner", self.inner, "another planner than valued")
        require(_rolls_out(self.inner), "inner", self.inner, "one that rolls out, such as uct:leaf=rollout")

    @property
    def traits(self) -> Traits:
        """The traits of the inner planner."""
        return traits_of(self.inner)

    @property
    def memory(self) -> float:
        """That of the inner planner."""
        return float(getattr(self.inner, "memory", 0.0))

    @property
    def needs_last_action(self) -> bool:
        """True if the inner planner's decisions depend on the action played last."""
        return bool(getattr(self.inner, "needs_last_action", False))

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return has_same_actions(self.inner, model)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasValue) or unsupported(self.inner, with_values(model))

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng, root_actions)
        given = () if root_actions is None else (root_actions,)
        return self.inner.plan(with_values(model), state, budget, rng, *given)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        if self.unsupported(model):
            return FreshSearches(self, model)  # which says why
        return begin_episode(self.inner, with_values(model))
