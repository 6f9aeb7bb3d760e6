"""Questions to a person, and their answers: who, when, through which channel, for how long.

Every question has a nonce that is kept here and in no transcript, so an answer that somebody wrote beforehand
is none. A yes lets exactly the call pass that was asked for, in that folder and session: once, or as often as
the call comes within the time that was said. All of it
lies in the user's own state folder, each row with a proof that this user's program wrote it.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.errors import GuildmootError, UsageError
from guildmoot.guard.hooks.places import guard_folder
from guildmoot.guard.hooks.record import rotate
from guildmoot.guard.nonce import is_proven, make_proof
from guildmoot.guard.scrub import Scrubber, ScrubError, operator_scrubber
from guildmoot.system.files import append_rows, read_rows

if TYPE_CHECKING:
    from guildmoot.guard.hooks.events import HookEvent

FILE = "approvals.jsonl"
HOURS = 1.0
"""Within how long a yes has to be used unless another time is said."""
_MOST_CALL = 4_000
_ANSWER = ("answer", "by", "channel", "answered", "expires", "once")
Answer = Literal["approved", "denied"]


class Approval(NamedTuple):
    """One question and what came of it."""

    id: str
    nonce: str
    asked: str
    host: str
    tool: str
    call: str
    """The command or input, scrubbed."""
    reason: str
    code: str
    """The rule that asked."""
    action: str
    """What the guard did meanwhile: ask or deny."""
    folder: str
    digest: str
    session: str = ""
    tool_use_id: str = ""
    run_id: str = ""
    answer: str = ""
    by: str = ""
    channel: str = ""
    answered: str = ""
    expires: str = ""
    once: str = ""
    """``yes`` where the answer counts for one call."""
    used: int = 0

    @property
    def state(self) -> str:
        """waiting, approved, denied, used or expired."""
        if not self.answer:
            return "waiting"
        if self.answer == "approved" and self.once and self.used:
            return "used"
        if self.answer == "approved" and self.expires and self.expires < now_text():
            return "expired"
        return self.answer


def open_question(event: HookEvent, action: str, code: str, reason: str, call: str) -> str:
    """Put a question on record; the id of the one that waits already where the same call was asked for."""
    name, folder = event.question, Path(guard_folder(event.env))
    known = _read(folder).get(name)
    if known and known.state == "waiting":
        _mark(folder, event, name)
        return name
    row = {
        "kind": "ask", "id": name, "nonce": os.urandom(8).hex(), "asked": now_text(),
        "host": event.host, "tool": event.own_tool, "call": call[:_MOST_CALL], "reason": reason, "code": code,
        "action": action, "folder": event.cwd, "digest": event.digest, "session": event.text("session_id"),
        "tool_use_id": event.text("tool_use_id"), "run_id": event.run_id,
    }  # fmt: skip
    _append(folder, row)
    _mark(folder, event, name)
    return name


def granted(event: HookEvent) -> Approval | None:
    """An answer that lets this very call pass now; its use is put on record."""
    folder = Path(guard_folder(event.env))
    known = _read(folder).get(event.question)
    if not known or known.digest != event.digest or known.state != "approved":
        return None
    if known.once and not _take(folder, known.nonce):
        return None
    use = event.text("tool_use_id")
    _append(folder, {"kind": "used", "id": known.id, "at": now_text(), "tool_use_id": use})
    return known


def seen_answer(event: HookEvent, answer: Answer) -> None:
    """The host asked a person, and what followed shows the answer: the call ran, or it was refused."""
    mark = _mark_file(Path(guard_folder(event.env)), event.text("tool_use_id"))
    if not mark or not mark.is_file():
        return
    name = mark.read_text(encoding="ascii", errors="replace")
    mark.unlink(missing_ok=True)
    _append(
        mark.parent.parent,
        {"kind": "answer", "id": name, "answer": answer, "by": "", "channel": f"{event.host} prompt",
         "answered": now_text(), "expires": now_text()},
    )  # fmt: skip


def list_questions(env: Mapping[str, str]) -> list[Approval]:
    """All that are on record, the newest first."""
    return list(_read(Path(guard_folder(env))).values())[::-1]


def answer_question(
    env: Mapping[str, str], name: str, answer: Answer, by: str, channel: str, hours: float = 0.0
) -> Approval:
    """Record a person's answer; without ``hours`` a yes counts once. UsageError where nothing waits under that id."""
    folder = Path(guard_folder(env))
    found = [each for key, each in _read(folder).items() if key.startswith(name) and name]
    if len(found) != 1:
        what = "several questions begin" if found else "no question begins"
        raise UsageError(f"{what} with {name!r}.", "`guild approvals list` shows them.")
    until = datetime.now(UTC) + timedelta(hours=hours or HOURS)
    row = {
        "kind": "answer", "id": found[0].id, "nonce": found[0].nonce, "answer": answer, "by": by,
        "channel": channel, "answered": now_text(), "expires": _text(until),
        "once": "" if hours else "yes",
    }  # fmt: skip
    warning = _append(folder, row)
    if warning:
        raise UsageError(f"the answer could not be kept: {warning}")
    return _read(folder)[found[0].id]


