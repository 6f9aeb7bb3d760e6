"""``guild validate`` alone: the branch against where it began, with what is not committed yet."""

import json

import pytest

GOOD = "def total(items):\n    return sum(items)\n"
BAD = "def total(items):\n    return sum(itmes)\n"


@pytest.fixture
def branch(shop):
    """A branch with one commit beyond main."""
    shop.write("old.py", BAD)
    shop.commit()
    shop.git("checkout", "-q", "-b", "cheaper")
    shop.write("new.py", BAD)
    shop.commit()
    return shop


def test_the_branch_is_judged_and_not_what_main_holds(branch):
    ran = branch.guild("validate", "--json")
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["new.py"], ran
    assert ran.json["target"].startswith("branch cheaper: 1 commit since main (")


def test_what_is_not_committed_belongs_to_it_staged_or_unknown_to_git(branch):
    branch.write("staged.py", BAD)
    branch.git("add", "staged.py")
    branch.write("loose.py", BAD)
    ran = branch.guild("validate", "--json")
    found = [f["path"] for f in ran.json["blocking_findings"]]
    assert found == ["loose.py", "new.py", "staged.py"], ran


def test_on_main_uncommitted_work_is_judged_and_a_clean_tree_holds_nothing(shop):
    shop.write("old.py", BAD)
    shop.commit()
    ran = shop.guild("validate")
    assert (ran.code, "NOTHING TO JUDGE" in ran.out, "branch main" in ran.out) == (0, True, True)
    assert "guild validate ." in ran.out
    shop.write("new.py", BAD)
    ran = shop.guild("validate", "--json")
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["new.py"], ran


def test_what_origin_does_not_hold_yet_is_judged_on_main_too(shop):
    shop.write("old.py", GOOD)
    shop.commit()
    shop.git("update-ref", "refs/remotes/origin/main", "HEAD")
    shop.write("old.py", BAD)
    shop.commit()
    ran = shop.guild("validate", "--json")
    assert (ran.code, ran.json["target"][:33]) == (2, "branch main: 1 commit since origi")


def test_origins_own_default_branch_comes_first(branch):
    branch.git("update-ref", "refs/remotes/origin/next", "main")
    branch.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    branch.git("branch", "-D", "main")
    assert "since origin/next" in branch.guild("validate", "--json").json["target"]


def test_without_any_default_branch_uncommitted_work_is_judged_and_that_is_said(branch):
    branch.git("branch", "-D", "main")
    branch.write("loose.py", BAD)
    ran = branch.guild("validate", "--json")
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["loose.py"], ran
    assert "no default branch" in ran.json["target"]


def test_before_the_first_commit_everything_is_judged(shop):
    shop.write("new.py", BAD)
    ran = shop.guild("validate", "--json")
    assert (ran.code, "nothing is committed yet" in ran.json["target"]) == (2, True), ran


def test_a_branch_that_began_nowhere_known_is_refused(branch):
    branch.git("checkout", "-q", "--orphan", "other")
    branch.commit()
    ran = branch.guild("validate")
    assert (ran.code, "no common ancestor" in ran.err) == (64, True), ran


def test_in_ci_the_base_branch_is_the_one_that_the_service_names(branch):
    ci = {"CI": "true", "GITHUB_BASE_REF": "release"}
    ran = branch.guild("validate", env=ci)
    assert (ran.code, "origin/release" in ran.err, "fetch-depth" in ran.err) == (64, True, True)
    branch.git("update-ref", "refs/remotes/origin/release", "main")
    assert "since origin/release" in branch.guild("validate", "--json", env=ci).json["target"]


def test_a_tag_cannot_stand_in_for_the_default_branch(branch):
    branch.git("tag", "main", "cheaper")
    ran = branch.guild("validate", "--json")
    assert [f["path"] for f in ran.json["blocking_findings"]] == ["new.py"], ran


