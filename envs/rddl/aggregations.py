"""Sums, quantifiers and the like over objects, as loops."""

import re
from contextlib import nullcontext
from typing import Any, NamedTuple

from bonspiel.envs.rddl.scope import ExpressionWriter, Scope
from bonspiel.envs.rddl.storage import Value, bare


class Condition(NamedTuple):
    """Something that must be true, or must be false, for a product not to be zero."""

    expression: Any
    scope: Scope
    holds: bool = True


class Choice(NamedTuple):
    """A choice of one object.

    Attributes:
        variable: of a loop, which needs to visit the chosen object only.
        coordinate: of the action, 0 for none and else the object's number plus 1, as source.
        condition: that is true for the chosen object.
    """

    variable: str
    coordinate: str
    condition: Condition


class Aggregations:
    """Writes the loops of aggregations.

    Args:
        write: writes the expressions within.
    """

    def __init__(self, write: ExpressionWriter) -> None:
        self._write = write

    def value(self, expression: Any, scope: Scope) -> Value:
        """The value of an aggregation; its loops are written before."""
        operator = expression.etype[1]
        *typed, summed = expression.args
        variables = [(name, kind) for _, (name, kind) in typed]
        inner = scope | {name: self._write.variable(name, kind, scope) for name, kind in variables}
        if operator in ("forall", "exists"):
            return self._quantifier(operator == "forall", variables, summed, inner)
        name = self._write.storage.names.fresh(
            {"sum": "total", "avg": "total", "prod": "product"}.get(operator, "best")
        )
        if operator == "sum":
            self._sum(name, variables, summed, inner)
            return Value(name)
        if operator in ("avg", "prod"):
            self._write.out.line(f"{name} = {'0.0' if operator == 'avg' else '1.0'}")
            step = f"{name} {'+' if operator == 'avg' else '*'}= "
            self._write.loop(
                variables, inner, lambda: self._write.out.line(step + bare(self._write.number(summed, inner)))
            )
            sizes = " * ".join(self._write.storage.count(kind) for _, kind in variables)
            return Value(f"({name} / ({sizes}))" if operator == "avg" else name)
        self._write.out.line(f"{name} = {'np.inf' if 'min' in operator else '-np.inf'}")
        which = self._write.storage.names.fresh("which") if operator.startswith("arg") else ""
        if which:
            self._write.out.line(f"{which} = 0.0")

        def compare() -> None:
            value = self._write.named(self._write.number(summed, inner))
            better = f"{value} {'<' if 'min' in operator else '>'} {name}"
            with self._write.out.block(f"if {better} or {value} != {value}:"):  # NaN stays, as numpy has it
                self._write.out.line(f"{name} = {value}")
                if which:
                    self._write.out.line(f"{which} = float({inner[variables[0][0]].code})")

        self._write.loop(variables, inner, compare)
        return Value(which or name)

    def _sum(self, name: str, variables: list[tuple[str, str]], summed: Any, inner: Scope) -> None:
        """A sum, in which what is multiplied by something false is left out.

        Where a choice of one among the objects is such a factor, only the chosen object is visited.
        """
        self._write.out.line(f"{name} = 0.0")
        conditions, factors = self._factors(summed, inner)
        chosen = self._chosen(conditions, inner, {name for name, _ in variables})

        def add() -> None:
            tests = [self._test(one) for one in conditions if chosen is None or one != chosen.condition]
            with self._write.out.block(f"if {bare(' and '.join(tests))}:") if tests else nullcontext():
                values = [self._write.number(one, inner) for one in factors]
                self._write.out.line(f"{name} += {bare(' * '.join(values) or '1.0')}")

        def visit() -> None:
            if chosen is None:
                add()
                return
            self._write.out.line(f"{inner[chosen.variable].code} = int({chosen.coordinate}) - 1")
            with self._write.out.block(f"if {inner[chosen.variable].code} >= 0:"):
                add()

        self._write.loop([one for one in variables if chosen is None or one[0] != chosen.variable], inner, visit)

    def _factors(self, expression: Any, scope: Scope) -> tuple[list[Condition], list[Any]]:
        """The factors of a product: those that are true or false, and the others."""
        if self._write.domain.is_boolean(expression):
            return self._conjuncts(expression, scope), []
        if expression.etype != ("arithmetic", "*"):
            return [], [expression]
        conditions: list[Condition] = []
        factors: list[Any] = []
        for one in expression.args:
            tests, values = self._factors(one, scope)
            conditions += tests
            factors += values
        return conditions, factors

    def _conjuncts(self, expression: Any, scope: Scope) -> list[Condition]:
        """Conditions that hold together where an expression is true."""
        kind, operator = expression.etype
        if kind == "boolean" and operator in "^&" and len(expression.args) > 1:
            return [condition for one in expression.args for condition in self._conjuncts(one, scope)]
        if kind == "pvar" and (name := expression.args[0]) in self._write.storage.inlined:
            return self._conjuncts(
                self._write.domain.expressions[name][1], self._write.inner(name, expression.args[1], scope)
            )
        if kind == "control" and operator == "if":
            test, then, otherwise = expression.args
            if then.etype[0] == "constant" and then.args is False:
                return [Condition(test, scope, holds=False), *self._conjuncts(otherwise, scope)]
        return [Condition(expression, scope)]

    def _test(self, condition: Condition) -> str:
        code = self._write.value(condition.expression, condition.scope).code
        return code if condition.holds else f"not {code}"

    def _chosen(self, conditions: list[Condition], inner: Scope, variables: set[str]) -> Choice | None:
        """The choice of one among conditions that says which object one of the variables is."""
        objects = {inner[name].code: name for name in variables}
        for condition in conditions:
            if not condition.holds or condition.expression.etype[0] != "pvar":
                continue
            fluent, parameters = condition.expression.args
            codes = [self._write.index(one, condition.scope) for one in parameters or ()]
            row = self._write.storage.choice(fluent, codes)
            if row is not None and codes[-1] in objects and not _uses(codes[:-1], codes[-1]):
                return Choice(objects[codes[-1]], row, condition)
        return None

    def _quantifier(self, every: bool, variables: list[tuple[str, str]], tested: Any, inner: Scope) -> Value:
        name = self._write.storage.names.fresh("all_hold" if every else "one_holds")
        self._write.out.line(f"{name} = {every}")

        def test() -> None:
            code = self._write.value(tested, inner).code
            with self._write.out.block(f"if {f'not {code}' if every else bare(code)}:"):
                self._write.out.line(f"{name} = {not every}")
                self._write.out.line("break")

        def stop() -> None:
            with self._write.out.block(f"if {f'not {name}' if every else name}:"):
                self._write.out.line("break")

        self._write.loop(variables, inner, test, stop)
        return Value(name, True)


def _uses(codes: list[str], variable: str) -> bool:
    """True if one of these expressions depends on a variable."""
    return any(re.search(rf"\b{variable}\b", code) for code in codes)
