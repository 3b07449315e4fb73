"""A file from the network, of limited size."""

import http.client
import urllib.error
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from bonspiel.runs.experiment import UsageError

SCHEMES = "http", "https"
LARGEST = 64 * 2**20  # bytes; a million episodes take about 7
PATIENCE = 30.0  # s without an answer


def is_address(given: Any) -> bool:
    """True for a text that is an address rather than a place on this machine."""
    return isinstance(given, str) and given.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def download(address: str, folder: Path, endings: tuple[str, ...]) -> Path:
    """Fetch a file, which has one of these endings, into a folder; returns its path."""
    name = PurePosixPath(unquote(urlsplit(address).path)).name
    if not name.endswith(endings):
        raise UsageError(f"{address} is no packed run: its name must end in {' or '.join(endings)}")
    file = folder / name
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer, file.open("wb") as target:
            if not is_address(answer.url):
                raise UsageError(f"{address} leads to {answer.url}, which is no address http(s)://...")
            while block := answer.read(2**16):
                if target.tell() + len(block) > LARGEST:
                    raise UsageError(
                        f"{address} has more than {LARGEST:,} bytes, the most that is fetched: save it first"
                    )
                target.write(block)
            if (length := answer.headers["Content-Length"]) and int(length) != target.tell():
                raise UsageError(f"{address} ended after {target.tell():,} of {int(length):,} bytes; try again")
    except urllib.error.HTTPError as error:
        raise UsageError(f"{address} cannot be fetched: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise UsageError(f"{address} cannot be fetched ({reason}); see whether a browser can") from error
    return file
