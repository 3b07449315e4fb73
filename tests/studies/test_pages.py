"""Each study is a program that a page names."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [file.read_text(encoding="utf-8") for file in DOCS.rglob("*.md")]
STUDIES = sorted((DOCS / "studies").glob("*.py"))


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.stem)
def test_a_page_names_the_study_and_the_study_how_it_is_started(study):
    command = f"python docs/studies/{study.name}"
    assert any(command in page for page in PAGES)
    assert command in study.read_text(encoding="utf-8")
