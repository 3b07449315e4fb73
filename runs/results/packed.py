"""A run as one small file, to ship, share or fetch: its results without what only its own reports need, compressed."""

import hashlib
import http.client
import json
import lzma
import shutil
import sqlite3
import sys
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.results import export, seal
from bonspiel.runs.results.seal import Seal
from bonspiel.runs.results.store import FILE, SEAL, Count, Store, opened, read

ENDING = f".{FILE.partition('.')[2]}.xz"
SUBMITTED = ".tar.xz"  # of `bonspiel submit`: the results and what describes them
ENDINGS = ENDING, SUBMITTED
METADATA, TABLE = "croissant.json", "episodes.csv"
SHIPPED = Path(__file__).with_name("shipped")
LARGEST, DESCRIBED = 2 * 2**30, 2**24  # bytes of results, and of metadata; a small file can unpack to any size
# first actions and times of decisions are most of a file; of the seconds only sums are read
REDUCE = """
UPDATE episode SET first_action = NULL, times = NULL, seconds = mean.seconds
    FROM (SELECT setting, avg(seconds) AS seconds FROM episode GROUP BY setting) AS mean
    WHERE mean.setting = episode.setting;
"""


def shipped() -> list[str]:
    """The names of the runs that come with this package."""
    return sorted(_shipped_files())


def _shipped_files() -> dict[str, Path]:
    """Ours and those of accepted submissions, by name."""
    files = [file for ending in ENDINGS for file in SHIPPED.glob(f"*{ending}")]
    return {file.name.removesuffix(SUBMITTED).removesuffix(ENDING): file for file in files}


def reduce(store: Store, folder: Path, facts: Mapping[str, str] | None = None) -> Path:
    """Write a copy of a run into an empty folder: returns, steps and simulations, and the mean of the seconds.

    The entries `facts`, JSON by name, are kept with it. Returns the file; sqlite3.Error if it cannot be written.
    """
    copy = folder / FILE
    store.copy(copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.executescript(REDUCE)
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", (facts or {}).items())
        connection.execute("DELETE FROM meta WHERE key = ?", [SEAL])
        connection.execute("VACUUM")
    with closing(opened(folder, "rw", False)) as small:
        seal.attach(small)
        small.settle()
    return copy


def pack(store: Store, file: Path, model_steps: Mapping[str, float | None] | None = None) -> None:
    """Write a run as one file, see `reduce`, with the model steps of a simulation, if None those of the run."""
    if not file.name.endswith(ENDING):
        raise UsageError(f"{file} cannot be written: its name must end in {ENDING}")
    with TemporaryDirectory() as folder, writing(file, sqlite3.Error):
        facts = {"model_steps": json.dumps(store.model_steps if model_steps is None else model_steps)}
        copy = reduce(store, Path(folder), facts)
        with copy.open("rb") as source, lzma.open(file, "wb", preset=9) as target:
            shutil.copyfileobj(source, target)


@contextmanager
def read_any(given: Path | str, matches: bool = False, sealed: bool = True) -> Iterator[Store]:
    """A run's results for reading: of a folder, a packed or submitted file or its address, or a run that is shipped.

    With `matches` a folder may also be that of a match, and unless `sealed` a run may have been changed later.
    """
    with TemporaryDirectory() as scratch:
        folder, file = Path(given), _file(given, Path(scratch))
        hashes: dict[str, str] = {}
        if file is not None:
            folder = Path(scratch)
            hashes = _unpack(file, folder / FILE, str(given))
        with read(folder, checked=file is not None, matches=matches) as store:
            if file is not None:
                store.ours = file.parent == SHIPPED and not store.submission
                named = file.name if is_address(given) else given
                store.folder = Path(f"bonspiel's {given}" if store.ours else named)  # its name in tables
            if sealed:
                seal.check(store)
            if hashes and hashlib.sha256(export.csv_bytes(store)).hexdigest() != hashes.get(TABLE):
                raise UsageError(f"{given} is not a packed run ({TABLE} in it has other episodes than {FILE})")
            if file is not None and is_address(given):
                _show(store, str(given), file.stat().st_size)
            yield store


def _file(given: Path | str, scratch: Path) -> Path | None:
    """The packed file behind what was given, fetched if it has an address; None for a folder."""
    if is_address(given):
        return download(str(given), scratch, ENDINGS)
    place = Path(given)
    if place.exists():
        return place if place.is_file() and place.name.endswith(ENDINGS) else None
    if file := _shipped_files().get(str(given)):
        return file
    raise UsageError(
        f"{given} holds no run: it is no folder, no file *{ENDING} or *{SUBMITTED}, no address http(s)://..., and not "
        f"shipped with bonspiel ({', '.join(shipped())})"
    )


def _unpack(file: Path, target: Path, called: str) -> dict[str, str]:
    """Write the results file that is packed in a file; the SHA-256 of all that its metadata describe, by name."""
    try:
        if not file.name.endswith(SUBMITTED):
            with lzma.open(file) as source:
                _copy(source, target)
            return {}
        with tarfile.open(file) as archive:
            found = {name: archive.extractfile(name) for name in (FILE, METADATA)}
            results, described = found[FILE], found[METADATA]
            if results is None or described is None:
                raise ValueError("its members are no files")
            _copy(results, target)
            hashes = {one["name"]: str(one["sha256"]) for one in json.loads(described.read(DESCRIBED))["distribution"]}
        with target.open("rb") as copy:
            if hashlib.file_digest(copy, "sha256").hexdigest() != hashes.get(FILE):
                raise ValueError(f"{FILE} in it is not the one that {METADATA} describes")
        return hashes
    except (lzma.LZMAError, tarfile.TarError, EOFError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise UsageError(f"{called} is not a packed run ({' '.join(str(error).split())})") from error


def _copy(source: IO[bytes], target: Path) -> None:
    with target.open("wb") as copy:
        while block := source.read(2**20):
            if copy.tell() + len(block) > LARGEST:
                raise ValueError(f"it unpacks to more than {LARGEST:,} bytes")
            copy.write(block)


def _show(store: Store, address: str, size: int) -> None:
    """Say what came from an address: who uses its results can note the digest, and see whether they change."""
    kept, done = Seal.kept(store), Count.of(store.counts()).done
    digest = f"digest of the results {kept.results}" if kept else "without a digest of its results"
    print(f"{address}: {size:,} bytes, {done:,} episodes, {digest}", file=sys.stderr)


SCHEMES = "http", "https"
FETCHED = 64 * 2**20  # bytes, at most; a million episodes take about 7
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
                if target.tell() + len(block) > FETCHED:
                    raise UsageError(
                        f"{address} has more than {FETCHED:,} bytes, the most that is fetched: save it first"
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
