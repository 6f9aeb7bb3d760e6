"""What the user asked to be judged, before anything is looked up, and why some of it may not be shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from guildmoot.model.packet import Section
from guildmoot.named import NamedTuple
from guildmoot.packet.diff import Change

STDIN = "-"
RECENT = "recent"

MAX_BYTES = 256_000_000
"""A bound for what this machine keeps in memory: far more than any model reads, for local tools read every file."""
MAX_FILE_BYTES = 400_000

REASONS: dict[str, str] = {
    "bad-name": "its name is not valid UTF-8, so it cannot be named to a judge",
    "binary": "it is not text",
    "data": "checked to be a whole image, font, sound or film without a script",
    "conflict": "it is unmerged: the index holds no single version of it",
    "deleted": "it is not there, or not any more",
    "empty": "nothing in this folder is free to be judged: it is empty or ignored by git",
    "generated": "a program writes it: lock file, minified or generated code, snapshot",
    "ignored": "the project's .guildignore keeps it from judges",
    "key-file": "it holds keys or credentials and never leaves this machine",
    "lock-file": "its addresses and hashes were compared with the base's, nobody reads its lines",
    "not-utf8": "it is not valid UTF-8",
    "own-record": "guildmoot keeps its own records there, which are nobody's work",
    "over-budget": "the packet's size budget was used up before it",
    "pointer": "it only points to its content, which Git LFS or the like keeps elsewhere",
    "re-encoded": "git checks it out, or Python reads it, as another text than the one that is shown",
    "submodule": "it belongs to another repository",
    "sample": "it is data that nobody reads, by its name, and no program by its first bytes",
    "symlink": "symbolic links are not followed",
    "too-deep": "it lies more than 200 folders deep",
    "too-large": "it is larger than the limit for one file",
    "unreadable": "it could not be read",
    "vendored": "it is other people's code or build output kept in the tree",
}


class EvidenceResult(NamedTuple):
    """A command that was run before the judging, and what came of it."""

    command: str
    exit_code: int
    output: str
    timed_out: bool = False


class PacketRequest(NamedTuple):
    """Everything that goes into one packet."""

    targets: tuple[str, ...] = ()
    """Paths, globs and folders relative to ``cwd``; ``-`` is standard input; ``recent`` alone is
    the last commits (``./recent`` names a file of that name)."""
    cwd: Path = Path()
    diff: str | None = None
    """None: no diff. Empty: the working tree against HEAD. Else a ref or a range of git's."""
    staged: bool = False
    branch: bool = False
    """What the branch changes since it left the default branch, and what is not committed yet."""
    change: Change | None = None
    """The change that is meant, once it was looked up: see ``changes.resolve_change``."""
    recent: int = 1
    """How many commits the target ``recent`` means."""
    spec: tuple[Path, ...] = ()
    decisions: tuple[Path, ...] = ()
    evidence: tuple[str, ...] = ()
    """Text, or ``@file``."""
    commands: tuple[str, ...] = ()
    """Shell commands that ``complete`` runs; the judges see their results."""
    evidence_results: tuple[EvidenceResult, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    """Paths and contents that were handed over, in place of targets."""
    stdin: bytes | None = None
    stdin_name: str = ""
    """What the text on standard input is called, e.g. ``app.py``."""
    max_bytes: int = MAX_BYTES
    max_file_bytes: int = MAX_FILE_BYTES
    ask: str = ""
    """What the author of the work was asked to do."""
    question: str = ""
    """What is asked about when nothing is named: a packet may hold a question and no file."""
    sections: tuple[Section, ...] = ()
    """Further texts beside the files, made by a program; masked like all others."""
    left_out: tuple[str, ...] = ()
    """Reasons for which a change may leave out what its base already left out: ``generated``,
    ``ignored``, ``vendored``; and ``own-record``."""
    weights: Mapping[str, float] = MappingProxyType({})
    """How much a file matters where not all of them fit; those that are not named matter least."""
    sweep: tuple[Path, ...] = ()
    """Numbered findings of an earlier look at every file, for judges to confirm or reject."""
