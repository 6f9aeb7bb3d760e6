"""Makes the cases: sound repositories, each defect put into one of them alone, and the controls.

A defect is an edit that must fit exactly once. Token-shaped text is put together here and is stored
nowhere. Judging is left to others.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
REPOSITORIES = HERE / "repositories"
DEFECTS = HERE / "defects"

STAND_INS = {
    "@@GITHUB_TOKEN@@": "ghp_" + "".join("q7Zp2Vx9"[n % 8] + "Lw4Kd"[n % 5] for n in range(18)),
    "@@AWS_KEY@@": "AKIA" + "".join("Q3ZX7WVN"[n * 3 % 8] for n in range(16)),
    "@@PASSWORD@@": "".join(("tr0ub", "adour", "7x", "Qp")),
}


class CaseError(Exception):
    """A case cannot be made as it is written."""


class Place(NamedTuple):
    """Where a defect is: the lines that were changed; around a gap, the lines beside it."""

    path: str
    first: int
    last: int


class Defect(NamedTuple):
    """One thing that is wrong."""

    kind: str
    severity: str
    about: str
    place: Place
    others: tuple[Place, ...] = ()
    """Where else it shows: the other files or blocks that a change of several had to touch."""


class Case(NamedTuple):
    """One repository as judges see it."""

    name: str
    """``repository/name``; the sound one is ``repository/sound``."""
    repository: str
    files: Mapping[str, str]
    defect: Defect | None = None
    """None for a control: nothing is wrong with it."""


class Edit(NamedTuple):
    """Old text for new text in one file."""

    file: str
    old: str
    new: str
    tidy: tuple[tuple[str, str], ...] = ()
    """What its author would have changed along with it, e.g. an import that is needed no more."""
    also: tuple[tuple[str, str, str], ...] = ()
    """Files, old texts and new ones that belong to the same defect."""


def load_cases(only: str = "") -> list[Case]:
    """Every case, or those whose name begins with ``only``, repository by repository."""
    every = [case for folder in sorted(REPOSITORIES.iterdir()) for case in _of_repository(folder)]
    found = chosen(every, only)
    if not found:
        raise CaseError(f"no case begins with {only!r}")
    return found


def chosen(cases: Iterable[Case], only: str) -> list[Case]:
    """Cases by the beginning of their names, each with the sound one that it is compared with."""
    cases = list(cases)
    wanted = {case.repository for case in cases if case.name.startswith(only)}
    return [
        case
        for case in cases
        if case.name.startswith(only) or (case.repository in wanted and case.name == sound_of(case))
    ]


def sound_of(case: Case) -> str:
    """The name of the case with the sound code."""
    return f"{case.repository}/sound"


def _of_repository(folder: Path) -> Iterator[Case]:
    files = read_files(folder)
    listed = tomllib.loads((DEFECTS / f"{folder.name}.toml").read_text(encoding="utf-8"))
    yield Case(f"{folder.name}/sound", folder.name, files)
    for entry in listed["harmless"]:
        name = f"{folder.name}/{entry['name']}"
        yield Case(name, folder.name, _applied(name, files, _edit(entry))[0])
    for entry in listed["defect"]:
        name = f"{folder.name}/{entry['name']}"
        changed, (place, *others) = _applied(name, files, _edit(entry))
        defect = Defect(entry["kind"], entry["severity"], entry["about"], place, tuple(others))
        yield Case(name, folder.name, changed, defect)


def _edit(entry: Mapping[str, Any]) -> Edit:
    tidy = tuple((old, new) for old, new in entry.get("tidy", ()))
    also = tuple((file, old, new) for file, old, new in entry.get("also", ()))
    return Edit(entry["file"], entry["old"], entry["new"], tidy, also)


def read_files(folder: Path) -> dict[str, str]:
    """The texts of a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _applied(name: str, files: Mapping[str, str], edit: Edit) -> tuple[dict[str, str], list[Place]]:
    """The files with the edit in them, and the lines of each of its parts."""
    tidied = dict(files)
    for old, new in edit.tidy:
        _put(name, tidied, Edit(edit.file, old, new))
    own = [edit, *(Edit(*each) for each in edit.also)]
    changed = _edited(name, tidied, own)
    for path in {each.file for each in own if each.file.endswith(".py")}:
        _parse(name, changed[path])
    places = []
    for at, each in enumerate(own):
        without = _edited(name, tidied, own[:at] + own[at + 1 :])
        places.append(Place(each.file, *changed_lines(without[each.file], changed[each.file])))
    return changed, places


def _edited(name: str, files: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    changed = dict(files)
    for edit in edits:
        _put(name, changed, edit)
    return changed


def _put(name: str, files: dict[str, str], edit: Edit) -> None:
    before = files.get(edit.file)
    if before is None:
        raise CaseError(f"{name}: there is no file {edit.file}")
    files[edit.file] = apply(name, before, edit)


def apply(name: str, before: str, edit: Edit) -> str:
    """The text with the edit in it; it must fit in exactly one place and change something."""
    count = before.count(edit.old)
    if not edit.old or count != 1:
        raise CaseError(f"{name}: the old text is {count} times in {edit.file}, not once")
    if edit.old == edit.new:
        raise CaseError(f"{name}: nothing is changed")
    return before.replace(edit.old, fill(edit.new))


def fill(text: str) -> str:
    """The text with the tokens that its stand-ins mean."""
    for stand_in, token in STAND_INS.items():
        text = text.replace(stand_in, token)
    return text


def changed_lines(before: str, after: str) -> tuple[int, int]:
    """First and last changed line of the new text; where lines went, the ones beside the gap."""
    old, new = before.splitlines(), after.splitlines()
    blocks = [
        (start, end)
        for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    first, last = blocks[0][0] + 1, blocks[-1][1]
    if last < first:
        first, last = last, first
    return max(first, 1), min(last, len(new))


def _parse(name: str, text: str) -> None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise CaseError(f"{name}: the code does not parse any more: {error}") from error
