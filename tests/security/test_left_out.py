"""Of any change every file is before a judge, or data by its content, or compared, or named and unseen."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guildmoot.errors import NothingJudgedError
from guildmoot.model.packet import Packet
from guildmoot.packet import PacketRequest, build_packet
from security.pull_requests import AUTH, DOOR, PIXEL, File, Link
from security.test_pull_requests import write

_WHO = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
_FOLDERS = ("", "src/", "vendor/", "node_modules/m/", "dist/", "docs/", ".guild/runs/1/", "build/")
_NAMES = (
    *("a.py", "b.js", "c_pb2.py", "d.min.js", "e.snap", "f.png", "go.sum", "yarn.lock", "x.key"),
    *(
        "package-lock.json",
        ".env",
        "id_x",
        "g.svg",
        "h.bin",
        "k",
        "t.md",
        "caf\udce9.py",
        "gradlew",
    ),
    *(".gitattributes", ".guildignore"),
)
_CONTENTS: tuple[File, ...] = (
    *(AUTH, DOOR, f"# @generated\n{AUTH}", f"# @generated\n{DOOR}", "b" * 9_000 + DOOR, ""),
    *(DOOR.encode() + b"\0", DOOR.encode("utf-16-le"), b"\x7fELF\0\1\xff\xfe" * 9, PIXEL),
    *(PIXEL + DOOR.encode(), Link("a.py"), DOOR + "x = 1\n" * 90_000, "*\n", "*.py\n"),
    *(
        "* linguist-generated\n",
        "*.js linguist-vendored\n",
        '{"lockfileVersion": 3, "packages": {}}',
    ),
    None,
)
_paths = st.builds(str.__add__, st.sampled_from(_FOLDERS), st.sampled_from(_NAMES))
_trees = st.dictionaries(_paths, st.sampled_from(_CONTENTS), min_size=1, max_size=7)


def commit(root: Path, files: dict[str, File]) -> str:
    write(root, files)
    git(root, "add", "-fA")
    git(root, "commit", "-q", "--allow-empty", "-m", "work")
    return git(root, "rev-parse", "HEAD").strip()


def git(root: Path, *words: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ("git", *_WHO, *words), cwd=root, env=env, check=True, capture_output=True
    )
    return os.fsdecode(done.stdout)


_TOLD = ("data", "deleted", "sample", "own-record")
"""Reasons that a report names without holding the change up."""


def accounted(packet: Packet) -> set[str]:
    """The paths that a judge is shown, that are listed as data or gone, or that hold the verdict down."""
    listed = {item.path for item in packet.omitted if item.unseen_by or item.reason in _TOLD}
    return {file.path for file in packet.files} | {check.path for check in packet.checks} | listed


@pytest.mark.slow  # makes sixty repositories
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_trees, _trees, st.sampled_from(["range", "staged"]))
def test_nothing_of_a_change_gets_lost(tmp_path_factory, base, change, how) -> None:
    root = tmp_path_factory.mktemp("repo")
    git(root, "init", "-q", "-b", "main")
    first = commit(root, {"auth.py": AUTH, **base})
    commit(root, change) if how == "range" else (write(root, change), git(root, "add", "-fA"))
    request = PacketRequest(
        cwd=root, diff=f"{first}..HEAD" if how == "range" else None, staged=how == "staged"
    )
    range_ = (first, "HEAD") if how == "range" else ("--cached", "HEAD")
    changed = {
        name
        for name in git(root, "diff", "--no-renames", "--name-only", "-z", *range_).split("\0")
        if name
    }
    gone = {
        name
        for name in git(
            root, "diff", "--no-renames", "--diff-filter=D", "--name-only", "-z", *range_
        ).split("\0")
        if name
    }
    if not changed:
        return
    try:
        packet = build_packet(request)
    except NothingJudgedError as error:
        assert error.exit_code == 3
        return
    wanted = {
        name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        for name in changed - gone
    }
    assert wanted <= accounted(packet)
    assert not {item.path for item in packet.omitted if item.reason == "data"} & {
        file.path for file in packet.files
    }


@pytest.mark.parametrize("verb", ["validate", "council"])
def test_what_was_left_out_is_named_in_every_report(shop, verb) -> None:
    from judges import add_judge, verdict

    add_judge(
        shop,
        "kind",
        "VERDICT: approved" if verb == "validate" else verdict("PASS"),
        reply="verdict" if verb == "validate" else "council",
    )
    commit(shop.root, {"a.py": "a = 1\n"})
    commit(shop.root, {"a.py": "a = 2\n", "tool.bin": b"\x7fELF\0\xff\xfe" * 9})
    reports = [shop.root.parent / f"out.{kind}" for kind in ("md", "html", "json")]
    words = ("recent",) if verb == "validate" else ("validate", "recent")
    flags = [word for path in reports for word in ("--report", str(path))]
    done = shop.guild(verb, "--agents", "kind", *words, *flags)

    assert done.code == 3, done.out + done.err
    assert "tool.bin" in done.out[:1500]
    for path in reports:
        assert "tool.bin" in path.read_text()
    assert '"unseen_by": "everybody"' in reports[2].read_text()


@pytest.mark.parametrize("path", [".guildignore", "s/.guildignore"])
@pytest.mark.parametrize("how", ["range", "staged", "tree"])
def test_what_a_change_adds_to_the_ignore_files_does_not_count(shop, path, how) -> None:
    first = commit(shop.root, {"s/a.py": AUTH})
    write(shop.root, {path: "a.py\n", "s/a.py": DOOR})
    if how != "tree":
        git(shop.root, "add", "-A")
    if how == "range":
        git(shop.root, "commit", "-qm", "x")
    diff = {"range": f"{first}..HEAD", "tree": "", "staged": None}[how]
    packet = build_packet(PacketRequest(cwd=shop.root, diff=diff, staged=how == "staged"))

    assert "s/a.py" in {file.path for file in packet.files}


def test_an_ignore_file_that_no_commit_holds_is_the_users_own(shop) -> None:
    first = commit(shop.root, {"a.py": AUTH, "b.py": AUTH})
    commit(shop.root, {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    write(shop.root, {".guildignore": "a.py\n"})
    packet = build_packet(PacketRequest(cwd=shop.root, diff=f"{first}..HEAD"))

    assert [file.path for file in packet.files] == ["b.py"]
    assert [(item.path, item.unseen_by) for item in packet.omitted] == [("a.py", "everybody")]


def test_text_that_git_replaces_when_it_checks_out_is_not_approved(shop) -> None:
    first = commit(
        shop.root, {"a.py": AUTH, ".gitattributes": "b.py ident\n", "b.py": "b = '$Id$'\n"}
    )
    kept = shop.root.parent / "kept"
    kept.write_text("b = '$Id:' if allowed(user) else '$'\n")
    oid = git(shop.root, "hash-object", "-w", "--no-filters", str(kept)).strip()
    git(shop.root, "update-index", "--cacheinfo", f"100644,{oid},b.py")
    git(shop.root, "commit", "-qm", "x")

    with pytest.raises(NothingJudgedError, match="re-encoded"):
        build_packet(PacketRequest(cwd=shop.root, diff=f"{first}..HEAD"))
