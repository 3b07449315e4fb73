"""The module where planners of 0.1 found what they import."""

from pathlib import Path

from bonspiel.planners import base, checks, model, planner

ROOT = Path(__file__).parents[2]


def test_its_names_are_those_of_the_modules_that_have_them_now():
    for name in base.__all__:
        assert any(getattr(base, name) is getattr(module, name, None) for module in (model, planner, checks)), name


def test_nothing_in_the_project_imports_it():
    files = [
        file for folder in ("planners", "curling", "envs", "runs", "docs") for file in (ROOT / folder).rglob("*.*")
    ]
    texts = {file: file.read_text() for file in files if file.suffix in (".py", ".md")}
    assert len(texts) > 500
    assert not [file for file, text in texts.items() if "planners.base" in text or "planners import base" in text]
