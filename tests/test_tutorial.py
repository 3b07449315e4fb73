"""docs/tutorial.md as a reader follows it: save the files, type the commands."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from bonspiel.planners.core.code import sources
from bonspiel.runs.cli import main

TEXT = (sources.ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


def test_every_command_works_and_the_code_is_short(folder, capsys):
    programs = []
    for command in COMMANDS:
        program, *line = shlex.split(command)
        if program == "python":
            environment = os.environ | {"PYTHONPATH": str(sources.ROOT)}
            subprocess.run([sys.executable, *line], check=True, cwd=folder, env=environment)
            programs += [line[0]]
        elif program == "bonspiel":
            here = ["--jobs", "1"] if line[0] == "run" else []  # workers of tests before this one are in other folders
            assert main([*line, *here]) == 0, capsys.readouterr().err
    assert "steer.py" in programs
    out = capsys.readouterr().out
    assert "hold:Hold" in out and "A - B [95 %]" in out
    assert (folder / "results" / "ferry-Ferry" / "chart.png").exists()
    code = [line for text in FILES.values() for line in text.splitlines() if line.strip()]
    assert len(code) < 80
