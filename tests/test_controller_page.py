"""docs/guides/controller.md as a reader follows it: the loop runs, and so does what follows."""

import doctest
import re
import runpy

from bonspiel.planners.core.code import sources

PAGE = sources.ROOT / "docs" / "guides" / "controller.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_loop_swings_the_pendulum_up(tmp_path, capsys):
    (text,) = re.findall(r"```python\n# swing\.py\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "swing.py").write_text(text)
    left = runpy.run_path(str(tmp_path / "swing.py"))
    counts = left["controller"].counts
    assert counts.periods == 100 and counts.failed == 0
    assert re.search(r"\d\.\d rad from upright", capsys.readouterr().out)


def test_the_examples_give_what_the_page_shows():
    examples = doctest.DocTestParser().get_doctest(TEXT, {}, "controller.md", str(PAGE), 0)
    assert len(examples.examples) > 5
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_command_works(run, tmp_path):
    (line,) = re.findall(r"^\$ bonspiel (.*)$", TEXT, re.MULTILINE)
    status, out, err = run(*line.split(), "--episodes", "1", "--jobs", "1", "--out", str(tmp_path / "out"))
    assert status == 0, err
    assert "pendulum --plant pendulum:mass=1.2 --delay 1" in out
