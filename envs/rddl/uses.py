"""Which parameters an expression depends on, and where fluents are used."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bonspiel.envs.rddl.domain import Domain

SMALL = 12  # nodes of an expression that may be written more than once


def free(expression: Any) -> set[str]:
    """The parameters that an expression depends on, such as "?r"."""
    if isinstance(expression, str):
        return {expression} if expression.startswith("?") else set()
    if isinstance(expression, list | tuple):
        return set().union(*map(free, expression)) if expression else set()
    if not hasattr(expression, "etype"):
        return set()
    found = free(expression.args)
    if expression.etype[0] == "aggregation":
        found -= {name for _, (name, _) in expression.args[:-1]}
    return found


def nodes(expression: Any) -> Iterator[Any]:
    """An expression and all within it."""
    if hasattr(expression, "etype"):
        yield expression
        yield from nodes(expression.args)
    elif isinstance(expression, list | tuple):
        for one in expression:
            yield from nodes(one)


def is_random(expression: Any) -> bool:
    """Whether an expression draws."""
    return any(one.etype[0] in ("randomvar", "randomvector") for one in nodes(expression))


def loop_invariant(expression: Any, variables: set[str]) -> Iterator[Any]:
    """The largest aggregations within an expression that draw nothing and depend on these parameters only."""
    if hasattr(expression, "etype"):
        if expression.etype[0] == "aggregation" and free(expression) <= variables and not is_random(expression):
            yield expression
        else:
            yield from loop_invariant(expression.args, variables)
    elif isinstance(expression, list | tuple):
        for one in expression:
            yield from loop_invariant(one, variables)


def find_inlined(domain: Domain) -> set[str]:
    """Intermediate fluents whose expression stands where they are used, which may be where it is not needed at all.

    These are fluents that are used once, within loops over just their parameters, and small ones that are true or
    false.
    """
    after = [*domain.rddl.terminations, *domain.rddl.invariants]
    late = {one.args[0] for one in nodes(after) if one.etype[0] == "pvar"}
    read = [one for one in nodes([of for _, of in domain.expressions.values()]) if one.etype[0] == "pvar"]
    read += [one for one in nodes(domain.rddl.reward) if one.etype[0] == "pvar"]
    counts, found = Counter(one.args[0] for one in read), set[str]()
    for fluent, (variables, expression) in domain.expressions.items():
        within = list(nodes(expression))
        if not variables or fluent in domain.rddl.prev_state or fluent in late or is_random(expression):
            continue
        small = len(within) <= SMALL and not any(one.etype[0] == "aggregation" for one in within)
        if (
            small
            and domain.range(fluent) == "bool"
            and not found & {str(one.args[0]) for one in within if one.etype[0] == "pvar"}
        ):
            found.add(fluent)
        elif counts[fluent] == 1:
            (use,) = (one for one in read if one.args[0] == fluent)
            parameters = use.args[1]
            if {name for name, _ in domain.scope(use)} == {one for one in parameters if isinstance(one, str)}:
                found.add(fluent)
    return found
