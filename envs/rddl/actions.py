"""The action fluents of a domain as the coordinates of a vector."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bonspiel.envs.rddl.bounds import variables
from bonspiel.envs.rddl.domain import Domain, Refused
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.model import Array


@dataclass(frozen=True)
class Coordinates:
    """Consecutive coordinates of an action.

    Attributes:
        fluents: whose values they are.
        names: of the coordinates.
        kind: "real", "integer", "boolean" or "categorical".
        low: smallest values.
        high: largest values.
        null: values of an action that does nothing.
        rows: of a choice of one: the number of the fluent's first parameters whose objects have a coordinate each; its
            value names the objects of the other parameters for which the fluent is true. None otherwise.
        slots: whether each coordinate says which one of all values of the fluents differs from its default.
    """

    fluents: tuple[str, ...]
    names: tuple[str, ...]
    kind: str
    low: Array
    high: Array
    null: Array
    rows: int | None = None
    slots: bool = False


@dataclass(frozen=True)
class Actions:
    """All coordinates of an action, and where those of each fluent begin.

    Boolean fluents of which at most one may be true for each object, or of which the instance lets only a few differ
    from their default, become categorical coordinates: 0 for none, and then the number of the one that is chosen.
    """

    domain: Domain
    bound: Callable[[str], float]  # the largest size of a fluent's actions that the domain leaves unbounded

    @cached_property
    def blocks(self) -> list[Coordinates]:
        """The coordinates, in order.

        Raises:
            Refused: the limit of the instance leaves nothing to choose.
        """
        fluents, most = list(self.domain.rddl.action_fluents), self.domain.rddl.max_allowed_actions
        flags = [one for one in fluents if self.domain.range(one) == "bool"]
        numbers = [self._values(one) for one in fluents if one not in flags]
        choices = [self._one_of(one, rows) for one, rows in self._exclusive.items()]
        plain = [self._flags(one) for one in flags if one not in self._exclusive]
        left = most - sum(len(one.low) for one in numbers)
        if left >= sum(len(one.low) for one in choices + plain):
            return choices + numbers + plain
        if left <= 0:
            allowed = "a limit of actions that are not boolean cannot be compiled" if numbers else "must be at least 1"
            raise Refused(f"rddl:{self.domain.name}: max-nondef-actions = {most}: {allowed}")
        if numbers:
            say_once(
                f"rddl:{self.domain.name}: max-nondef-actions = {most}: numbers always count, so at most {left} of the "
                "other actions differ from their default"
            )
        return [*numbers, self._slots(tuple(flags), left)]

    @cached_property
    def starts(self) -> dict[str, int]:
        """The first coordinate of each fluent's block."""
        start = 0
        found: dict[str, int] = {}
        for block in self.blocks:
            found |= dict.fromkeys(block.fluents, start)
            start += len(block.low)
        return found

    def block_of(self, fluent: str) -> Coordinates:
        """The coordinates that a fluent's values are read from."""
        return next(block for block in self.blocks if fluent in block.fluents)

    @cached_property
    def low(self) -> Array:
        """Smallest action, [action_dim]."""
        return np.concatenate([block.low for block in self.blocks])

    @cached_property
    def high(self) -> Array:
        """Largest action, [action_dim]."""
        return np.concatenate([block.high for block in self.blocks])

    @cached_property
    def null(self) -> Array:
        """The action that does nothing, as near as bounds allow, [action_dim]."""
        return np.clip(np.concatenate([block.null for block in self.blocks]), self.low, self.high)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each coordinate."""
        return tuple(block.kind for block in self.blocks for _ in block.low)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each coordinate, such as "release(t1)"."""
        return tuple(name for block in self.blocks for name in block.names)

    def not_enforced(self) -> list[int]:
        """The numbers, from 1, of action preconditions that are more than bounds and choices of one."""
        return [
            number
            for number, (boxed, expression) in enumerate(
                zip(self.domain.boxed, self.domain.rddl.preconditions, strict=True), 1
            )
            if not (boxed or self._is_chosen(expression)) and not self.domain.is_constant(expression)
        ]

    def _is_chosen(self, expression: Any) -> bool:
        """True if a precondition chooses one of several actions, and a coordinate stands for that choice."""
        choice = _choice_of_one(expression)
        known = choice is not None and choice[0] in self.domain.rddl.action_fluents
        if choice is None or not known:
            return False
        block = self.block_of(choice[0])
        single = block.slots and len(block.low) == 1 and not self.domain.values(choice[0]).any()
        return single or (block.rows is not None and block.rows <= choice[1])

    def _grounded(self, fluent: str) -> tuple[str, ...]:
        """The names of a fluent's values, such as "release(t1)"."""
        types, objects = self.domain.types(fluent), self.domain.rddl.type_to_objects
        return tuple(
            f"{fluent}({', '.join(chosen)})" if types else fluent
            for chosen in itertools.product(*(objects[kind] for kind in types))
        )

    def _values(self, fluent: str) -> Coordinates:
        kind, count = self.domain.range(fluent), self.domain.count(fluent)
        null, names = self.domain.values(fluent), self._grounded(fluent)
        if kind not in ("real", "int"):
            top = np.full(count, len(self.domain.rddl.type_to_objects[kind]) - 1.0)
            return Coordinates((fluent,), names, "categorical", np.zeros(count), top, null)
        low, high = (np.ravel(np.broadcast_to(one, self.domain.sizes(self.domain.types(fluent)) or (1,))).astype(float)
                     for one in self.domain.bounds[fluent])  # fmt: skip
        bound = self.bound(fluent)
        for side, edge, value in (("lower", low, -bound), ("upper", high, bound)):
            if not np.all(np.isfinite(edge)):
                say_once(
                    f"rddl:{self.domain.name}: action {fluent} has no {side} bound: {value:g} is used; "
                    f"bound=NUMBER or bound=({fluent}=NUMBER) sets another"
                )
        low, high = np.where(np.isfinite(low), low, -bound), np.where(np.isfinite(high), high, bound)
        if kind == "int":
            low, high = np.ceil(low), np.floor(high)
        if np.any(low > high):
            raise Refused(
                f"rddl:{self.domain.name}: action {fluent} has no values between {low.min():g} and {high.min():g}; "
                f"set its other bound with bound=({fluent}=NUMBER)"
            )
        return Coordinates((fluent,), names, "real" if kind == "real" else "integer", low, high, null)

    def _flags(self, fluent: str) -> Coordinates:
        count = self.domain.count(fluent)
        null = self.domain.values(fluent)
        return Coordinates((fluent,), self._grounded(fluent), "boolean", np.zeros(count), np.ones(count), null)

    def _one_of(self, fluent: str, outer: int) -> Coordinates:
        """One coordinate for each combination of the first `outer` parameters."""
        sizes = self.domain.sizes(self.domain.types(fluent))
        rows, chosen = math.prod(sizes[:outer]), math.prod(sizes[outer:])
        types, objects = self.domain.types(fluent), self.domain.rddl.type_to_objects
        names = tuple(
            f"{fluent}({', '.join([*picked, *types[outer:]])})"
            for picked in itertools.product(*(objects[kind] for kind in types[:outer]))
        )
        none = np.zeros(rows)
        return Coordinates((fluent,), names, "categorical", none, np.full(rows, float(chosen)), none, rows=outer)

    def _slots(self, fluents: tuple[str, ...], limit: int) -> Coordinates:
        """`limit` coordinates, each of which chooses one of all values to differ from its default, or none."""
        chosen = sum(map(self.domain.count, fluents))
        names = tuple(f"choice {number}" for number in range(1, limit + 1))
        none = np.zeros(limit)
        return Coordinates(fluents, names, "categorical", none, np.full(limit, float(chosen)), none, slots=True)

    @cached_property
    def _exclusive(self) -> dict[str, int]:
        """Boolean fluents of which at most one value is true for each choice of their first parameters.

        Returns:
            The number of these first parameters, by fluent.
        """
        found = dict[str, int]()
        for expression in self.domain.rddl.preconditions:
            if (choice := _choice_of_one(expression)) is None:
                continue
            fluent, outer = choice
            plain = self.domain.range(fluent) == "bool" and not self.domain.values(fluent).any()
            if plain and fluent in self.domain.rddl.action_fluents:
                found[fluent] = min(outer, found.get(fluent, outer))  # the strictest of several
        return found


def _choice_of_one(expression: Any) -> tuple[str, int] | None:
    """The fluent and the number of outer parameters in `forall_{?c: t} [(sum_{?i: u} [fluent(?c, ?i)]) <= 1]`."""
    outer: list[str] = []
    if expression.etype == ("aggregation", "forall"):
        *typed, expression = expression.args
        outer = variables(typed)
    if expression.etype != ("relational", "<="):
        return None
    total, one = expression.args
    if total.etype != ("aggregation", "sum") or one.etype[0] != "constant" or one.args != 1:
        return None
    *typed, summed = total.args
    if not summed.is_pvariable_expression():
        return None
    fluent, parameters = summed.args
    return (fluent, len(outer)) if list(parameters or ()) == [*outer, *variables(typed)] else None
