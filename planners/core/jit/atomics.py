"""Reads and writes of memory that several threads share, for compiled code without the interpreter's lock.

Each function takes a matrix in C order, the row and the column. Numbers are added and exchanged as a whole, so that
nothing is lost. A thread that reads by `read_published` what another wrote by `publish`, `add_and_publish`, `exchange`
or `compare_and_swap` also sees all that the other had written before, on every processor. `load` promises no more than
that the number is read from memory at every call: a plain read may be taken out of a loop. Interpreted, these are
plain reads and writes, for one thread.

The orders are those of LLVM's and C++'s memory model (Boehm and Adve 2008).
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from bonspiel.planners.core.jit.settings import cgutils

WORD = 8  # bytes of a number, to which its address is aligned


def _pointer(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any) -> Any:
    view = context.make_array(kind)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, kind, view, [row, column], wraparound=False)


def _atomic(generate: Callable[..., Any], result: bool = True) -> Callable[..., Any]:
    """Give a plain function (array, row, column, *values) a compiled form, `generate(builder, pointer, *values)`."""

    def decorate(plain: Callable[..., Any]) -> Callable[..., Any]:
        @intrinsic  # type: ignore[untyped-decorator]
        def compiled(typing_context: Any, array: Any, row: Any, column: Any, values: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                pointer = _pointer(context, builder, array, *arguments[:3])
                given = [
                    context.cast(builder, value, kind, array.dtype)
                    for value, kind in zip(cgutils.unpack_tuple(builder, arguments[3]), values.types, strict=True)
                ]
                found = generate(builder, pointer, *given)
                return found if result else context.get_dummy_value()

            return (array.dtype if result else types.none)(array, types.intp, types.intp, values), codegen

        @overload(plain)  # type: ignore[untyped-decorator]
        def _(array: Any, row: Any, column: Any, *values: Any) -> Any:
            def by_instruction(array: Any, row: Any, column: Any, *values: Any) -> Any:
                return compiled(array, row, column, values)

            return by_instruction

        return plain

    return decorate


def _add(order: str) -> Callable[..., Any]:
    def generate(builder: Any, pointer: Any, value: Any) -> Any:
        return builder.atomic_rmw("fadd" if str(value.type) == "double" else "add", pointer, value, order)

    return generate


@_atomic(_add("monotonic"))
def add_to(array: NDArray[Any], row: int, column: int, value: Any) -> Any:
    """Add to a number; what it was before."""
    before = array[row, column]
    array[row, column] = before + value
    return before


@_atomic(_add("acq_rel"))
def add_and_publish(array: NDArray[Any], row: int, column: int, value: Any) -> Any:
    """Add to a number, show thereby what was written before, and see what others showed; what it was before."""
    before = array[row, column]
    array[row, column] = before + value
    return before


@_atomic(lambda builder, pointer, value: builder.atomic_rmw("xchg", pointer, value, "acq_rel"))
def exchange(array: NDArray[Any], row: int, column: int, value: Any) -> Any:
    """Write a number; what it was before."""
    before = array[row, column]
    array[row, column] = value
    return before


def _swap(builder: Any, pointer: Any, expected: Any, value: Any) -> Any:
    return builder.extract_value(builder.cmpxchg(pointer, expected, value, "acq_rel", "acquire"), 0)


@_atomic(_swap)
def compare_and_swap(array: NDArray[Any], row: int, column: int, expected: Any, value: Any) -> Any:
    """Write a number if it is what is expected; what it was before."""
    before = array[row, column]
    if before == expected:
        array[row, column] = value
    return before


@_atomic(lambda builder, pointer: builder.load_atomic(pointer, "monotonic", WORD))
def load(array: NDArray[Any], row: int, column: int) -> Any:
    """Read a number that other threads may change."""
    return array[row, column]


@_atomic(lambda builder, pointer: builder.load_atomic(pointer, "acquire", WORD))
def read_published(array: NDArray[Any], row: int, column: int) -> Any:
    """Read a number, and thereby see what was written before it was published."""
    return array[row, column]


@_atomic(lambda builder, pointer, value: builder.store_atomic(value, pointer, "release", WORD), result=False)
def publish(array: NDArray[Any], row: int, column: int, value: Any) -> None:
    """Write a number, and thereby show what was written before."""
    array[row, column] = value
