"""Tables that compiled code shares: their values in both forms, no copies of them in the code."""

import re

import numba
import numpy as np
import pytest

from bonspiel.planners.jit import table

VALUES = np.arange(24.0).reshape(2, 3, 4)
numbers = table("test_tables.numbers", VALUES)


def corner():
    found = numbers()
    return found[1, 2, 3], found[0, 1, 2], found.shape, found.strides


def test_compiled_code_reads_what_python_reads():
    assert numba.njit(corner)() == corner() == (23.0, 6.0, (2, 3, 4), (96, 32, 8))


def test_the_code_names_the_table_and_holds_no_values():
    compiled = numba.njit(corner)
    compiled()
    (code,) = compiled.inspect_llvm().values()
    assert re.findall("^@.*numbers.*", code, re.MULTILINE) == [
        "@bonspiel.test_tables.numbers = external local_unnamed_addr constant [24 x double], align 8"
    ]


def test_values_cannot_change():
    with pytest.raises(ValueError, match="read-only"):
        numbers()[0] = 1.0


def test_a_name_is_that_of_one_table():
    assert table("test_tables.numbers", VALUES)() is numbers()  # as where a module is imported anew
    with pytest.raises(ValueError, match=r"'test_tables.numbers': must differ from the names of other tables"):
        table("test_tables.numbers", VALUES + 1.0)