@pytest.mark.parametrize("argv", [(), ("--diff",), ("--staged",), ("--diff", "HEAD..HEAD")])
def test_nothing_to_judge_is_no_error_and_no_approval(shop, argv):
    shop.write("old.py", BAD)
    shop.commit()
    ran = shop.guild("validate", *argv, "--json", "--report", "out.sarif", "--report", "out.xml")
    assert (ran.code, ran.json["verdict"], ran.json["outcome"]) == (
        0,
        "nothing-to-judge",
        "nothing",
    )
    assert "Nothing changed" in ran.json["reasons"][0]
    assert json.loads((shop.root / "out.sarif").read_text())["runs"][0]["results"] == []
    assert 'failures="0"' in (shop.root / "out.xml").read_text()


def test_settings_are_those_of_where_the_branch_began(branch):
    branch.write("guild.toml", "[panel]\nskip = ['ruff']\n")
    branch.commit()
    assert branch.guild("validate").code == 2


def test_what_was_there_before_is_listed_on_request_and_never_counts(shop):
    shop.write("old.py", BAD)
    shop.commit()
    shop.write("old.py", f"{BAD}\n\nLIMIT = 3\n")
    ran = shop.guild("validate")
    assert (ran.code, "--existing shows them" in " ".join(ran.out.split())) == (0, True), ran.out
    assert "old.py:2" not in ran.out
    ran = shop.guild("validate", "--existing", "--report", "out.md")
    assert (ran.code, "BEFORE THE CHANGE" in ran.out, "old.py:2" in ran.out) == (0, True, True)
    assert "wrote out.md" in ran.err
    assert "old.py:2" in (shop.root / "out.md").read_text()


def test_where_the_branch_it_left_is_unknown_a_clean_branch_is_no_approval(shop, tmp_path):
    shop.write("a.py", "x = 1\n")
    shop.commit()
    shop.git("checkout", "-q", "-b", "cheaper")
    shop.write("a.py", "x = nmae\n")
    shop.commit()
    shop.git("checkout", "-q", "-")
    words = ("--depth", "1", "--branch", "cheaper", f"file://{shop.root}")
    shop.git("clone", "-q", *words, str(tmp_path / "shallow"))
    shop.root = tmp_path / "shallow"
    ran = shop.guild("validate")
    assert (ran.code, "is not known here" in ran.err) == (64, True), ran


def test_the_only_other_branch_is_what_a_branch_left(shop):
    shop.git("checkout", "-q", "-b", "devel")
    shop.write("a.py", "x = 1\n")
    shop.commit()
    shop.git("checkout", "-q", "-b", "cheaper")
    shop.write("a.py", "x = nmae\n")
    shop.commit()
    for name in ("main", "master"):
        if name in shop.git("branch", "--format=%(refname:short)").split():
            shop.git("branch", "-q", "-D", name)
    ran = shop.guild("validate")
    assert (ran.code, "1 commit since devel" in ran.out) == (2, True), ran
    assert "uncommitted" not in ran.out


def test_a_default_branch_is_not_compared_with_the_only_branch_beside_it(shop):
    shop.write("a.py", "x = 1\n")
    shop.commit()
    shop.git("branch", "old")
    shop.write("a.py", "x = 2\n")
    shop.commit()
    ran = shop.guild("validate", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "nothing-to-judge"), ran


def test_a_reviewer_accepts_a_new_line_by_the_baseline_of_the_base_branch(shop):
    git = shop.git
    shop.write("a.py", "x = 1\n")
    shop.commit()
    git("branch", "-M", "main")
    git("switch", "-q", "-c", "theirs")
    shop.write("d.py", "def run(x):\n    launch(x)\n")
    shop.commit()
    gate = ("validate", "--diff", "main...HEAD", "--json")
    assert shop.guild(*gate).code == 2
    assert shop.guild("baseline", "d.py").code == 0
    accepted = (shop.root / ".guild/baseline.json").read_text()
    (shop.root / ".guild/baseline.json").unlink()
    git("switch", "-q", "main")
    shop.write(".guild/baseline.json", accepted)
    git("add", "-f", ".guild/baseline.json")
    git("commit", "-q", "-m", "accept")
    git("switch", "-q", "theirs")
    assert shop.guild("trust", "main", "--yes").code == 0
    assert shop.guild(*gate).code == 2  # not before it stands on that commit
    git("rebase", "-q", "main")
    ran = shop.guild(*gate)
    assert (ran.code, len(ran.json["ignored_findings"])) == (0, 1)
