"""Settings and versions of numba, and a cache that cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bonspiel.planners.core.code.cache import code_folder

ROOT = Path(__file__).parents[3]
DOUBLING = "from bonspiel.planners.core import jit\n\n@jit.kernel('f8(f8)')\ndef twice(x):\n    return 2.0 * x\n"
USE = "import doubling; print(doubling.twice.is_on_disk(), doubling.twice(3.0), doubling.twice(3.0))"
USE_TWO = f"import other; other.twice(3.0)\n{USE}"  # of different sources
PLAN = """import numpy as np
from bonspiel import envs, planners
state, budget, rng = np.zeros(2), planners.Budget(20), np.random.default_rng(0)
print(planners.make("random_shooting").plan(envs.Trap(), state, budget, rng).value)"""


def run(code, folder, expected=0, **variables):
    (folder / "doubling.py").write_text(DOUBLING)
    (folder / "other.py").write_text(f"{DOUBLING}\n")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "BONSPIEL_SAID"))}
    environment = {**inherited, "PYTHONPATH": f"{ROOT}:{folder}", "BONSPIEL_CACHE": str(folder / "cache"), **variables}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == expected, done.stderr
    return done.stdout.strip(), done.stderr


def code_of(folder):
    return {file: file.read_bytes() for file in (folder / "cache").rglob("*.nbc")}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A folder whose cache has the code made with numba's own settings."""
    folder = tmp_path_factory.mktemp("usual")
    assert run(USE, folder)[0] == "False 6.0 6.0"
    return folder


@pytest.fixture(scope="module")
def planned(usual):
    return run(PLAN, usual)[0]


VARIABLES = {
    "OPT": "0",
    "BOUNDSCHECK": "1",
    "DEBUGINFO": "1",
    "CPU_NAME": "generic",
    "LOOP_VECTORIZE": "0",
    "SLP_VECTORIZE": "1",
    "CPU_FEATURES": "",
    "ENABLE_AVX": "0",
    "EXTEND_VARIABLE_LIFETIMES": "1",
    "ENABLE_PROFILING": "1",
    "JIT_COVERAGE": "1",
    "LLVM_REFPRUNE_PASS": "0",
    "LLVM_REFPRUNE_FLAGS": "none",
}
READ = "from bonspiel.planners.core.jit.settings import code_settings; print(code_settings())"


@pytest.mark.parametrize("setting", ["OPT=max", "CPU_NAME=generic"])  # which others count, the next test shows
def test_code_made_with_a_setting_is_not_taken_without_it_nor_the_other_way_round(usual, setting):
    name, _, value = setting.partition("=")
    before = code_of(usual)
    assert run(USE, usual, **{f"NUMBA_{name}": value})[0] == "False 6.0 6.0"
    assert run(USE, usual)[0] == "True 6.0 6.0"
    after = code_of(usual)
    assert {file: after[file] for file in before} == before


def test_every_setting_that_changes_code_is_part_of_the_key(usual):
    found = run(READ, usual, **{f"NUMBA_{name}": value for name, value in VARIABLES.items()})[0]
    assert {part.partition("=")[0].removesuffix("_DEFAULT") for part in found.split()} >= VARIABLES.keys()
    others = {"NUM_THREADS": "1", "DEBUG_CACHE": "0", "THREADING_LAYER": "omp", "WARNINGS": "1", "DISABLE_CUDA": "1"}
    assert run(READ, usual, **{f"NUMBA_{name}": value for name, value in others.items()})[0] == ""


def test_settings_in_a_file_and_in_a_program_count_as_well(usual):
    pytest.importorskip("yaml")
    (usual / ".numba_config.yaml").write_text("loop_vectorize: 0\n")
    assert run(READ, usual)[0] == "LOOP_VECTORIZE=0"
    (usual / ".numba_config.yaml").unlink()
    assert run(f"import numba; numba.config.LOOP_VECTORIZE = 0; {USE}", usual)[0] == "False 6.0 6.0"


def test_numbas_own_settings_leave_the_folder_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path))
    code_folder.cache_clear()
    assert code_folder("a" * 16).name == "a" * 16
    assert code_folder("a" * 16, "OPT=0").name not in ("a" * 16, code_folder("a" * 16, "OPT=1").name)
    code_folder.cache_clear()


def test_code_stays_out_of_other_folders_of_numba(usual):
    run(USE, usual, NUMBA_CACHE_LOCATOR_CLASSES="InTreeCacheLocator")
    run(USE, usual, BONSPIEL_CACHE="/dev/null", NUMBA_CACHE_DIR=str(usual / "other"))
    assert not [*(usual / "__pycache__").glob("*.nb?")] and not (usual / "other").exists()


def test_without_the_compiler_searches_are_interpreted_and_decide_the_same(planned, tmp_path):
    plain, said = run(PLAN, tmp_path, NUMBA_DISABLE_JIT="1")
    assert said.count("\n") == 1 and said.startswith("bonspiel: NUMBA_DISABLE_JIT is set: nothing is compiled")
    assert not code_of(tmp_path)
    assert plain == planned


def test_the_command_line_says_once_that_there_is_no_compiler(tmp_path):
    line = "import sys; from bonspiel.runs.cli import main; sys.exit(main({}))"
    arguments = "run trap --planner uct --planner hoot --budget 5 --episodes 2 --jobs 2 --out out".split()
    said = run(line.format(arguments), tmp_path, NUMBA_DISABLE_JIT="1")[1]
    assert said.count("NUMBA_DISABLE_JIT") == 1 and "Error" not in said


