"""Large arrays of constants that all compiled code of a process shares, instead of a copy in each kernel."""

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import intp, typeof
from numba.extending import lower_builtin, type_callable

from bonspiel.planners.core.jit.settings import cgutils
from bonspiel.planners.model import Array

_declared: dict[str, Array] = {}


def table(name: str, values: Array) -> Callable[[], Array]:
    """A function without arguments that returns the values, in compiled code and in Python.

    numba copies an array that compiled code names into every kernel, which takes long to read from disk. Here the code
    holds a symbol, and the linker puts in the address where the array lies in this process.

    Args:
        name: of this array alone, such as "curve_tables.straight".
        values: what code compiled in another process may read here: the same shape, type and meaning.

    Raises:
        ValueError: there is another table of this name.
    """
    own = _declared.setdefault(name, np.array(values, order="C"))  # kept while the process runs, as its code is
    if not np.array_equal(own, values):
        raise ValueError(f"name={name!r}: must differ from the names of other tables")
    own.flags.writeable = False
    kind, symbol = typeof(own), f"bonspiel.{name}"
    llvm.add_symbol(symbol, own.ctypes.data)

    def read() -> Array:
        return own

    @type_callable(read)  # type: ignore[untyped-decorator]
    def _(context: Any) -> Any:
        return lambda: kind

    @lower_builtin(read)  # type: ignore[untyped-decorator]
    def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.module.globals.get(symbol)
        if data is None:
            numbers = cgutils.ir.ArrayType(context.get_data_type(kind.dtype), own.size)
            data = cgutils.add_global_variable(builder.module, numbers, symbol)
            data.global_constant, data.align = True, own.itemsize
        array = context.make_array(kind)(context, builder)
        context.populate_array(
            array,
            data=builder.bitcast(data, array.data.type),
            shape=[context.get_constant(intp, length) for length in own.shape],
            strides=[context.get_constant(intp, stride) for stride in own.strides],
            itemsize=context.get_constant(intp, own.itemsize),
            meminfo=None,
        )
        return array._getvalue()

    return read
