"""Every change of the table is put to the judge of lock files."""

from __future__ import annotations

import json

import pytest

from guildmoot.packet.collect import LOCKS as NAMES
from guildmoot.packet.locks.compare import check_lock
from guildmoot.packet.locks.forms import LOCKS as KINDS
from guildmoot.packet.locks.forms import asks_for
from guildmoot.packet.machine_written import in_short
from security.lock_files import _B, LOCKS, go, npm


@pytest.mark.parametrize(("path", "before", "after", "code"), LOCKS)
def test_what_a_lock_file_hides_is_found(
    path: str, before: str | None, after: str, code: str | None
) -> None:
    check = check_lock(path, before, after, asked=True)

    codes = None if check is None else {found[0] for found in check.findings}
    assert codes == (None if code is None else {*code.split()})


def test_git_source_that_nobody_asked_for_blocks() -> None:
    after = npm("4.17.21", url="git+https://github.com/e/l.git#0")
    asked, alone = (
        check_lock("package-lock.json", npm("4.17.20"), after, asked=asked)
        for asked in (True, False)
    )

    assert asked
    assert alone
    assert {level for _, level, _ in asked.findings} == {"WARNING"}
    assert {level for _, level, _ in alone.findings} == {"ERROR"}
    assert "package.json did not change" in alone.told


def test_new_lock_file_with_a_strange_host_is_left_to_a_person() -> None:
    check = check_lock(
        "package-lock.json", None, npm("1.0.0", url="https://npm.corp/lodash/-/l-1.tgz"), asked=True
    )

    assert check
    assert "npm.corp" in check.doubt


def test_the_names_of_lock_files_and_their_kinds_are_the_same() -> None:
    assert {*NAMES} == {*KINDS}


def test_what_names_the_dependencies_lies_beside_the_lock_file_or_below() -> None:
    assert asks_for("web/yarn.lock", ["web/packages/a/package.json"])
    assert not asks_for("web/yarn.lock", ["package.json"])


def test_key_that_no_tool_writes_is_left_to_a_person() -> None:
    check = check_lock("package-lock.json", npm("1.0.0"), npm("1.0.1", _B, evil="x"), asked=True)

    assert check
    assert "'evil'" in check.doubt


def test_module_that_gives_way_to_another_is_left_to_a_person() -> None:
    other = go("v1.0.0").replace("example.com/m", "evil.example/m")
    check = check_lock("go.sum", go("v1.0.0"), other, asked=False)

    assert check
    assert "evil.example/m" in check.doubt


def test_another_version_with_the_address_of_the_old_one_blocks() -> None:
    old = "https://registry.npmjs.org/lodash/-/lodash-4.17.20.tgz"
    check = check_lock("package-lock.json", npm("4.17.20"), npm("4.17.21", url=old), asked=True)
    assert check
    assert ("lock-version", "ERROR") in {found[:2] for found in check.findings}


def many(form: str, count: int) -> str:
    """A lock file in which each entry comes from an address of that form."""
    entries = {
        f"node_modules/p{n}": {
            "version": "1.0.0",
            "resolved": form.format(f"p{n}"),
            "integrity": _B,
        }
        for n in range(count)
    }
    return json.dumps({"lockfileVersion": 3, "packages": entries})


@pytest.mark.parametrize(("count", "told"), [(3, 3), (4, 1), (643, 1)])
def test_a_mangled_file_is_one_finding_that_counts_its_places(count: int, told: int) -> None:
    before, after = (
        many(f"{s}://registry.npmjs.org/{{0}}/-/{{0}}-1.0.0.tgz", count) for s in ("https", "http")
    )
    check = check_lock("package-lock.json", before, after, asked=True)

    assert check
    found = in_short(check).findings
    assert len(found) == told
    assert all(name in found[0][2] for name in ("p0", "p1", "p2")[: 4 - told])
    assert told == 3 or f"and {count - 3} more" in found[0][2]
