"""The paper about this package."""

import re
from pathlib import Path

from bonspiel.runs.paper.sources import entries

ROOT = Path(__file__).parents[1]


def test_the_paper_cites_what_its_bibliography_has_as_other_papers_would():
    text = (ROOT / "paper.md").read_text(encoding="utf-8")
    found = entries((ROOT / "paper.bib").read_text(encoding="utf-8"))
    assert {*re.findall(r"@(\w+)", text)} == found.keys()
    ours = entries()
    assert [key for key in found.keys() & ours.keys() if found[key] != ours[key]] == []


def test_the_paper_has_the_length_and_the_sections_that_the_journal_asks_for():
    text = (ROOT / "paper.md").read_text(encoding="utf-8").split("---", 2)[2]
    assert 750 <= len(text.split()) <= 1000
    for section in ("Summary", "Statement of need", "State of the field", "Research impact statement", "References"):
        assert f"\n# {section}\n" in text
