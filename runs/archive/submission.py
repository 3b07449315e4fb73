"""One file of a run, for others: its results, their description and a citation; only of a run that is whole."""

import hashlib
import io
import json
import lzma
import sqlite3
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bonspiel.runs.archive import croissant
from bonspiel.runs.archive.croissant import Submission
from bonspiel.runs.archive.verify import verify
from bonspiel.runs.experiment import WHOLE, UsageError
from bonspiel.runs.files import check_writable, writing
from bonspiel.runs.provenance import of_all_parts
from bonspiel.runs.reporting import model_steps
from bonspiel.runs.results import export
from bonspiel.runs.results.packed import METADATA, SUBMITTED, TABLE, reduce
from bonspiel.runs.results.store import FILE, Count, Store, read

CITATION = "CITATION.cff"
SHARE = 0.02  # of the rows, which are replayed
NEEDED = "commit", "version", "sources", "packages", "python", "platform", "cpu", "command", "started"


def submit(store: Store, given: Submission, file: Path, jobs: int, seed: int = 0) -> str:
    """Write a run as one file for others, after a check with rows of this seed; returns what was checked, in words."""
    if not file.name.endswith(SUBMITTED):
        raise UsageError(f"{file} cannot be written: its name must end in {SUBMITTED}")
    check_writable(file)
    if reasons := [*_gaps(store)]:
        raise UsageError(f"{store.folder} cannot be submitted: {'; '.join(reasons)}")
    verdict = verify(store, SHARE, seed, jobs)
    if not verdict.good:
        raise UsageError(f"{store.folder} cannot be submitted: {'; '.join(verdict.problems)}")
    if not verdict.replayed:
        raise UsageError(
            f"{store.folder} cannot be submitted: none of its rows can be replayed, which nobody can check"
        )
    facts = {"submission": json.dumps(given._asdict()), "model_steps": json.dumps(model_steps.by_key(store))}
    with TemporaryDirectory() as scratch, writing(file, sqlite3.Error, lzma.LZMAError):
        contents = {FILE: reduce(store, Path(scratch), facts).read_bytes()}
        with read(Path(scratch)) as small:
            contents[TABLE] = export.csv_bytes(small)
        files = {name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in contents.items()}
        described = croissant.describe(store, given, verdict.digest, files)
        contents[METADATA] = json.dumps(described, indent=1).encode()
        contents[CITATION] = croissant.citation(store, given, verdict.digest).encode()
        with tarfile.open(file, "w:xz", preset=9) as archive:
            for name, content in contents.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return str(verdict)


def _gaps(store: Store) -> Sequence[str]:
    """What a run lacks, before any of it is replayed."""
    done, _, failed, total = Count.of(store.counts())
    if store.part != WHOLE:
        return [f"it is part {store.part} of a run: join the parts with `bonspiel merge`"]
    if failed:
        return [f"{failed:,} of its {total:,} episodes failed"]
    if done < total:
        return [f"{total - done:,} of its {total:,} episodes are missing: continue with `bonspiel run ... --resume`"]
    if missing := [name for name in NEEDED if not store.provenance.get(name)]:
        return [f"it does not say its {', '.join(missing)}"]
    commits = [str(part.get("commit") or "") for part in of_all_parts(store.provenance)]
    if dirty := [commit for commit in commits if not commit or commit.endswith("+")]:
        which = f"commit {dirty[0].removesuffix('+')} with changes" if dirty[0] else "sources of no known commit"
        return [f"it was played by {which}, which nobody else has: commit them, and play it again"]
    return []
