"""Errors of code that others wrote, in one line each."""

import sysconfig
import traceback
from pathlib import Path

from bonspiel.planners.core.code import sources

INSTALLED = {"site-packages", "dist-packages"}


def error_text(error: BaseException) -> str:
    """An error in one line, whatever the code that raises it wrote."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def error_place(error: BaseException) -> str:
    """Give the file, the line and the code of an author's that raised an error, ready to follow its text.

    Code of this project and of installed packages is left out; the result is empty if nothing else is on the way.
    """
    if isinstance(error, SyntaxError) and error.filename:
        file, line, code = error.filename, error.lineno, error.text
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if _is_an_authors(Path(frame.filename))]
        if not own:
            return ""
        file, line, code = own[-1].filename, own[-1].lineno, own[-1].line
    here = Path(file)
    shown = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
    return f" in {shown}, line {line}: {' '.join((code or '').split())}"


def _is_an_authors(file: Path) -> bool:
    """True if a file is neither of this project nor of an installed package nor Python's own."""
    real = file.resolve()  # a checkout's packages are links in bonspiel/
    foreign = *(sources.ROOT / name for name in sources.packages()), Path(sysconfig.get_path("stdlib"))
    return real.is_file() and not INSTALLED & set(file.parts) and not any(map(real.is_relative_to, foreign))
