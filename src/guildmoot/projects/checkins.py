"""Check-ins: one unit of work each, with its contract, what was done and how it was judged. Written once."""

from __future__ import annotations

import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.manifest import VERDICTS, check_known, check_record, check_word
from guildmoot.projects.toml import check_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project, RecordChange


def write_checkin(
    project: Project, checkin: object, run: str = "", home: str = "", tree: str = ""
) -> Record:
    """Put a check-in down; one of the same branch and number is never replaced.

    ``home`` is the repository on whose record the run is, where the project lies in a clone of it;
    ``tree`` the tree of git's that was judged.
    """
    record = _checked(checkin)
    if run:
        bound = _bound(project, record, run, home)
        record["verdict"] = {**record["verdict"], **bound, **({"tree": tree} if tree else {})}

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
    check_known("checkins", checkin, "the check-in")
    for name in ("number", "branch"):
        if not checkin[name] or not checkin[name].isprintable() or " " in checkin[name]:
            raise RecordError("invalid-checkin", f"{name} is {checkin[name]!r}; it must be a word")
    return dict(checkin)


def _bound(project: Project, record: Record, run: str, home: str) -> Record:
    """Which run judged what: its id, and the hash of the files as they are now."""
    judged = run_verdict(home or project.folder, run)
    if judged is None:
        raise RecordError(
            "run-not-found", f"there is no finished run {run}; 'guild runs list' shows them"
        )
    if judged != record["verdict"]["result"]:
        raise RecordError(
            "verdict-mismatch",
            f"the check-in says {record['verdict']['result']}, and the run {run} says {judged}",
        )
    paths = record["execution"]["files_touched"]
    _check_judged(project.folder, run, paths, home or project.folder)
    return {"run": run, "content": content_hash(project.folder, paths)}


def _check_judged(folder: str, run: str, paths: list[str], home: str) -> None:
    """RecordError when a run did not judge these files, or not as they are now."""
    if not paths:
        raise RecordError(
            "run-not-judged",
            "the check-in names no file under execution.files_touched, so a run can say nothing of"
            " it; name them, or leave --run away",
        )
    packet = _run_part(home, run, "packet")
    shown = {str(file["path"]): str(file["sha256"]) for file in packet.get("files", ())}
    masked, left_out = ({str(item["path"]) for item in packet.get(name, ())} for name in
                        ("masked", "omitted"))  # fmt: skip
    for path in paths:
        root, known = _root(folder), os.path.normpath(path)
        data, outside = _read_touched(root, path), os.path.isabs(path) or known.startswith("..")
        gone = data is None and not os.path.lexists(os.path.join(root, path))
        if gone and not outside and known not in shown:
            continue  # it was deleted, before the run as well
        if outside or (known not in shown and known not in left_out):
            raise RecordError(
                "run-not-judged",
                f"{path} was not before run {run}; judge it, or leave it to another check-in",
            )
        if known in shown and known not in masked and shown[known] not in _hashes(data):
            raise RecordError(
                "verdict-stale", f"{path} changed since run {run} judged it; judge it again"
            )


def _hashes(data: bytes | None) -> tuple[str, ...]:
    """By what a run may know a file: judges see what is no UTF-8 replaced."""
    from hashlib import sha256

    if data is None:
        return ()
    plain = data.decode("utf-8", "replace").encode()
    return sha256(data).hexdigest(), sha256(plain).hexdigest()


def run_verdict(folder: str, run: str) -> str | None:
    """What a recorded run came to; None when there is no such run that ended."""
    verdict = _run_part(folder, run, "result").get("verdict")
    if verdict is None:
        return None
    word = str(verdict)
    return {"PASS": "approved", "WARN": "approved", "FAIL": "flagged"}.get(word, word)


def _run_part(folder: str, run: str, part: str) -> Record:
    """One file of a recorded run; empty when there is none."""
    import json

    if not run or "/" in run or run.startswith("."):
        return {}
    place = os.path.join(_root(folder), ".guild", "runs", run, f"{part}.json")
    try:
        with open(place, encoding="utf-8") as stream:
            held = json.load(stream)
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _root(folder: str) -> str:
    from guildmoot.projects.repository import find_checkout

    checkout = find_checkout(folder)
    return checkout.root if checkout else os.getcwd()


def _read_touched(root: str, path: str) -> bytes | None:
    """A file of the work tree; None for one that is not there, or that a link leads to."""
    from guildmoot.system.files import linked_part

    place = os.path.normpath(os.path.join(root, path))
    try:
        if not os.path.isfile(place) or linked_part(root, place):
            return None
        with open(place, "rb") as stream:
            return stream.read()
    except OSError:
        return None


def content_hash(folder: str, paths: Iterable[str]) -> str:
    """One hash over some files of the work tree; a file that is not there counts as that."""
    from hashlib import sha256

    root, whole = _root(folder), sha256()
    for path in sorted(set(paths)):
        whole.update(f"{path}\0".encode("utf-8", "surrogatepass"))
        data = _read_touched(root, path)
        whole.update(b"absent" if data is None else sha256(data).digest())
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
