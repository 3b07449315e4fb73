"""Every table of the pages of results ends with one line that says where its numbers come from."""

import re
from pathlib import Path

import pytest

PAGES = {page.stem: page for page in sorted((Path(__file__).parents[1] / "docs/results").glob("*.md"))}

SCOPE = {"both tables: ": 2, "all three tables: ": 3, "all four tables: ": 4, "": 1}  # tables that a line covers
COMMIT = r"(?:commit|published in) [^;]*\b[0-9a-f]{7}\b[^;]*"
DATE = r"\d{4}-\d\d-\d\d(?:(?:,| and| to)[^;]*\d{4}-\d\d-\d\d)?"
LINE = re.compile(
    rf"\*Provenance: (?P<scope>{'|'.join(SCOPE)})(?P<command>[^;]*[^; ]); (?:{COMMIT}); {DATE}; [^;]+; [^;]+\.\*"
)


def blocks(text):
    """The paragraphs, headings and tables of a page in order, code left out; all but tables on one line each."""
    for block in re.split(r"\n\s*\n", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
        yield block.strip() if block.lstrip().startswith("|") else " ".join(block.split())


def untold(text):
    """The heads of tables that no provenance line covers before the next heading, and lines in no or another form.

    A line covers the table before it, or as many tables as it says, without another line between them.
    """
    waiting, wrong = [], []
    for block in blocks(text):
        head = block.split("\n")[0]
        if head.startswith("|"):
            waiting.append(head)
        elif head.startswith("#"):
            wrong, waiting = wrong + waiting, []
        elif head.startswith("*Provenance"):
            line = LINE.fullmatch(head)
            if line is None or len(waiting) != SCOPE[line["scope"]]:
                wrong.append(head)
            waiting = []
    return wrong + waiting


@pytest.mark.parametrize("page", PAGES)
def test_every_table_of_results_ends_with_its_provenance(page):
    assert untold(PAGES[page].read_text(encoding="utf-8")) == []


TABLE = "| planner | return |\n|---|---|\n| `uct` | 1.4 |\n"
GOOD = "*Provenance: `bonspiel run x`; published in 0123abc; 2026-11-22; two cores,\nAMD EPYC; 50 episodes a cell.*\n"
OF_BOTH = GOOD.replace("`bonspiel", "both tables: `bonspiel")


@pytest.mark.parametrize(
    "text", [f"{TABLE}\n{GOOD}", f"{TABLE}\nA note.\n\n{GOOD}", f"{TABLE}\n{TABLE}\n{OF_BOTH}", f"```\n{TABLE}```\n"]
)
def test_what_passes(text):
    assert untold(text) == []


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"{TABLE}\n## Next\n\n{GOOD}",
        f"{TABLE}\n{TABLE}\n{GOOD}",
        f"{TABLE}\n{OF_BOTH}",
        GOOD,
        f"{TABLE}\n{GOOD.replace('2026-11-22; ', '')}",
        f"{TABLE}\n{GOOD.replace('published in 0123abc; ', '')}",
        f"{TABLE}\n{GOOD.replace('published in 0123abc', 'commit not kept')}",
        f"{TABLE}\n{GOOD.replace('; 50 episodes a cell', '')}",
    ],
)
def test_what_fails(text):
    assert untold(text) != []
