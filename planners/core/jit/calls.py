"""Calls of model functions by their addresses, and of kernels by their entry points."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba import boolean, float64, int64, typeof, types
from numba.extending import intrinsic, overload

from bonspiel.planners.core.jit.decorators import PARAMS_AT, ROLES, SIGNATURES, VECTOR
from bonspiel.planners.core.jit.lazy import CompiledFunction
from bonspiel.planners.core.jit.settings import INTERPRETED, cgutils
from bonspiel.planners.core.jit.validity import ROLLOUTS, STEPS, is_kept
from bonspiel.planners.model import Array


class Problem(NamedTuple):
    """A decision to make: what a search kernel knows of the model and of where it is.

    Attributes:
        functions: addresses of the model's functions, int64 [roles]; the functions themselves of a Python model.
        params: the model's, for all functions but `cells`.
        cell_params: for `cells`.
        state: where to act, [state_dim].
        discount: of a step, in (0, 1].
        steps: to the end of the episode at most.
        counter: of the model's `step_counter`: the steps made, then room for a state, [1 + state_dim]; empty for a
            model whose steps are not counted.
        validity: of the rollouts; see `new_validity`.
    """

    functions: Any
    params: Array
    cell_params: Array
    state: Array
    discount: float
    steps: int
    counter: Array
    validity: Array


def _caller(role: str) -> Callable[..., Any]:
    """A function (problem, *arguments without params) that calls the model's function, compiled or interpreted.

    numba's own first-class function values cost 40 ns more a call: each looks for null addresses and fall-backs. Where
    a problem has a `validity`, a compiled step that raises gives (NaN, True), and a rollout NaN.
    """
    row, at, signature = ROLES.index(role), PARAMS_AT[role], SIGNATURES[role]
    params = Problem._fields.index("cell_params" if role == "cells" else "params")
    others = signature.args[:at] + signature.args[at + 1 :]

    @intrinsic  # type: ignore[untyped-decorator]
    def call_address(typing_context: Any, address: Any, params: Any, forgives: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, values: Any) -> Any:
            given = cgutils.unpack_tuple(builder, values[3])
            given.insert(at, values[1])
            convention = context.call_conv
            pointer_type = convention.get_function_type(signature.return_type, signature.args).as_pointer()
            pointer = builder.inttoptr(values[0], pointer_type)
            status, result = convention.call_function(builder, pointer, signature.return_type, signature.args, given)
            if role not in STEPS + ROLLOUTS:
                with cgutils.if_unlikely(builder, status.is_error):
                    convention.return_status_propagate(builder, status)
                return result
            slot = cgutils.alloca_once_value(builder, result)
            with cgutils.if_unlikely(builder, status.is_error):
                forgiven = builder.and_(values[2], status.is_user_exc)
                with cgutils.if_unlikely(builder, builder.not_(forgiven)):
                    convention.return_status_propagate(builder, status)
                nan = context.get_constant(float64, math.nan)
                if role in STEPS:
                    ended = context.get_constant(boolean, True)
                    nan = context.make_tuple(builder, signature.return_type, (nan, ended))
                builder.store(nan, slot)
            return builder.load(slot)

        return signature.return_type(int64, VECTOR, boolean, types.Tuple(others)), codegen

    def call(problem: Any, *arguments: Any) -> Any:
        return problem.functions[row](*arguments[:at], problem[params], *arguments[at:])

    call.__doc__ = f"Call the model's `{role}` with these arguments and the model's params."

    @overload(call)  # type: ignore[untyped-decorator]
    def _(problem: Any, *arguments: Any) -> Any:
        def by_address(problem: Any, *arguments: Any) -> Any:
            forgives = is_kept(problem.validity)
            return call_address(problem.functions[row], problem[params], forgives, arguments)

        return by_address

    return call


call_step = _caller("step")
call_step_exact = _caller("step_exact")
call_rollout = _caller("rollout")
call_traced_rollout = _caller("traced_rollout")
sample_action = _caller("sample_action")
player = _caller("player")
cells = _caller("cells")
actions = _caller("actions")
priors = _caller("priors")
region = _caller("region")


def address_of(function: Any, role: str) -> int:
    """The address of a model function that was compiled for this role; it holds in this process only."""
    if isinstance(function, CompiledFunction) and function.signature is not None:
        function.load()  # so that another role's is refused
    found = function.get_compile_result(SIGNATURES[role])
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


_checked: dict[Any, Any] = {}


def runner(kernel: Any, model: Any, *arguments: Any) -> Any:
    """The kernel in the form that serves this model: compiled, or as plain Python for a Python model or no compiler.

    The compiled form is the bare entry point, which costs 5 us less a call than numba's dispatcher because it does not
    look at the types of its arguments. So they are checked here, once for each kernel, class of model and class of the
    last argument (the settings of a search).

    Args:
        kernel: one made by `kernel`.
        model: the model of the problem.
        arguments: those of the first call.

    Raises:
        TypeError: an argument, or a field of one, is not of the type declared.
    """
    if INTERPRETED or not model.compiled:
        return kernel.py_func
    key = (kernel, type(model), type(arguments[-1]))
    entry_point = _checked.get(key)
    if entry_point is None:
        overload = kernel.load()
        names = kernel.py_func.__code__.co_varnames
        for name, value, declared in zip(names, arguments, overload.signature.args, strict=False):
            _check_type(name, value, declared)
        entry_point = _checked[key] = overload.entry_point
    return entry_point


def run(kernel: Any, model: Any, *arguments: Any) -> Any:
    """Call a kernel once; see `runner`."""
    return runner(kernel, model, *arguments)(*arguments)


def _check_type(name: str, value: Any, declared: Any) -> None:
    """Raise TypeError naming the argument or field unless the value may be read as the type declared."""
    if isinstance(declared, types.BaseNamedTuple):
        cls = declared.instance_class
        if type(value).__name__ != cls.__name__ or value._fields != cls._fields:
            fields = ", ".join(getattr(value, "_fields", ()))
            raise TypeError(
                f"{name} is {type(value).__name__}({fields}): must be {cls.__name__}({', '.join(cls._fields)})"
            )
        for field, item, kind in zip(cls._fields, value, declared.types, strict=True):
            _check_type(f"{name}.{field}", item, kind)
        return
    try:
        found = typeof(value)
    except ValueError:  # nothing that numba knows
        found = type(value).__name__
    if isinstance(declared, types.Array) and isinstance(found, types.Array):
        fits = (found.dtype, found.ndim, found.layout) == (declared.dtype, declared.ndim, declared.layout)
    elif isinstance(declared, types.Float):
        fits = isinstance(found, types.Float | types.Integer)
    elif isinstance(declared, types.Integer):
        fits = isinstance(found, types.Integer)
    else:
        fits = found == declared
    if not fits:
        raise TypeError(f"{name} is {found}: must be {declared}")
