"""A faster reader of numpy's generators, for the functions that are compiled here, and for no others."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba import types
from numba.extending import NativeValue

from bonspiel.planners.core.jit.settings import cgutils, private

private("numba.core.boxing", "unbox")  # which adds numba's readers to the table
READERS = getattr(private("numba.core.pythonapi", "_unboxers"), "functions", {})
BITS: Any = getattr(types, "NumPyRandomBitGeneratorType", None)
GENERATORS: Any = getattr(types, "NumPyRandomGeneratorType", None)
WRITES_BY = (
    "alloca_once_value",
    "create_struct_proxy",
    "early_exit_if_null",
    "false_bit",
    "gep_inbounds",
    "get_or_insert_function",
    "true_bit",
    "voidptr_t",
)

BIT_GENERATOR = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")  # as numpy's bitgen.h has them
DYNAMIC = "<dynamic>"  # numba's name for the module of a function that has none


def _read_bit_generator(kind: Any, generator: Any, c: Any) -> NativeValue:
    """Read numpy's generator of random bits through its C interface when compiled code is entered.

    numba would ask ctypes, anew for every call: 12 us of a decision that otherwise takes 25 to 70 (Trap, 30 to 100
    simulations).
    """
    read, builder = cgutils.create_struct_proxy(kind)(c.context, c.builder), c.builder
    read.parent = generator
    failed = cgutils.alloca_once_value(builder, cgutils.false_bit)
    get_pointer_type = cgutils.ir.FunctionType(cgutils.voidptr_t, [c.pyapi.pyobj, cgutils.voidptr_t])
    get_pointer = cgutils.get_or_insert_function(builder.module, get_pointer_type, "PyCapsule_GetPointer")
    with ExitStack() as stack:
        capsule = c.pyapi.object_getattr_string(generator, "capsule")
        with cgutils.early_exit_if_null(builder, stack, capsule):
            builder.store(cgutils.true_bit, failed)
        name = c.context.insert_const_string(builder.module, "BitGenerator")
        interface = builder.call(get_pointer, [capsule, name])
        c.pyapi.decref(capsule)
        with cgutils.early_exit_if_null(builder, stack, interface):
            builder.store(cgutils.true_bit, failed)
        words = builder.bitcast(interface, c.context.get_value_type(types.uintp).as_pointer())
        for i, field in enumerate(BIT_GENERATOR):
            setattr(read, field, builder.load(cgutils.gep_inbounds(builder, words, i)))
        read.state_address = read.state
    return NativeValue(read._getvalue(), is_error=builder.load(failed))


def _read_generator(kind: Any, generator: Any, c: Any) -> NativeValue:
    """Read numpy's generator without a count of its references, which the caller's argument keeps alive.

    numba would make one for every call, and code that is compiled without counts never frees it: 71 bytes a call.
    """
    read, builder = cgutils.create_struct_proxy(kind)(c.context, c.builder), c.builder
    failed = cgutils.alloca_once_value(builder, cgutils.false_bit)
    with ExitStack() as stack:
        bits = c.pyapi.object_getattr_string(generator, "bit_generator")
        with cgutils.early_exit_if_null(builder, stack, bits):
            builder.store(cgutils.true_bit, failed)
        inner = c.unbox(BITS("bit_generator"), bits)
        builder.store(builder.or_(builder.load(failed), inner.is_error), failed)
        read.bit_generator, read.parent = inner.value, generator
        read.meminfo = cgutils.voidptr_t(None)
        c.pyapi.decref(bits)
    return NativeValue(read._getvalue(), is_error=builder.load(failed))


@contextmanager
def installed_for(function: Any) -> Iterator[None]:
    """Read generators so where Python calls this function, which is compiled meanwhile.

    Functions that it calls are compiled along with it. Among them may be a user's own, which keeps numba's reader.
    The caller holds numba's compiler lock. Where numba lacks a name that this needs, its own reader stays.
    """
    before = {kind: READERS.get(kind) for kind in (BITS, GENERATORS)}
    if None in before.values() or not all(hasattr(cgutils, name) for name in WRITES_BY):
        yield
        return
    own = function.__module__ or DYNAMIC, function.__qualname__

    def reader(ours: Any, numbas: Any) -> Any:
        def read(kind: Any, generator: Any, c: Any) -> Any:
            entered = getattr(c.context, "fndesc", None)
            is_own = (getattr(entered, "modname", None), getattr(entered, "qualname", None)) == own
            return (ours if is_own else numbas)(kind, generator, c)

        return read

    READERS.update(
        {BITS: reader(_read_bit_generator, before[BITS]), GENERATORS: reader(_read_generator, before[GENERATORS])}
    )
    try:
        yield
    finally:
        READERS.update(before)
