"""Diff modes: the working tree, the index, ranges and the last commits, each from its own new side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import TargetError
from guildmoot.packet.diff import added_patch, changed_ranges, clip, quoted

BEFORE = "one\ntwo\n\nfour\nfive\n"
AFTER = "one\nTWO\n\nfour\nfive\nsix\n"


def diff_of(packet) -> str:
    return next(section.text for section in packet.sections if section.kind == "diff")


def texts(packet) -> dict[str, str]:
    return {file.path: file.text for file in packet.files}


def test_the_working_tree_is_compared_with_head_and_untracked_files_are_new(repo):
    repo.commit(a__py=BEFORE, same__py="1\n")
    repo.write("a.py", AFTER)
    repo.write("new.py", "x\ny\n")
    packet = repo.packet(diff="")
    assert texts(packet) == {"a.py": AFTER, "new.py": "x\ny\n"}
    assert packet.changed == (("a.py", ((2, 2), (6, 6))), ("new.py", ((1, 2),)))
    assert "-two\n+TWO\n" in diff_of(packet)
    assert (
        "new file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x\n+y\n"
        in diff_of(packet)
    )
    assert packet.checkout
    assert packet.target == "working tree against HEAD"


def test_staged_takes_the_index_and_not_the_working_tree(repo):
    repo.commit(a__py=BEFORE)
    repo.write("a.py", AFTER)
    repo.git("add", "a.py")
    assert repo.packet(staged=True).checkout
    repo.write("a.py", "later\n")
    repo.write("untracked.py")
    packet = repo.packet(staged=True)
    assert texts(packet) == {"a.py": AFTER}
    assert packet.changed == (("a.py", ((2, 2), (6, 6))),)
    assert not packet.checkout


def test_a_range_takes_its_right_end(repo):
    first = repo.commit(a__py=BEFORE)
    repo.commit(a__py=AFTER)
    repo.write("a.py", "later\n")
    packet = repo.packet(diff=f"{first}..HEAD")
    assert texts(packet) == {"a.py": AFTER}
    assert not packet.checkout
    repo.write("a.py", AFTER)
    assert repo.packet(diff=f"{first}..").checkout


def test_three_dots_compare_with_the_common_ancestor(repo, paths):
    repo.commit(a__py="1\n")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit(b__py="1\n")
    repo.git("checkout", "-q", "main")
    repo.commit(c__py="print('c')\n")
    assert paths(repo.packet(diff="main...topic")) == ["b.py"]
    packet = repo.packet(diff="main..topic")
    assert paths(packet) == ["b.py"]
    assert [item[:2] for item in packet.omitted] == [("c.py", "deleted")]


def test_a_single_ref_is_compared_with_the_working_tree(repo):
    repo.commit(a__py="1\n")
    repo.commit(a__py="2\n")
    repo.write("a.py", "3\n")
    packet = repo.packet(diff="HEAD~1")
    assert texts(packet) == {"a.py": "3\n"}
    assert "-1\n+3\n" in diff_of(packet)


def test_recent_means_the_last_commits_and_the_first_is_compared_with_nothing(repo, paths):
    repo.commit(a__py="1\n")
    assert paths(repo.packet("recent")) == ["a.py"]
    repo.commit(b__py="1\n")
    repo.commit(c__py="1\n")
    assert paths(repo.packet("recent")) == ["c.py"]
    assert paths(repo.packet("recent", recent=2)) == ["b.py", "c.py"]
    packet = repo.packet("recent", recent=99)
    assert paths(packet) == ["a.py", "b.py", "c.py"]
    assert packet.changed[0] == ("a.py", ((1, 1),))


def test_recent_without_commits_says_so(repo):
    repo.write("a.py")
    with pytest.raises(TargetError, match="no commits yet"):
        repo.packet("recent")


def test_recent_in_a_shallow_clone_does_not_take_everything_for_new(repo, tmp_path):
    repo.commit(a__py="1\n")
    repo.commit(b__py="1\n")
    clone = tmp_path / "clone"
    subprocess.run(("git", "clone", "-q", "--depth=1", repo.root.as_uri(), clone), check=True)
    with pytest.raises(TargetError, match="shallow") as error:
        repo.packet("recent", cwd=clone)
    assert "--deepen" in error.value.hint


def test_before_the_first_commit_everything_staged_is_new(repo, paths):
    repo.write("a.py")
    repo.git("add", "a.py")
    assert paths(repo.packet(staged=True)) == ["a.py"]
    assert paths(repo.packet(diff="")) == ["a.py"]


def test_a_rename_shows_both_names_and_judges_the_new_one(repo):
    text = "".join(f"line {n}\n" for n in range(20))
    repo.commit(old__py=text)
    repo.git("mv", "old.py", "new.py")
    repo.write("new.py", text.replace("line 3\n", "LINE 3\n"))
    repo.git("add", "-A")
    packet = repo.packet(staged=True)
    assert list(texts(packet)) == ["new.py"]
    assert "rename from old.py\nrename to new.py\n" in diff_of(packet)
    assert packet.changed == (("new.py", ((4, 4),)),)


def test_deletions_are_in_the_diff_and_listed(repo):
    repo.commit(a__py="1\n", gone__py="bye\n")
    (repo.root / "gone.py").unlink()
    packet = repo.packet(diff="")
    assert texts(packet) == {}
    assert "-bye" in diff_of(packet)
    assert [item[:2] for item in packet.omitted] == [("gone.py", "deleted")]


def test_modes_binaries_links_and_submodules_are_told_apart(repo, tmp_path, left_out):
    other = type(repo)(tmp_path / "other")
    other.commit(o__py="1\n")
    repo.commit(run__sh="true\n", kind__txt="text\n")
    (repo.root / "run.sh").chmod(0o755)
    repo.write("logo.bin", b"\0\1\2")
    (repo.root / "kind.txt").unlink()
    (repo.root / "kind.txt").symlink_to("run.sh")
    repo.git("submodule", "add", "-q", str(other.root), "sub")
    repo.git("add", "-A")
    for packet in (repo.packet(staged=True), repo.packet(diff="")):
        assert list(texts(packet)) == [".gitmodules", "run.sh"]
        assert left_out(packet) == {"logo.bin": "binary", "kind.txt": "symlink", "sub": "submodule"}
        assert "old mode 100644\nnew mode 100755\n" in diff_of(packet)
        assert "Binary files" in diff_of(packet)
        assert "+Subproject commit" in diff_of(packet)
        assert dict(packet.changed)["run.sh"] == ()


@pytest.mark.parametrize(
    ("name", "start", "reason", "unseen_by"),
    [
        ("quiet.wv", b"wvpk\0\1", "sample", ""),
        ("quiet.wv", b"\x7fELF\0\1", "binary", "everybody"),
        ("quiet.bin", b"wvpk\0\1", "binary", "everybody"),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0", "binary", "everybody"),
    ],
)
def test_data_beside_code_is_told_and_a_program_under_its_name_is_left_out(
    repo, name, start, reason, unseen_by
):
    repo.commit(unpack__c="int unpack(void) { return 1; }\n")
    repo.write("unpack.c", "int unpack(void) { return 2; }\n")
    repo.write(name, start * 40)
    repo.git("add", "-A")
    (item,) = repo.packet(staged=True).omitted
    assert (item.path, item.reason, item.unseen_by) == (name, reason, unseen_by)


def test_data_without_code_is_judged_by_nobody(repo):
    repo.commit(notes__md="old\n")
    repo.write("notes.md", "new\n")
    repo.write("quiet.wv", b"wvpk\0\1" * 40)
    repo.git("add", "-A")
    (item,) = repo.packet(staged=True).omitted
    assert (item.reason, item.unseen_by) == ("sample", "everybody")


def test_an_unmerged_file_is_judged_with_its_conflict_markers(repo, left_out):
    repo.commit(a__py="1\n", b__py="1\n")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit(a__py="2\n")
    repo.git("checkout", "-q", "main")
    repo.commit(a__py="3\n")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "topic")
    repo.write("b.py", "2\n")
    packet = repo.packet(diff="")
    assert texts(packet)["a.py"].startswith("<<<<<<< HEAD\n3\n=======\n")
    assert set(texts(packet)) == {"a.py", "b.py"}
    assert "Unmerged path" not in diff_of(packet)
    repo.git("add", "b.py")
    assert left_out(repo.packet(staged=True)) == {"a.py": "conflict"}


def test_targets_narrow_a_diff_and_may_name_deleted_files(repo, paths):
    repo.commit(a__py="1\n", b__py="1\n")
    repo.write("src/c.py")
    (repo.root / "b.py").unlink()
    repo.write("a.py", "2\n")
    assert paths(repo.packet("src", diff="")) == ["src/c.py"]
    assert paths(repo.packet("*.py", diff="")) == ["a.py", "src/c.py"]
    packet = repo.packet("b.py", diff="")
    assert "-1\n" in diff_of(packet)
    assert "a.py" not in diff_of(packet)
    assert packet.target == "working tree against HEAD, in b.py"
    with pytest.raises(TargetError, match="There is no"):
        repo.packet("nope.py", diff="")


def test_names_with_newlines_quotes_and_spaces_keep_their_patch(repo):
    names = ["a b.py", "new\nline.py", 'q"\\.py', "tab\t.py", "ü.py", "\x01\x7f.py"]
    for name in names:
        repo.write(name, "1\n")
    repo.commit()
    for name in names:
        repo.write(name, "2\n")
    packet = repo.packet(diff="")
    assert packet.changed == tuple((name, ((1, 1),)) for name in sorted(names))
    assert diff_of(packet).count("-1\n+2\n") == len(names)


def test_text_that_looks_like_a_diff_header_stays_inside_its_patch(repo):
    repo.commit(a__py="1\n", b__py="1\n")
    repo.write("a.py", "diff --git a/b.py b/b.py\n@@ -1 +99 @@\n+x\n")
    packet = repo.packet(diff="")
    assert packet.changed == (("a.py", ((1, 3),)),)


def test_the_users_diff_settings_change_nothing(repo):
    repo.commit(a__py=BEFORE, b__py=BEFORE)
    repo.write("a.py", AFTER)
    repo.write("b.py", AFTER)
    before = repo.packet(diff="")
    (repo.root / "order").write_text("b.py\n")
    settings = {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always",
        "diff.context": "0", "diff.algorithm": "patience", "diff.renames": "false",
        "diff.orderFile": str(repo.root / "order"), "core.abbrev": "4", "diff.relative": "true",
        "diff.suppressBlankEmpty": "true", "diff.interHunkContext": "9",
    }  # fmt: skip
    for key, value in settings.items():
        repo.git("config", key, value)
    (repo.root / "order").unlink()
    assert repo.packet(diff="") == before


@pytest.mark.parametrize("bad", ["nope", "nope..HEAD", "HEAD...nope", "--output=x", "HEAD^{tree}"])
def test_a_range_that_names_no_commit_gives_gits_reason(repo, bad):
    repo.commit(a__py="1\n")
    with pytest.raises(TargetError, match="names no commit here: git says"):
        repo.packet(diff=bad)
    assert not (repo.root / "x").exists()


def test_histories_without_a_common_ancestor_say_so(repo):
    repo.commit(a__py="1\n")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit(a__py="2\n")
    with pytest.raises(TargetError, match="no common ancestor"):
        repo.packet(diff="main...other")


def test_no_change_is_no_target(repo):
    repo.commit(a__py="1\n")
    for more in ({"diff": ""}, {"staged": True}, {"diff": "HEAD..HEAD"}):
        with pytest.raises(TargetError, match="Nothing changed"):
            repo.packet(**more)


def test_only_what_the_base_left_out_is_cut_out_of_the_diff_and_nobody_has_seen_it(repo):
    marked = "# @generated\nmade = 1\n"
    repo.commit(a__py="1\n", __guildignore="plans.md\n", old__py=marked)
    repo.write("a.py", "2\n")
    repo.write("plans.md", "secret plan\n")
    repo.write("made.py", marked)
    repo.write("old.py", f"{marked}# {'x' * 70_000}\n")
    repo.git("add", "-A")
    for packet in (repo.packet(staged=True), repo.packet(diff="")):
        assert {item.path: (item.reason, item.unseen_by) for item in packet.omitted} == {
            "plans.md": ("ignored", "everybody"),
            "old.py": ("generated", "everybody"),
        }
        assert list(texts(packet)) == ["a.py", "made.py"]
        for word in ("xxxx", "secret plan"):
            assert word not in diff_of(packet)
    accepted = repo.packet(staged=True, left_out=("generated", "ignored"))
    assert {item.unseen_by for item in accepted.omitted} == {""}


def test_accepting_what_the_base_left_out_does_not_hide_what_is_little(repo):
    repo.commit(a__py="1\n", **{"vendor/lib/a.go": "package lib\n", "b_pb2.py": "b = 1\n"})
    repo.write("vendor/lib/a.go", "package lib\n<<<<<<< HEAD\n")
    repo.write("b_pb2.py", "b = 2\n")
    assert list(texts(repo.packet(diff="", left_out=("vendored",)))) == [
        "b_pb2.py",
        "vendor/lib/a.go",
    ]

    repo.write("vendor/lib/a.go", f"// {'x' * 70_000}\n")
    packet = repo.packet(diff="", left_out=("vendored",))
    assert list(texts(packet)) == ["b_pb2.py"]
    assert [(item.reason, item.unseen_by) for item in packet.omitted] == [("vendored", "")]


def test_the_diff_comes_before_whole_files_when_the_budget_is_short(repo, left_out):
    repo.commit(a__py="x\n" * 2000)
    repo.write("a.py", "x\n" * 2000 + "y\n")
    packet = repo.packet(diff="", max_bytes=1000)
    assert "+y" in diff_of(packet)
    assert left_out(packet) == {"a.py": "over-budget"}


def test_inside_a_commit_hook_the_index_to_be_committed_is_judged(repo, paths):
    repo.commit(a__py="1\n")
    repo.write("a.py", "2\n")
    out = repo.root.parent / "seen"
    hook = Path(repo.root / ".git/hooks/pre-commit")
    hook.parent.mkdir(exist_ok=True)
    code = (
        "import pathlib, sys; from guildmoot.packet import PacketRequest, build_packet; "
        "p = build_packet(PacketRequest((), pathlib.Path('.').resolve(), staged=True)); "
        f"pathlib.Path({str(out)!r}).write_text(p.files[0].text)"
    )
    hook.write_text(
        f"#!/bin/sh\nPYTHONPATH='{':'.join(sys.path)}' '{sys.executable}' -c \"{code}\"\n"
    )
    hook.chmod(0o755)
    repo.git("commit", "-q", "-a", "-m", "two")
    assert out.read_text() == "2\n"


lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(lines, lines)
def test_changed_ranges_hold_exactly_the_lines_that_git_adds(tmp_path_factory, before, after):
    folder = tmp_path_factory.mktemp("pair")
    old, new = folder / "old", folder / "new"
    old.write_text("".join(f"{line}\n" for line in before))
    new.write_text("".join(f"{line}\n" for line in after))
    patch = subprocess.run(
        ("git", "diff", "--no-index", "--no-color", str(old), str(new)),
        capture_output=True,
        text=True,
    ).stdout
    ranges = clip(changed_ranges(patch), len(after))
    marked = {n for start, end in ranges for n in range(start, end + 1)}
    added, number = set(), 0
    for line in patch.split("\n")[4:]:
        if line.startswith("@@"):
            number = int(line.split("+")[1].split(",")[0].split(" ")[0])
        elif line[:1] in ("+", " "):
            added |= {number} if line[0] == "+" else set()
            number += 1
    assert added <= marked
    assert bool(marked) == (before != after and bool(after))


def test_quoting_is_gits(repo):
    names = ["a\nb", 'x"y', "back\\slash", "\x01", "\x7f", "plain name", "é"]
    for name in names:
        repo.write(name)
    repo.git("add", "-A")
    listed = repo.git("-c", "core.quotepath=off", "diff", "--cached", "--name-only").splitlines()
    assert sorted(map(quoted, names)) == sorted(listed)


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=60))
def test_the_patch_of_a_new_file_gives_that_file(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("new")
    patch = added_patch("x.txt", text).text
    subprocess.run(("git", "apply", "-"), cwd=folder, input=patch.encode(), check=True)
    assert (folder / "x.txt").read_bytes() == text.encode()