def wait_for_answer(env: Mapping[str, str], name: str, seconds: float) -> str:
    """Until somebody answers: approved, denied, or waiting when the time is over."""
    folder, until = Path(guard_folder(env)), time.monotonic() + seconds
    seen: object = None
    while True:
        try:
            info = os.stat(folder / FILE)
            now: object = (info.st_ino, info.st_size)
        except OSError:
            now = None
        if now != seen:
            seen = now
            known = _read(folder).get(name)
            if known and known.state != "waiting":
                return known.state
        if time.monotonic() >= until:
            return "waiting"
        time.sleep(0.05)


def now_text() -> str:
    """This moment, so that texts compare as times."""
    return _text(datetime.now(UTC))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _take(folder: Path, nonce: str) -> bool:
    """Whether this call is the first that takes an answer for one call; two at the same time cannot both."""
    try:
        (folder / "taken").mkdir(mode=0o700, exist_ok=True)
        (folder / "taken" / nonce).touch(exist_ok=False)
    except OSError:
        return False
    return True


def _append(folder: Path, row: Mapping[str, object]) -> str:
    """Scrubbed first, for the proof is over what is written; the warning, or an empty text."""
    try:
        scrubber = operator_scrubber()
    except ScrubError:
        scrubber = Scrubber()
    try:
        clean = scrubber.value(row).value
        kept = clean if isinstance(clean, dict) else {}
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        rotate(folder / FILE)
        (folder / FILE).touch(mode=0o600)
        append_rows(folder / FILE, [kept | {"proof": make_proof(kept)}], sync=False)
    except (OSError, GuildmootError) as wrong:
        return str(wrong)
    return ""


def _read(folder: Path) -> dict[str, Approval]:
    found: dict[str, Approval] = {}
    for row in read_rows(folder / FILE):
        if not row or not is_proven(row):
            continue
        name = str(row.get("id", ""))
        if row.get("kind") == "ask":
            fields = {key: str(row.get(key, "")) for key in Approval._fields if key in row}
            found[name] = Approval(**fields)  # type: ignore[arg-type] # used keeps its default
        elif name in found and row.get("kind") == "answer":
            if row.get("nonce", found[name].nonce) == found[name].nonce:
                told = [str(row.get(key, "")) for key in _ANSWER]
                found[name] = found[name]._replace(**dict(zip(_ANSWER, told, strict=True)))  # type: ignore[arg-type]
        elif name in found and row.get("kind") == "used":
            found[name] = found[name]._replace(used=found[name].used + 1)
    return found


def _mark(folder: Path, event: HookEvent, name: str) -> None:
    """A file by which the end of the call finds the question without reading them all."""
    mark = _mark_file(folder, event.text("tool_use_id"))
    if mark:
        mark.parent.mkdir(mode=0o700, exist_ok=True)
        mark.write_text(name, encoding="ascii")


def _mark_file(folder: Path, tool_use_id: str) -> Path | None:
    if not tool_use_id:
        return None
    return folder / "asked" / hashlib.sha256(tool_use_id.encode()).hexdigest()[:32]
