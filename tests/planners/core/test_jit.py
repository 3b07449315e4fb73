import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from planners.jit import compiled

ROOT = Path(__file__).parents[3]


def run(code, folder, cache):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{folder}", "BONSPIEL_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def test_an_edited_helper_in_another_file_is_seen_despite_the_cache(tmp_path):
    (tmp_path / "model.py").write_text(
        textwrap.dedent("""
        import planners.jit
        from parts import factor

        @planners.jit.compiled("player")
        def player(state, params):
            return factor() * state[0]
    """)
    )
    parts = "from planners.jit import helper\n\n@helper\ndef factor():\n    return {}\n"
    use = "import numpy as np, model; print(model.player(np.ones(1), np.ones(1)))"
    for factor in ("2.0", "3.0"):
        (tmp_path / "parts.py").write_text(parts.format(factor))
        assert run(use, tmp_path, tmp_path / "cache")[0] == factor


def test_compilation_is_announced_once_and_not_again_from_the_cache(tmp_path):
    code = "from planners.core.zobrist import box_cells; import planners.core.hash_table"
    first, second = (run(code, tmp_path, tmp_path / "cache")[1] for _ in range(2))
    assert first.count("compiling") == 1
    assert first.count("\n") == 1
    assert second == ""


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match="role='stop': must be one of step"):
        compiled("stop")


def test_a_function_without_a_file_compiles_without_the_cache():
    scope = {}
    exec("def player(state, params):\n    return state[0]", scope)
    assert compiled("player")(scope["player"])(np.full(1, 2.0), np.ones(1)) == 2.0
