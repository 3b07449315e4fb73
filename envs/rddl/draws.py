"""Random distributions of RDDL by a generator of numpy: each as pyRDDLGym draws it."""

from typing import Any

import numpy as np

from bonspiel.envs.rddl.scope import ExpressionWriter, Scope
from bonspiel.envs.rddl.storage import Value
from bonspiel.envs.rddl.uses import is_random

# {rng} is the generator, {0}, {1} the arguments
NUMBERS = {
    "Uniform": "({0} + ({1} - {0}) * {rng}.random())",
    "Normal": "({0} + np.sqrt({1}) * {rng}.standard_normal())",
    "Exponential": "({0} * {rng}.standard_exponential())",
    "Weibull": "({1} * {rng}.weibull({0}))",
    "Gamma": "({1} * {rng}.standard_gamma({0}))",
    "Beta": "{rng}.beta({0}, {1})",
    "Pareto": "({1} * {rng}.pareto({0}))",
    "Student": "{rng}.standard_t({0})",
    "Gumbel": "({0} - {1} * np.log(-np.log1p(-{rng}.random())))",
    "Laplace": "{rng}.laplace({0}, {1})",
    "Cauchy": "({0} + {1} * {rng}.standard_cauchy())",
    "Gompertz": "(np.log(1.0 - np.log1p(-{rng}.random()) / {0}) / {1})",
    "ChiSquare": "{rng}.chisquare({0})",
    "Kumaraswamy": "((1.0 - {rng}.random() ** (1.0 / {1})) ** (1.0 / {0}))",
    "Poisson": "float({rng}.poisson({0}))",
    "Binomial": "float({rng}.binomial(int({0}), {1}))",
    "NegativeBinomial": "float({rng}.negative_binomial({0}, {1}))",
    "Geometric": "float({rng}.geometric({0}))",
}
# what pyRDDLGym asks of the arguments
VALID = {
    "Bernoulli": "0.0 <= {0} <= 1.0",
    "Uniform": "{0} <= {1}",
    "Normal": "{1} >= 0.0",
    "Poisson": "{0} >= 0.0",
    "Binomial": "{0} >= 0.0 and 0.0 <= {1} <= 1.0",
    "NegativeBinomial": "{0} > 0.0 and 0.0 < {1} <= 1.0",
    "Geometric": "0.0 < {0} <= 1.0",
    "Exponential": "{0} > 0.0",
    "Student": "{0} > 0.0",
    "ChiSquare": "{0} > 0.0",
    "Gumbel": "{1} > 0.0",
    "Laplace": "{1} > 0.0",
    "Cauchy": "{1} > 0.0",
    **dict.fromkeys(("Weibull", "Gamma", "Beta", "Pareto", "Gompertz", "Kumaraswamy"), "{0} > 0.0 and {1} > 0.0"),
}
SUM_TOLERANCE = 1e-5  # of numpy.allclose


def draw(writer: ExpressionWriter, expression: Any, scope: Scope) -> Value:
    """The value of a random variable.

    Args:
        writer: of the arguments' expressions, and of statements.
        expression: of pyRDDLGym.
        scope: the parameters that it may use.

    Raises:
        Refused: a distribution that cannot be compiled.
    """
    name = expression.etype[1]
    if name in ("KronDelta", "DiracDelta"):
        return writer.value(expression.args[0], scope)
    if name in VALID:
        given = _valid(writer, name, VALID[name], [(one, writer.number(one, scope)) for one in expression.args])
        if name == "Bernoulli":
            return Value(f"({writer.generator(expression)}.random() <= {given[0]})", True)
        return Value(NUMBERS[name].format(*given, rng=writer.generator(expression)))
    if name in ("Discrete", "UnnormDiscrete"):
        cases = writer.domain.simulator.traced.cached_sim_info(expression)
        return _of_list(writer, expression, [writer.number(one, scope) for one in cases], name.startswith("Unnorm"))
    if name in ("Discrete(p)", "UnnormDiscrete(p)"):
        return _of_objects(writer, expression, scope, name.startswith("Unnorm"))
    raise writer.refuse(name)


