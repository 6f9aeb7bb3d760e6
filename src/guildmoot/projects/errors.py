"""What loom and griot answer when they cannot do as asked: a code for programs, a sentence for people."""

from __future__ import annotations

from guildmoot.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RecordError(UsageError):
    """A project record cannot be read or written as asked; ``code`` is the seeds' name for it."""

    exit_code = 1

    def __init__(self, code: str, text: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.candidates = tuple(candidates)
