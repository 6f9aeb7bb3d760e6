"""Check-ins: one unit of work each, with its contract, what was done and how it was judged. Written once."""

from __future__ import annotations

import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.manifest import VERDICTS, check_record, check_word
from guildmoot.projects.toml import check_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project, RecordChange


def write_checkin(project: Project, checkin: object, run: str = "") -> Record:
    """Put a check-in down; one of the same branch and number is never replaced."""
    record = _checked(checkin)
    if run:
        record["verdict"] = {**record["verdict"], **_bound(project, record, run)}

    def make(draft: RecordChange) -> Record:
        key = (record["branch"], record["number"])
        if any((each["branch"], each["number"]) == key for each in draft.values["checkins"]):
            raise RecordError(
                "checkin-already-exists",
                f"check-in {record['number']} of {record['branch']} is written already; it is kept",
            )
        place = draft.add("checkins", record)
        note_event(
            draft, "checkin-created", {"number": record["number"], "branch": record["branch"]}
        )
        return {"path": place, "number": record["number"], "branch": record["branch"]}

    return project.change(make)


def _checked(checkin: object) -> Record:
    if not isinstance(checkin, dict):
        raise RecordError("invalid-checkin", "a check-in is one JSON object")
    version, number = checkin.get("schema_version"), checkin.get("number")
    if version != 1 or isinstance(version, bool):
        raise RecordError("invalid-checkin", f"schema_version is {version!r}; it must be 1")
    if not isinstance(number, str) or not isinstance(checkin.get("branch"), str):
        raise RecordError("invalid-checkin", "number and branch must be texts")
    check_values({key: held for key, held in checkin.items() if held is not None}, "the check-in")
    check_record("checkins", checkin, "the check-in")
    check_word("invalid-checkin", "verdict.result", checkin["verdict"]["result"], VERDICTS)
    return dict(checkin)


def _bound(project: Project, record: Record, run: str) -> Record:
    """Which run judged what: its id, and the hash of the files as they are now."""
    judged = run_verdict(project.folder, run)
    if judged is None:
        raise RecordError(
            "run-not-found", f"there is no finished run {run}; 'guild runs list' shows them"
        )
    if judged != record["verdict"]["result"]:
        raise RecordError(
            "verdict-mismatch",
            f"the check-in says {record['verdict']['result']}, and the run {run} says {judged}",
        )
    return {
        "run": run,
        "content": content_hash(project.folder, record["execution"]["files_touched"]),
    }


def run_verdict(folder: str, run: str) -> str | None:
    """What a recorded run came to; None when there is no such run that ended."""
    import json

    from guildmoot.projects.repository import find_checkout

    if not run or "/" in run or run.startswith("."):
        return None
    checkout = find_checkout(folder)
    root = checkout.root if checkout else os.getcwd()
    place = os.path.join(root, ".guild", "runs", run, "result.json")
    try:
        with open(place, encoding="utf-8") as stream:
            verdict = json.load(stream).get("verdict")
    except (OSError, ValueError, AttributeError):
        return None
    word = str(verdict)
    return {"PASS": "approved", "WARN": "approved", "FAIL": "flagged"}.get(word, word)


def content_hash(folder: str, paths: Iterable[str]) -> str:
    """One hash over some files of the work tree; a file that is not there counts as that."""
    from hashlib import sha256

    from guildmoot.projects.repository import find_checkout
    from guildmoot.system.files import linked_part

    checkout = find_checkout(folder)
    root = checkout.root if checkout else os.getcwd()
    whole = sha256()
    for path in sorted(set(paths)):
        whole.update(f"{path}\0".encode("utf-8", "surrogatepass"))
        place = os.path.normpath(os.path.join(root, path))
        try:
            if linked_part(root, place):
                raise OSError
            with open(place, "rb") as stream:
                whole.update(sha256(stream.read()).digest())
        except OSError:
            whole.update(b"absent")
    return whole.hexdigest()


def list_checkins(values: Record, branch: str = "") -> list[Record]:
    """By branch, then by number."""
    rows = [each for each in values["checkins"] if not branch or each["branch"] == branch]
    return sorted(rows, key=lambda row: (row["branch"], *_order(row["number"])))


def _order(number: str) -> tuple[int, str]:
    return (int(number), number) if number.isdecimal() and number.isascii() else (1 << 62, number)


def read_checkin(values: Record, branch: str, number: str) -> Record:
    """One check-in."""
    for row in values["checkins"]:
        if (row["branch"], row["number"]) == (branch, number):
            return dict(row)
    raise RecordError("checkin-not-found", f"there is no check-in {number} of {branch}")


def latest_checkin(values: Record, branch: str = "") -> Record:
    """The last one in the order of the list."""
    rows = list_checkins(values, branch)
    if not rows:
        where = f" of {branch}" if branch else ""
        raise RecordError("no-checkins", f"there is no check-in{where} yet")
    return rows[-1]
