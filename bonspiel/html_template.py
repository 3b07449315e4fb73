"""Self-contained HTML files: a template filled with its style, script and data."""

import base64
import functools
import hashlib
import json
from pathlib import Path
from string import Template
from typing import Any


@functools.cache
def read_cached(file: Path) -> str:
    """The content of a file of the program."""
    return file.read_text(encoding="utf-8")


def fill_template(template: Path, **parts: str) -> str:
    """Replace the ${names} in a template; names inside the parts are not replaced."""
    return Template(read_cached(template)).substitute(parts)


def csp_hash(part: str) -> str:
    """The source expression of a Content-Security-Policy that allows exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'"


def json_for_html(data: Any) -> str:
    """JSON without characters that an HTML parser interprets as markup."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