# numba's modules keep the names that they use themselves
RENAME = """import importlib, sys, types
import numba.core.boxing, numba.experimental.function_type, numba.np.arraymath
for place in {!r}.split():
    module, _, name = place.partition(":")
    seen = types.ModuleType(module)
    vars(seen).update(vars(importlib.import_module(module)))
    delattr(seen, name)
    parent, _, last = module.rpartition(".")
    sys.modules[module] = seen
    setattr(sys.modules[parent], last, seen)
"""
PRIVATE = (
    "numba.core.pythonapi:_unboxers",
    "numba.core.compiler_lock:global_compiler_lock",
    "numba.np.linalg:ensure_blas",
    "numba.np.arraymath:ensure_blas",
    "numba.experimental.function_type:_get_jit_address",
    "numba.core.caching:NullCache",
    "numba.core.registry:CPUDispatcher",
    "numba.core.sigutils:normalize_signature",
    "numba.core.typing:Signature",
    "numba.core.config:CACHE_DIR",
    "numba.core.cgutils:early_exit_if_null",
)


@pytest.mark.parametrize("places", [*PRIVATE[:3], " ".join(PRIVATE)])
def test_a_numba_without_private_names_plans_the_same(usual, planned, places):
    assert run(RENAME.format(places) + PLAN, usual)[0] == planned


@pytest.mark.parametrize("name", ["enable_caching", "_compile_for_args", "_reduce_states"])
def test_a_dispatcher_without_a_private_method_plans_the_same(usual, planned, name):
    remove = (
        f"import numba.core.dispatcher as d\nfor c in (d.Dispatcher, d._DispatcherBase):\n    vars(c).get('{name}')"
    )
    assert run(f"{remove} and delattr(c, '{name}')\n{PLAN}", usual)[0] == planned


def test_a_numba_without_the_option_of_no_reference_counts_plans_the_same(usual, planned):
    refuse = """import numba.core.cpu
for of in numba.core.cpu.CPUTargetOptions.__mro__:
    if "_nrt" in vars(of):
        delattr(of, "_nrt")
"""
    assert run(refuse + PLAN, usual, BONSPIEL_CACHE=str(usual / "other"))[0] == planned


@pytest.mark.parametrize("place", ["numba.core.cgutils:get_item_pointer", "numba.core.cgutils:unpack_tuple"])
def test_a_name_that_nothing_can_replace_is_named_with_the_versions_that_have_it(usual, place):
    error = run(RENAME.format(place) + PLAN, usual, expected=1)[1].splitlines()[-1]
    name = place.replace(":", ".")
    assert error.startswith("ImportError: numba 0.") and f"has no {name}, which" in error
    assert error.endswith("install numba 0.66 to 0.68")


@pytest.mark.parametrize("cache", ["file/cache", "file", "/proc/none"])
def test_a_cache_that_cannot_be_written_is_named_once(tmp_path, cache):
    (tmp_path / "file").write_text("")
    place = str(tmp_path / cache)
    out, said = run(USE_TWO, tmp_path, BONSPIEL_CACHE=place)
    assert out.endswith("6.0 6.0")
    lines = [line for line in said.splitlines() if "compiling" not in line]
    assert len(lines) == 1 and lines[0].startswith("bonspiel: the cache cannot be written (")
    assert place in lines[0]
    other = Path(lines[0].partition("goes to ")[2].partition(" until")[0])
    assert other.parent.is_dir() and not other.exists()


def test_the_processes_of_a_run_share_a_cache_where_theirs_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    arguments = "run trap --planner random --budget 5 --episodes 4 --jobs 2 --out out".split()
    line = f"import sys; from bonspiel.runs.cli import main; sys.exit(main({arguments}))"
    said = run(line, tmp_path, BONSPIEL_CACHE=str(tmp_path / "file"))[1]
    assert said.count("the cache cannot be written") == 1


def test_a_user_without_a_home_is_told_so(tmp_path):
    nobody = """import os, pwd
os.environ.pop("HOME", None), os.environ.pop("BONSPIEL_CACHE")
def unknown(*_): raise KeyError("no such user")
pwd.getpwuid = pwd.getpwnam = unknown
"""
    out, said = run(nobody + USE, tmp_path, XDG_CACHE_HOME="")
    assert out.endswith("6.0 6.0")
    assert said.count("\n") == 1 and "~/.cache/bonspiel: there is no home folder" in said


def test_a_full_disk_is_named_once_and_work_goes_on(tmp_path):
    full = """import numba.core.caching as caching, errno
def no_room(*_): raise OSError(errno.ENOSPC, "No space left on device")
caching.IndexDataCacheFile.save = no_room
"""
    out, said = run(f"{full}{USE_TWO}", tmp_path)
    assert out.endswith("6.0 6.0")
    lines = [line for line in said.splitlines() if "compiling" not in line]
    reason = "(No space left on device): compiled code is not kept"
    assert lines == [f"bonspiel: the cache {tmp_path / 'cache'} cannot be used {reason}"]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_are_named_once_or_mended_and_work_goes_on(tmp_path, ending):
    """Older versions of numba write damaged code anew by themselves."""
    run(USE, tmp_path)
    for file in (tmp_path / "cache").rglob(f"*.{ending}"):
        file.write_bytes(b"")
    out, said = run(USE, tmp_path)
    assert out.endswith("6.0 6.0")
    mended = all(file.stat().st_size > 0 for file in (tmp_path / "cache").rglob(f"*.{ending}"))
    assert (said.count("\n") == 1 and "cannot be used" in said) or (said == "" and mended)
