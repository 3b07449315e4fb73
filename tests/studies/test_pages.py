"""Each study is a program for one page."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
STUDIES = sorted((DOCS / "studies").glob("*.py"))


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.stem)
def test_a_study_has_the_name_of_the_page_that_names_it(study):
    found = DOCS.rglob(f"{study.stem.replace('_', '-')}.md")
    command = f"docs/studies/{study.name}"
    assert any(command in file.read_text(encoding="utf-8") for file in found)
    assert f"python {command}" in study.read_text(encoding="utf-8")
