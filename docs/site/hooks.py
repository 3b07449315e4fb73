"""What the site adds to mkdocs: pages of parameters, links to them, and formulas as MathML, which needs no script."""

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

PARAMETERS = Path("build/parameters")
PAGES = {"planners.md": "planner-parameters", "problems.md": "problem-parameters"}
ROW = re.compile(r"^\| `(\w+)(?=[`:])([^`]*)` ", re.MULTILINE)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)

FUNCTION = re.compile(r"(<mi>(?:sin|cos|ln|max)</mi>)(?!<mo)")
SIGN = re.compile(r"(<mo[^>]*>(?:\[|&#x000(?:28|2C|3C|3D|3E|7B);)</mo>(?:<mspace[^>]*>)?)<mo>&#x02212;</mo>")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that docs/site/parameters.py wrote."""
    for page in PAGES.values():
        path = PARAMETERS / f"{page}.md"
        if not path.exists():
            raise PluginError(f"{path} is missing: build the site by `make docs`, which writes it")
        files.append(File.generated(config, f"reference/{page}.md", abs_src_path=str(path.resolve())))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link each name of the first column of a table to its parameters."""
    if page.file.src_uri not in PAGES:
        return markdown
    return ROW.sub(rf"| [`\1\2`](reference/{PAGES[page.file.src_uri]}.md#\1) ", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Set formulas."""
    return FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    """A formula, with the spaces after functions and without those after signs that MathML expects to be told."""
    tag, formula = found.groups()
    made = convert(html.unescape(formula), display="block" if tag == "div" else "inline")
    made = SIGN.sub(r'\1<mo form="prefix">&#x02212;</mo>', FUNCTION.sub(r'\1<mspace width="0.167em" />', made))
    return f'<{tag} class="formula">{made}</{tag}>'
