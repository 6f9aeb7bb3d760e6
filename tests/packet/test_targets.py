"""What a target means: paths, folders, globs, ignore files, and words that mean nothing here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.packet import PacketRequest, build_packet, find_root


def test_a_folder_means_its_tracked_and_untracked_files_but_not_ignored_ones(repo, paths):
    repo.commit(a__py="1\n", __gitignore="*.log\n")
    repo.write("sub/new.py")
    repo.write("sub/noise.log")
    assert paths(repo.packet(".")) == [".gitignore", "a.py", "sub/new.py"]
    assert paths(repo.packet("sub")) == ["sub/new.py"]


def test_paths_are_relative_to_where_the_user_stands(repo, paths):
    repo.write("sub/a.py")
    repo.write("b.py")
    assert paths(repo.packet("a.py", cwd=repo.root / "sub")) == ["sub/a.py"]
    assert paths(repo.packet("../b.py", cwd=repo.root / "sub")) == ["b.py"]


def test_a_lone_glob_matches_at_any_depth_and_one_with_a_folder_is_anchored(repo, paths):
    for path in ("a.py", "src/b.py", "src/deep/c.py", "src/d.txt"):
        repo.write(path)
    assert paths(repo.packet("*.py")) == ["a.py", "src/b.py", "src/deep/c.py"]
    assert paths(repo.packet("src/*.py")) == ["src/b.py"]
    assert paths(repo.packet("src/**/*.py")) == ["src/b.py", "src/deep/c.py"]
    assert paths(repo.packet("../*.py", cwd=repo.root / "src")) == ["a.py"]


def test_a_glob_does_not_pull_in_ignored_files(repo, paths):
    repo.write(".gitignore", "secret_*.py\n")
    repo.write("secret_a.py")
    repo.write("b.py")
    assert paths(repo.packet("*.py")) == ["b.py"]


def test_an_ignored_file_is_judged_when_it_is_named_itself(repo, paths):
    repo.write(".gitignore", "*.local.py\n")
    repo.write("x.local.py")
    assert paths(repo.packet("x.local.py")) == ["x.local.py"]


def test_a_file_named_like_a_glob_is_that_file(repo, paths):
    repo.write("[ab].py")
    repo.write("a.py")
    assert paths(repo.packet("[ab].py")) == ["[ab].py"]


def test_names_with_spaces_quotes_newlines_and_signs_work(repo, paths):
    names = ["a b.py", "new\nline.py", 'quo"te.py', "-dash.py", "tab\t.py", ":(top)x.py", "ü.py"]
    for name in names:
        repo.write(name)
    repo.commit()
    assert paths(repo.packet(".")) == sorted(names)
    for name in names:
        assert paths(repo.packet(f"./{name}")) == [name]


def test_guildignore_bars_files_at_the_root_and_in_folders_with_negation(repo, paths, left_out):
    repo.commit(__guildignore="*.csv\n!keep.csv\n/data/\n")
    for path in ("a.csv", "keep.csv", "data/x.py", "sub/data/y.py", "sub/z.py", "sub/w.py"):
        repo.write(path)
    repo.write("sub/.guildignore", "w.py\n")
    repo.git("add", "a.csv", "data/x.py")
    packet = repo.packet(".")
    assert paths(packet) == [
        ".guildignore", "keep.csv", "sub/.guildignore", "sub/data/y.py", "sub/z.py",
    ]  # fmt: skip
    barred = {path for path, reason in left_out(packet).items() if reason == "ignored"}
    assert barred == {"a.csv", "data/x.py", "sub/w.py"}


def test_guildignore_holds_even_for_a_file_that_is_named(repo):
    repo.write(".guildignore", "plans.md\n")
    repo.write("plans.md", "buy them\n")
    with pytest.raises(TargetError, match="ignored") as error:
        repo.packet("plans.md")
    assert ".guildignore" in error.value.hint


def test_our_own_run_records_are_not_judged(repo, paths):
    repo.write("a.py")
    repo.write(".guild/runs/1/request.json", "{}\n")
    assert paths(repo.packet(".")) == ["a.py"]


def test_a_misspelt_path_names_the_nearest_one(repo):
    repo.write("src/service.py")
    with pytest.raises(TargetError, match=r"src/servcie\.py") as error:
        repo.packet("src/servcie.py")
    assert "'src/service.py'" in error.value.hint
    with pytest.raises(TargetError) as error:
        repo.packet("service.py")
    assert "'src/service.py'" in error.value.hint


def test_a_glob_without_a_match_is_an_error(repo):
    repo.write("a.py")
    with pytest.raises(TargetError, match=r"No file matches '\*\.rs'"):
        repo.packet("*.rs")


@pytest.mark.parametrize("target", ["../outside.py", "/etc/passwd", "..", "../*.py", "link"])
def test_a_path_outside_the_repository_is_refused(repo, target):
    (repo.root.parent / "outside.py").write_text("x\n")
    repo.write("a.py")
    if target == "link":
        (repo.root / "link").symlink_to("..")
        target = "link/outside.py"
    with pytest.raises(TargetError, match="outside the repository"):
        repo.packet(target)


def test_a_tracked_folder_replaced_by_a_link_does_not_lead_out(repo, paths, left_out):
    repo.commit(a__py="1\n")
    repo.write("conf/passwords.txt", "mine\n")
    repo.commit()
    outside = repo.root.parent / "outside"
    outside.mkdir()
    (outside / "passwords.txt").write_text("theirs\n")
    (repo.root / "conf/passwords.txt").unlink()
    (repo.root / "conf").rmdir()
    (repo.root / "conf").symlink_to(outside)
    packet = repo.packet(".")
    assert paths(packet) == ["a.py"]
    assert left_out(packet)["conf/passwords.txt"] == "symlink"


def test_links_are_not_followed_and_loops_end(repo, paths, left_out):
    repo.write("a.py")
    (repo.root / "loop").symlink_to("loop")
    (repo.root / "up").symlink_to(".")
    (repo.root / "to_a").symlink_to("a.py")
    packet = repo.packet(".")
    assert paths(packet) == ["a.py"]
    assert left_out(packet) == {"loop": "symlink", "up": "symlink", "to_a": "symlink"}
    with pytest.raises(TargetError, match="symlink"):
        repo.packet("loop")


def test_a_path_through_a_linked_folder_inside_means_the_real_file(repo, paths):
    repo.write("real/a.py")
    (repo.root / "alias").symlink_to("real")
    assert paths(repo.packet("alias/a.py")) == ["real/a.py"]


def test_submodules_and_nested_repositories_are_left_out(repo, tmp_path, paths, left_out):
    other = type(repo)(tmp_path / "other")
    other.commit(o__py="1\n")
    repo.write("a.py")
    repo.git("submodule", "add", "-q", str(other.root), "sub")
    type(repo)(repo.root / "nested").commit(n__py="1\n")
    packet = repo.packet(".")
    assert paths(packet) == [".gitmodules", "a.py"]
    assert left_out(packet) == {"sub": "submodule", "nested": "submodule"}
    for target in ("sub", "sub/o.py", "nested/n.py"):
        with pytest.raises(TargetError, match="submodule"):
            repo.packet(target)


def test_a_file_that_is_gone_is_listed_as_deleted(repo, paths, left_out):
    repo.commit(a__py="1\n", b__py="2\n")
    (repo.root / "b.py").unlink()
    packet = repo.packet(".")
    assert paths(packet) == ["a.py"]
    assert left_out(packet) == {"b.py": "deleted"}


def test_a_name_that_is_not_utf8_is_listed_and_the_rest_judged(repo, paths):
    repo.write("a.py")
    with open(os.fsencode(repo.root) + b"/caf\xe9.py", "w") as out:
        out.write("x\n")
    packet = repo.packet(".")
    assert paths(packet) == ["a.py"]
    assert [(item.path, item.reason) for item in packet.omitted] == [("caf\\xe9.py", "bad-name")]


def test_no_target_an_empty_word_and_an_empty_folder_say_so(repo):
    with pytest.raises(TargetError, match="Nothing was named"):
        repo.packet()
    with pytest.raises(TargetError, match="empty"):
        repo.packet("")
    (repo.root / "hollow").mkdir()
    with pytest.raises(TargetError, match="hollow .*empty"):
        repo.packet("hollow")


def test_outside_a_repository_the_hint_is_git_init(tmp_path: Path):
    with pytest.raises(TargetError, match="not in a git repository") as error:
        build_packet(PacketRequest(targets=(".",), cwd=tmp_path))
    assert "git init" in error.value.hint


def test_without_git_it_is_the_machine_that_failed(repo, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(InfrastructureError, match="git is not installed"):
        repo.packet(".")


def test_standard_input_needs_no_repository(tmp_path: Path):
    packet = build_packet(PacketRequest(targets=("-",), cwd=tmp_path, stdin=b"hello\n"))
    assert [(file.path, file.text) for file in packet.files] == [("stdin", "hello\n")]
    assert not packet.checkout


@pytest.mark.parametrize(("data", "why"), [(None, "empty"), (b"", "empty"), (b"a\0b", "not text")])
def test_standard_input_without_text_is_refused(tmp_path: Path, data, why):
    with pytest.raises(TargetError, match=why):
        build_packet(PacketRequest(targets=("-",), cwd=tmp_path, stdin=data))


def test_standard_input_stands_beside_files_under_a_name_of_its_own(repo, paths):
    repo.write("stdin")
    packet = repo.packet(".", "-", stdin=b"typed\n")
    assert paths(packet) == ["stdin", "stdin_"]


def test_requests_that_contradict_themselves_are_usage_errors(repo):
    repo.commit(a__py="1\n")
    for more in ({"diff": "", "staged": True}, {"recent": 0}):
        with pytest.raises(UsageError):
            repo.packet("recent", **more)
    with pytest.raises(UsageError):
        repo.packet("-", diff="", stdin=b"x")


def test_git_settings_of_an_outer_hook_do_not_lead_astray(repo, tmp_path, monkeypatch, paths):
    other = type(repo)(tmp_path / "other")
    other.commit(other__py="1\n")
    repo.write("a.py")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    assert find_root(repo.root) == repo.root
    assert paths(repo.packet(".")) == ["a.py"]


def test_nothing_in_the_repository_makes_git_run_a_program(repo):
    repo.commit(a__txt="1\n", __gitattributes="*.txt diff=evil filter=\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv"):
        repo.git("config", key, f"touch {repo.root.parent}/ran; cat")
    repo.git("config", "core.hooksPath", str(repo.root))
    repo.write("a.txt", "2\n")
    repo.packet(".")
    packet = repo.packet(diff="")
    assert "+2" in packet.sections[-1].text
    assert not (repo.root.parent / "ran").exists()
