"""Commits that are named in words: what is named is judged under that name, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import TargetError
from guildmoot.practices.council.request import find_targets
from guildmoot.practices.council.revisions import find_change
from guildmoot.practices.council.tasks import infer_task
from guildmoot.practices.repository import NOWHERE, RepositoryView, view_repository
from judges import add_council_judge, verdict


@pytest.fixture
def forked(shop):
    """main with four commits, the second tagged v1; feat with three more, checked out."""
    for number in range(4):
        shop.write(f"m{number}.py", f"m = {number}\n")
        shop.commit(f"m{number}")
        if number == 1:
            shop.git("tag", "v1")
    shop.git("branch", "other")
    shop.git("checkout", "-qb", "feat")
    for number in range(1, 4):
        shop.write(f"f{number}.py", f"f = {number}\n")
        shop.commit(f"f{number}")
    return shop


def found(shop, text):
    return find_targets(infer_task(text.split()), view_repository(shop.root, shop.root))


RANGES = [
    ("validate main...HEAD", "main...HEAD"),
    ("validate v1..main", "v1..main"),
    ("review what changed in main..feat, please", "main..feat"),
    ("validate v1..", "v1.."),
    ("validate HEAD~1", "HEAD~1^..HEAD~1"),
    ("validate the commit HEAD^", "HEAD^^..HEAD^"),
    ("check v1", "v1^..v1"),
    ("validate the tag v1", "v1^..v1"),
    ("validate feat", "main...feat"),
    ("validate the feat branch", "main...feat"),
    ("validate the branch feat", "main...feat"),
    ("validate this branch", "main...feat"),
    ("review my branch for races", "main...feat"),
    ("validate this PR", "main...feat"),
    ("validate everything since v1", "v1...HEAD"),
    ("validate the changes against main", "main...HEAD"),
    ("validate the changes between v1 and main", "v1...main"),
    ("research main...HEAD", "main...HEAD"),
    ("validate v1 to main", "v1...main"),
    ("review the range HEAD~2 to HEAD", "HEAD~2...HEAD"),
    ("validate everything on feat that is not on main", "main...feat"),
    ("check what is in feat but not yet in main for races", "main...feat"),
    ("validate the last 2 commits on main", "main~2..main"),
    ("validate the latest commit on main", "main~1..main"),
    ("validate what changed on feat", "main...feat"),
    ("validate feat's changes", "main...feat"),
    ("validate what changed in f3.py", "HEAD~1..HEAD"),
    ("validate everything since the tag v1", "v1...HEAD"),
    ("validate the main flow against main", "main...HEAD"),
    ("is this safe to merge?", "main...feat"),
    ("can we ship it?", "main...feat"),
    ("is it correct?", "main...feat"),
    ("validate the implementation", "main...feat"),
    ("review", "main...feat"),
]


def test_a_range_a_branch_and_a_revision_are_judged_as_they_are_named(forked):
    for text, diff in RANGES:
        assert (text, found(forked, text).diff) == (text, diff)


SIDES = [
    ("compare main and this branch", "main...feat"),
    ("compare the current branch with main", "main...feat"),
    ("compare main and HEAD", "main...HEAD"),
    ("compare v1 and this branch for races", "v1...feat"),
    ("compare feat and main", "main...feat"),
    ("research main versus my branch", "main...feat"),
    ("main and this branch", "main...feat"),
    ("this branch vs main", "main...feat"),
    ("validate main vs feat", "main...feat"),
    ("validate the changes of other against main", "main...other"),
    ("is this branch better than main?", "main...feat"),
    ("review HEAD against main", "main...HEAD"),
    ("validate from main to the current branch", "main...feat"),
    ("validate the difference between this branch and main", "main...feat"),
    ("compare this branch and ahead", "ahead...feat"),
    ("compare this branch to ahead", "ahead...feat"),
    ("compare ahead to this branch", "feat...ahead"),
]


def test_two_sides_are_compared_and_the_present_branch_is_itself(forked):
    forked.git("checkout", "-q", "-b", "ahead", "main")
    forked.write("a.py", "a = 1\n")
    forked.commit("a")
    forked.git("checkout", "-q", "feat")
    for text, diff in SIDES:
        assert (text, found(forked, text).diff) == (text, diff)


def test_a_path_beside_two_sides_narrows_the_change(forked):
    targets = found(forked, "validate f1.py in main and this branch")
    assert targets[:2] == (("f1.py",), "main...feat")


def test_words_that_are_also_branches_are_words_where_something_else_is_asked(forked):
    for text in ("research the main loop and other loops", "brainstorm main ideas and feat names"):
        assert found(forked, text).diff is None


NUMBERS = [
    ("validate the last 3 commits", 3),
    ("validate last 3 commits", 3),
    ("check the three most recent commits", 3),
    ("review my last two commits for races", 2),
    ("validate the last couple of commits", 2),
    ("validate 2 commits", 2),
    ("validate the last commit", 1),
    ("validate the latest commit", 1),
    ("validate HEAD", 1),
]


def test_a_number_of_commits_is_honoured(forked):
    for text, number in NUMBERS:
        targets = found(forked, text)
        assert (text, targets.targets, targets.recent) == (text, ("recent",), number)
        assert targets.diff is None


def test_the_whole_repository_is_the_whole_repository(forked):
    for text in ("the whole repository", "all files", "the entire codebase for races"):
        assert found(forked, f"validate {text}").targets == (".",)


def test_a_part_of_what_is_not_committed_is_not_all_of_it(forked):
    forked.write("f1.py", "f = 9\n")
    with pytest.raises(TargetError, match="'staged' is a part of what is not committed"):
        found(forked, "validate the staged changes")


def test_a_line_of_a_file_names_the_file(forked):
    assert found(forked, "validate f1.py:18").targets == ("f1.py",)


def test_a_change_can_be_narrowed_to_paths(forked):
    assert found(forked, "validate main...HEAD f1.py")[:2] == (("f1.py",), "main...HEAD")
    assert found(forked, "validate the last 2 commits f3.py")[:2] == (("f3.py",), "HEAD~2..HEAD")


REFUSED = [
    ("validate everything except f2.py", "'except f2.py' leaves something out"),
    ("validate the last 3 commits ignoring f2.py", "leaves something out"),
    ("validate the last 2 commits, skip f1.py", "leaves something out"),
    ("validate the implementation apart from f1.py", "leaves something out"),
    ("validate the last 3 commits except the last one", "leaves something out"),
    ("validate all files but f1.py", "leaves something out"),
    ("validate all files except the tests", "leaves something out"),
    ("validate the last commit and my uncommitted changes", "one change is judged at a time"),
    ("validate f1.py as it was in v1", "files are judged as they are now"),
    ("validate the last three releases", "does not name a commit"),
    ("validate the previous commit", "'previous commit' does not name a commit"),
    ("validate f1.py at HEAD~2", "files are judged as they are now"),
    ("validate HEAD~3:m1.py", "files are judged as they are now"),
    ("validate the state of main", "files are judged as they are now"),
    ("compare feat and this branch", "there is nothing between the two"),
    ("validate git diff main", "names no change that is known here"),
    ("validate the last commit and the one before", "does not name a commit"),
    ("validate the tills", "nothing here is called 'tills'"),
    ("validate main...HAED", "'HAED' of 'main...HAED' names no commit here"),
    ("validate HEAD~50", "'HEAD~50' names no commit here"),
    ("validate the commit 1234567", "'1234567' names no commit here"),
    ("validate the last few commits", "does not say how many commits"),
    ("validate main", "there is nothing that it left"),
    ("validate the last 2 weeks", "is a span of time"),
    ("validate the changes since yesterday", "is a span of time"),
    ("validate the coupons commit", "'the coupons commit' does not name a commit"),
    ("validate the commit about m1", "does not name a commit"),
    ("validate the last commit but one", "does not name a commit"),
    ("validate the last merge", "does not name a commit"),
    ("validate branch nope", "no branch or commit is called 'nope'"),
    ("validate the m1 branch", "no branch or commit is called 'm1'"),
    ("validate what changed on nope", "no branch or commit is called 'nope'"),
    ("validate the staged changes", "nothing is uncommitted"),
]


def test_what_cannot_be_meant_is_refused_with_what_would_work(forked):
    for text, told in REFUSED:
        with pytest.raises(TargetError) as refused:
            found(forked, text)
        assert told in refused.value.message
        assert refused.value.hint


PROSE = [
    "validate the auth system",
    "validate the parser against the spec",
    "validate this commit message",
    "brainstorm how to name 3 commits",
    "research the last few commits",
    "research Redis vs Memcached",
    "brainstorm main",
]


def test_prose_names_no_commit(forked):
    around = view_repository(forked.root, forked.root)
    for text in PROSE:
        meaning = infer_task(text.split())
        strict = meaning.task == "validate"
        assert (text, find_change(meaning.words, around, strict=strict)) == (text, None)


@given(st.text("abHEAD~^.@{}/ 123", max_size=40))
def test_any_text_is_read_or_refused_in_time(text):
    around: RepositoryView = NOWHERE._replace(commit=lambda name: "c" * 40 if "a" in name else "")
    try:
        spoken = find_change(text.split(), around, strict=True)
    except TargetError:
        return
    assert spoken is None or len(spoken.rest) < len(text.split())


def test_the_report_names_the_commits_that_were_judged(forked):
    """Three views: the words that were used, and what was really before the judges."""
    add_council_judge(forked, "calm", verdict("PASS"))
    main, head, back = (
        forked.git("rev-parse", name).strip()[:10] for name in ("main", "HEAD", "HEAD~2")
    )
    report = forked.guild("council", "validate", "main...HEAD", "--agents", "calm", "--json").json
    assert report["judged"] == f"changes in main...HEAD ({main}..{head})"
    assert report["packet"]["sources"][:3] == ["f1.py", "f2.py", "f3.py"]
    done = forked.guild("council", "validate", "the", "last", "2", "commits", "--agents", "calm")
    told = f"the last 2 commits ({back}..{head})"
    assert told in " ".join(done.out.split())
    [written] = (forked.root / ".agents/council").glob("*-the-last-2-commits.md")
    assert told in written.read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("validate commits HEAD~2 and HEAD", "one change is judged at a time"),
        ("validate the commit before last", "does not name a commit"),
        ("validate the first commit", "does not name a commit"),
        ("review the latest release", "does not name a commit"),
        ("validate what I changed today", "span of time"),
        ("validate my uncommitted changes", "nothing is uncommitted"),
    ],
)
def test_what_words_name_and_nobody_can_judge_is_refused(forked, text, told):
    with pytest.raises(TargetError, match=told):
        found(forked, text)


def test_a_commit_is_named_by_its_subject_or_refused(forked):
    older, newest = (
        forked.git("rev-parse", "--short", each).strip() for each in ("HEAD~1", "HEAD")
    )
    for text in ("commit f2", 'commit "f2"', "the commit F2"):
        spoken = found(forked, f"validate {text}")
        assert (text, spoken.diff) == (text, f"{older}^..{older}")
    assert found(forked, "validate commit f3").recent == 1
    assert f"{newest} has the subject 'f3'" in found(forked, "validate commit f3").notes[0]
    with pytest.raises(TargetError, match="no commits here have the subject 'Add a cap'"):
        found(forked, "validate commit Add a cap")
    forked.write("f4.py", "f = 4\n")
    forked.commit("f3")
    with pytest.raises(TargetError, match="2 commits here have the subject 'f3'"):
        found(forked, "validate commit f3")


def test_what_is_merged_is_what_is_committed(forked):
    forked.write("f1.py", "f = 9\n")
    asked = found(forked, "is this safe to merge?")
    assert asked.diff == "main...feat"
    assert "what is not committed is no part of it" in asked.notes[0]
    assert found(forked, "is this correct?").diff == ""


@pytest.fixture
def hotfix(forked):
    """One more branch that left main, called hotfix; feat is checked out."""
    forked.git("checkout", "-qb", "hotfix", "main")
    forked.write("h1.py", "h = 1\n")
    forked.commit("h1")
    forked.git("checkout", "-q", "feat")
    return forked


MERGES = [
    ("is hotfix safe to merge?", "main...hotfix"),
    ("is the hotfix safe to merge?", "main...hotfix"),
    ("is branch hotfix safe to merge?", "main...hotfix"),
    ("is it safe to merge hotfix into main?", "main...hotfix"),
    ("can we merge hotfix to main?", "main...hotfix"),
    ("can we merge hotfix into feat?", "feat...hotfix"),
    ("can we ship hotfix?", "main...hotfix"),
    ("can hotfix be merged?", "main...hotfix"),
    ("is feat safe to merge?", "main...feat"),
    ("is this safe to merge into main?", "main...feat"),
    ("is this safe to merge?", "main...feat"),
    ("can we merge the last 1 commits on hotfix?", "hotfix~1..hotfix"),
]


@pytest.mark.parametrize(("text", "diff"), MERGES)
def test_the_branch_whose_merge_is_asked_about_is_judged(hotfix, text, diff):
    assert found(hotfix, f"validate {text}").diff == diff


def test_a_branch_is_named_from_main_by_a_plain_word_too(hotfix):
    hotfix.git("branch", "feature", "feat")
    hotfix.git("checkout", "-q", "main")
    assert found(hotfix, "validate is feature safe to merge?").diff == "main...feature"
    hotfix.git("checkout", "-q", "hotfix")
    assert found(hotfix, "validate is the feature safe to merge?").diff == "main...hotfix"
    hotfix.write("feature.py", "on = True\n")
    hotfix.commit("feature")
    assert found(hotfix, "validate is feature safe to merge?").diff == "main...hotfix"


def test_a_branch_that_is_not_there_is_refused_with_those_that_are(hotfix):
    with pytest.raises(TargetError, match="no branch or commit is called 'hotfx'") as refused:
        found(hotfix, "validate is branch hotfx safe to merge?")
    assert "feat, hotfix, main, other" in str(refused.value.hint)
    with pytest.raises(TargetError, match="feat and hotfix are branches, and one change"):
        found(hotfix, "validate can we merge hotfix and feat?")


def test_words_about_commits_and_branches_are_not_taken_for_more(forked):
    assert found(forked, "validate the last 2 commits on feat").recent == 2
    assert found(forked, "validate the last 2 commits of the main loop").recent == 2


UNKNOWN = [
    "since v9.9",
    "the second last commit",
    "the previous commit",
    "the two commits before HEAD",
    "commit 2 of 3",
    "deadbeef",
    "release-1.2",
    "main feat",
    "commits f1 through f3",
    "unpushed commits",
    "todays commits",
    "PR 12",
    "feature branch",
    "the last 9 commits on main",
]


@pytest.mark.parametrize("text", UNKNOWN)
@pytest.mark.sample(3)
def test_words_that_name_commits_and_are_not_understood_are_refused(forked, text):
    with pytest.raises(TargetError) as refused:
        found(forked, f"validate {text}")
    assert refused.value.hint


def test_commits_after_one_and_counts_in_other_words_are_what_they_say(forked):
    assert found(forked, "validate everything after HEAD~2").diff == "HEAD~2..HEAD"
    assert found(forked, "validate the last dozen commits").recent == 12
    assert found(forked, "validate the last 1,000 commits").recent == 1000
    assert found(forked, "validate last 3").recent == 3
