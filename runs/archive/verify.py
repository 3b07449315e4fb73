"""Whether a run is what it says: its file as a whole, and a share of its episodes, which are replayed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bonspiel.commit import commit
from bonspiel.planners.core.code.packages import origin
from bonspiel.runs import provenance
from bonspiel.runs.archive import replay
from bonspiel.runs.archive.replay import HERE, Difference
from bonspiel.runs.archive.structure import faults
from bonspiel.runs.progress import counted
from bonspiel.runs.results.seal import Seal
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.suite import modules

SHOWN = 10  # faults and differences


@dataclass(frozen=True)
class Verdict:
    """What was found of a run."""

    rows: int  # episodes in the file
    replayed: int  # number of them that were
    seed: int  # of the draw
    faults: Sequence[str]  # a sentence for each fault of the file
    differences: Sequence[Difference]  # rows that came out otherwise, in order of the run
    left_out: Mapping[str, int] = field(default_factory=dict)  # numbers of rows that were not replayed, by reason
    digest: str = ""  # of the results
    sealed: bool = True  # whether the run carries a seal
    elsewhere: str = ""  # what differs between the run's sources and those that replayed it, in words; empty if nothing

    @property
    def good(self) -> bool:
        """Whether nothing is wrong, and no row was left out because it cannot be played here."""
        return not (self.faults or self.differences or any(reason.startswith(HERE) for reason in self.left_out))

    @property
    def problems(self) -> list[str]:
        """All that is wrong, a sentence each; the first of each planner and problem, and of all if there are many."""
        absent = [f"{counted(n, 'row')}: {why}" for why, n in self.left_out.items() if why.startswith(HERE)]
        alike: dict[tuple[str, ...], list[Difference]] = {}
        for one in self.differences:
            alike.setdefault(one.setting[:2], []).append(one)
        differ = (f"{found[0]}" + f" (and {len(found) - 1} more)" * (len(found) > 1) for found in alike.values())
        lines = [*self.faults, *differ, *absent]
        more = [f"... and {len(lines) - SHOWN:,} more"] if len(lines) > SHOWN else []
        return lines[:SHOWN] + more

    def __str__(self) -> str:
        said = [f"digest of the results {self.digest}" + ("" if self.sealed else f"; {UNSEALED}")]
        said += [f"left out: {counted(n, 'row')} of {why}" for why, n in self.left_out.items()]
        share = f"{self.replayed / max(self.rows, 1):.1%}"
        drawn = f"{self.replayed:,} of {self.rows:,} rows ({share}, drawn with seed {self.seed}) were replayed"
        differ = f"{len(self.differences):,} came out otherwise" if self.differences else "all came out as stored"
        nothing = "nothing was replayed: only the form of the file was checked"
        said.append(f"{drawn}: {differ}" if self.replayed else nothing)
        if 0 < self.replayed < self.rows:
            can_more = self.replayed + sum(self.left_out.values()) < self.rows
            advice = ", --share 1 replays all" + " that can be" * bool(self.left_out) if can_more else ""
            said.append(f"a replay vouches for these {share} alone; the others may differ{advice}")
        said += [f"note: {self.elsewhere}"] * bool(self.elsewhere)
        said += [f"wrong: {problem}" for problem in self.problems]
        return "\n".join(said)


UNSEALED = "the run carries no seal, by which a later change would show (unfinished, or of an older version)"


def verify(store: Store, share: float, seed: int, jobs: int) -> Verdict:
    """Check a run's file, and replay a share, in (0, 1], of the episodes that can be, drawn by `seed`."""
    found = [*faults(store)]
    left_out = replay.unrepeatable(store)
    drawn = replay.draw(store, share, seed, left_out)
    return Verdict(
        rows=Count.of(store.counts()).done,
        replayed=sum(map(len, drawn.values())),
        seed=seed,
        faults=found,
        differences=replay.differences(store, drawn, jobs),
        left_out=replay.counts(store, left_out),
        digest=Seal.of(store).results,
        sealed=Seal.kept(store) is not None,
        elsewhere=_elsewhere(store, drawn),
    )


def _elsewhere(store: Store, drawn: replay.Rows) -> str:
    now = provenance.collect([])
    theirs = f"commit {store.provenance.get('commit') or 'unknown'}"
    if store.provenance.get("sources") != now["sources"]:
        ours = f"replayed by those of commit {commit() or 'unknown'}"
        return f"played by other sources ({theirs}), {ours}: where rows differ, the planner may have changed since"
    if found := provenance.other_version(store.provenance, now):
        return f"played with {found} as here"
    told = " ".join(store.resolved.values())
    changed = [one for one in modules([*drawn]) if f"({one}: {origin(one)})" not in told]
    return f"played with other sources of {', '.join(changed)}" if changed else ""
