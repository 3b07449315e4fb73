"""Where compiled searches and other results of long computations are kept between processes."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """BONSPIEL_CACHE, else bonspiel in the user's cache folder; it need not exist yet."""
    base = os.environ.get("BONSPIEL_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "bonspiel"
    return Path(base).expanduser()
