"""Bounds of fluents by action preconditions and state invariants that compare a fluent with a constant.

pyRDDLGym takes the bounds of such comparisons whatever parameters they have: it is given those whose parameters are
the variables of the `forall` around them, each once and in their order.
"""

from collections.abc import Iterable, Sequence
from typing import Any


def comparisons(
    rddl: Any, expression: Any, fluents: Iterable[str], order: Sequence[str] = ()
) -> tuple[list[Any], bool]:
    """The comparisons of a condition that bound numbers of fluents, and whether the condition says nothing else.

    Args:
        rddl: model of pyRDDLGym.
        expression: the condition.
        fluents: that may be bounded.
        order: variables of the `forall` around it.
    """
    if expression.etype == ("aggregation", "forall"):
        *typed, inner = expression.args
        return comparisons(rddl, inner, fluents, [*order, *variables(typed)])
    if expression.etype in (("boolean", "^"), ("boolean", "&")):
        parts = [comparisons(rddl, one, fluents, order) for one in expression.args]
        return [one for found, _ in parts for one in found], all(whole for _, whole in parts)
    fits = expression.etype[0] == "relational" and _bounds(rddl, expression, fluents, order)
    return [expression] if fits else [], fits


def _bounds(rddl: Any, expression: Any, fluents: Iterable[str], order: Sequence[str]) -> bool:
    """True if a comparison bounds a fluent's numbers by a constant."""
    sides = expression.args
    bounded = [one.is_pvariable_expression() and one.args[0] in fluents for one in sides]
    if expression.etype[1] not in ("<", "<=", ">", ">=") or sum(bounded) != 1:
        return False
    (fluent, parameters), constant = sides[bounded.index(True)].args, sides[bounded.index(False)]
    given = list(parameters or ())
    return (
        rddl.variable_ranges[fluent] in ("real", "int")
        and rddl.is_non_fluent_expression(constant)
        and all(isinstance(one, str) for one in given)
        and [one for one in given if not rddl.is_literal(one)] == list(order)
    )


def variables(typed: Sequence[Any]) -> list[str]:
    """The names of an aggregation's variables."""
    return [variable for _, (variable, _) in typed]
