"""HTML files that need nothing else: a template with its style, its script and its data put in."""

import base64
import functools
import hashlib
import json
import re
from pathlib import Path
from typing import Any


@functools.cache
def text(file: Path) -> str:
    """What a file of the program holds."""
    return file.read_text(encoding="utf-8")


def fill(template: Path, **parts: str) -> str:
    """A template with its {{names}} replaced, in one pass, so that no part can hold another."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], text(template))


def digest(part: str) -> str:
    """How a Content-Security-Policy names the script or style that is exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'"


def embedded(data: Any) -> str:
    """JSON that no HTML parser takes for markup."""
    told = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return told.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