def _of_list(writer: ExpressionWriter, expression: Any, weights: list[str], scaled: bool) -> Value:
    """The number of the first weight at which their sum passes a uniform draw."""
    weights = [writer.named(one) for one in weights]
    total = writer.named(f"({' + '.join(weights)})")
    _refuse_weights(writer, " and ".join(f"{one} >= 0.0" for one in weights), total, scaled)
    sum_to, drawn, which = map(writer.storage.names.fresh, ("sum_to", "drawn", "which"))
    writer.out.line(f"{drawn} = {writer.generator(expression)}.random() * {total if scaled else '1.0'}")
    writer.out.line(f"{which}, {sum_to} = -1.0, 0.0")
    for number, weight in enumerate(weights):
        writer.out.line(f"{sum_to} += {weight}")
        with writer.out.block(f"if {which} < 0.0 and {drawn} < {sum_to}:"):
            writer.out.line(f"{which} = {float(number)}")
    return Value(f"max({which}, 0.0)")


def _of_objects(writer: ExpressionWriter, expression: Any, scope: Scope, scaled: bool) -> Value:
    """The same, where an expression gives the weight of each object."""
    (_, (variable, kind)), (weight,) = expression.args
    inner = scope | {variable: writer.variable(variable, kind, scope)}
    names, out, loops = writer.storage.names, writer.out, [(variable, kind)]
    total, least, sum_to, drawn, which = map(names.fresh, ("total", "least", "sum_to", "drawn", "which"))
    drawn_weights = names.fresh("weights") if is_random(weight) else None
    if drawn_weights is not None:
        out.line(f"{drawn_weights} = np.empty({writer.domain.sizes([kind])[0]})")
    out.line(f"{total}, {least} = 0.0, 0.0")

    def add() -> None:
        one = writer.named(writer.number(weight, inner))
        if drawn_weights is not None:
            out.line(f"{drawn_weights}[{inner[variable].code}] = {one}")
        out.line(f"{total} += {one}")
        out.line(f"{least} = min({least}, {one})")

    writer.loop(loops, inner, add)
    _refuse_weights(writer, f"{least} >= 0.0", total, scaled)
    out.line(f"{drawn} = {writer.generator(expression)}.random() * {total if scaled else '1.0'}")
    out.line(f"{which}, {sum_to} = 0.0, 0.0")

    def pass_on() -> None:
        one = f"{drawn_weights}[{inner[variable].code}]" if drawn_weights else writer.number(weight, inner)
        out.line(f"{sum_to} += {one}")
        with out.block(f"if {drawn} < {sum_to}:"):
            out.line(f"{which} = float({inner[variable].code})")
            out.line("break")

    writer.loop(loops, inner, pass_on)
    return Value(which)


def _refuse_weights(writer: ExpressionWriter, not_negative: str, total: str, scaled: bool) -> None:
    """Write a test of weights, as pyRDDLGym has: a step with wrong ones has no reward."""
    whole = f"{total} > 0.0" if scaled else f"abs({total} - 1.0) <= {SUM_TOLERANCE}"
    with writer.out.block(f"if not ({not_negative} and {whole}):"):
        writer.out.line("return np.nan, True")


def _valid(writer: ExpressionWriter, distribution: str, condition: str, given: list[tuple[Any, str]]) -> list[str]:
    """Write a test of a distribution's arguments, as pyRDDLGym has; a step with a wrong one has no reward.

    Args:
        writer: of statements.
        distribution: its name.
        condition: with the arguments as {0}, {1}.
        given: expressions of the arguments, and their source.

    Returns:
        The source of the arguments, which stand in two places.
    """
    if all(writer.domain.is_constant(one) for one, _ in given):
        values = [np.asarray(writer.domain.constant(one), dtype=float) for one, _ in given]
        if not all(eval(condition.format(*each)) for each in np.broadcast(*values, 0.0)):
            raise writer.refuse(f"{distribution} with arguments out of range")
        return [code for _, code in given]
    names = [writer.named(code) for _, code in given]
    with writer.out.block(f"if not ({condition.format(*names)}):"):
        writer.out.line("return np.nan, True")
    return names
