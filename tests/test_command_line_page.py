"""The table of docs/guides/command-line.md is that of the parser."""

import re
from pathlib import Path

from bonspiel.runs.cli import parser

PAGE = Path(__file__).parents[1] / "docs/guides/command-line.md"


def test_the_table_of_verbs_is_that_of_the_parser():
    verbs = re.findall(r"^  (\w+) +(.*)$", parser().description, re.MULTILINE)
    table = "".join(f"| `{name}` | {summary} |\n" for name, summary in verbs)
    assert len(verbs) > 20
    assert table in PAGE.read_text(encoding="utf-8"), f"the rows of the table on {PAGE.name} are:\n{table}"
