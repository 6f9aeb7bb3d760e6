"""What is judged and by what: the changed files, and the spec that they are held against."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.model.packet import Packet
from guildmoot.practices.reviews.checks.model import Checked, some

CHANGED = "changed files"
SPEC = "spec found"


def check_changed(packet: Packet, left: Sequence[str] = ()) -> Checked:
    """How much is judged; ``left`` are changed files beyond what one sitting takes."""
    number = len(packet.files)
    noun = "file" if number == 1 else "files"
    if left:
        detail = f"{number} of {number + len(left)} are judged; left: {some(list(left))}"
        return Checked(CHANGED, "warn", detail, tuple(f"not judged: {path}" for path in left))
    changed = "changed " if packet.changed else ""
    unseen = [each.path for each in packet.omitted if each.path not in dict(packet.changed)]
    beside = f"; left out: {some(unseen, 3)}" if unseen else ""
    return Checked(CHANGED, "ok", f"{number} {changed}{noun} judged{beside}")


def check_spec(packet: Packet) -> Checked:
    """Which document says what the work should do."""
    specs = [section.title for section in packet.sections if section.kind == "spec"]
    if specs:
        return Checked(SPEC, "ok", some(specs))
    return Checked(SPEC, "skipped", "none was named or found: the work is judged by itself")
