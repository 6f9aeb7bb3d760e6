"""What the words of a request mean."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import TargetError
from guildmoot.practices.council.request import Targets, find_targets
from guildmoot.practices.council.target_words import concerns_plan
from guildmoot.practices.council.tasks import Meaning, experts, infer_task
from guildmoot.practices.repository import RepositoryView, view_repository

WORDS = {
    "validate": "validate check review assess critique feedback improve",
    "brainstorm": "brainstorm explore options approaches",
    "research": "research investigate analyze examine evaluate compare",
    "debate": "debate duel decide",
}
WORD = st.text("abcdefgh/.-*?[]'", min_size=1, max_size=8)


def task(text: str) -> str:
    return infer_task(text.split()).task


def places(*paths: str, **more: object) -> RepositoryView:
    return RepositoryView(exists=lambda word: word.rstrip("/") in paths, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "expected"), [(word, task) for task, words in WORDS.items() for word in words.split()]
)
def test_each_trigger_word_chooses_its_task(word, expected):
    assert task(f"{word} the auth system") == expected
    assert task(f"please {word.upper()} the auth system") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("explore caching", "brainstorm"),
        ("explore deeply how caching works", "research"),
        ("a deep dive into the options", "research"),
        ("the options, after a deep dive", "brainstorm"),
        ("what approaches are there", "brainstorm"),
        ("caching options, explored: deep dive", "research"),
        ("validate the options module", "validate"),
        ("review the deep dive document", "validate"),
        ("have Hickey and Metz decide between queues", "debate"),
        ("a council of Hickey and Metz on queues", "debate"),
        ("recent", "validate"),
        ("the auth system", "validate"),
        ("", "validate"),
    ],
)
def test_the_verb_at_the_head_decides_and_else_the_longest_phrase(text, expected):
    assert task(text) == expected


def test_a_question_about_what_is_there_is_judged_whatever_its_nouns():
    for text in ("is the debate code correct?", "does our options parser work?"):
        assert infer_task(text.split()) == ("validate", tuple(text.split()))


def test_the_verb_is_taken_off_and_the_question_is_kept():
    assert infer_task(["validate", "the", "API"]).words == ("the", "API")
    assert infer_task(["please", "review", "src/"]).words == ("src/",)
    assert infer_task(["options", "for", "caching"]).words == ("options", "for", "caching")
    assert infer_task(["the", "API"]) == Meaning("validate", ("the", "API"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("have Rich Hickey and Sandi Metz decide", ("Rich Hickey", "Sandi Metz")),
        ("a council of the CTO, a SRE, and security on queues", ("CTO", "SRE", "security")),
        ("decide between queues", ()),
    ],
)
def test_experts_are_called_upon_by_name(text, expected):
    assert experts(text.split()) == expected


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("validate src/auth/", ("src/auth/",)),
        ("validate src docs/*.md *.py", ("src", "docs/*.md", "*.py")),
        ("validate the implementation plan in PLAN.md", ("PLAN.md",)),
        ("validate PLAN.md, please", ("PLAN.md",)),
        ("validate -", ("-",)),
        ("validate .", (".",)),
        ("validate src/atuh.py", ("src/atuh.py",)),
        ("validate the parser in src/atuh.py", ("src/atuh.py",)),
        ("validate recent", ("recent",)),
        ("check the recent commits", ("recent",)),
        ("research how src scales", ("src",)),
        ("research the CI/CD pipeline bottlenecks", ()),
        ("research Next.js caching, e.g. on reload?", ()),
        ("brainstorm Redis / Memcached in /etc", ()),
    ],
)
def test_words_that_are_paths_are_targets_and_the_rest_is_the_question(text, targets):
    around = places("src", "src/auth", "PLAN.md")
    assert find_targets(infer_task(text.split()), around).targets == targets


def test_a_plain_word_that_is_a_folder_is_a_guess_and_said():
    found = find_targets(infer_task(["validate", "the", "auth", "system"]), places("auth"))
    assert found.targets == ("auth",)
    assert found.notes == ("target: auth is a path here, so it is what is judged",)


def test_this_plan_is_the_newest_plan_and_said():
    around = places(newest_plan=lambda: "docs/plans/move.md", changed=lambda: True)
    found = find_targets(infer_task(["validate", "this", "plan"]), around)
    assert found.targets == ("docs/plans/move.md",)
    assert "docs/plans/move.md is the newest plan" in found.notes[0]


def test_a_subject_is_looked_for_in_the_names_of_files():
    files = ("src/auth/jwt.py", "src/authority.py", "tests/test_auth.py", "src/pay.py")
    around = places(files=lambda: files, changed=lambda: True)
    found = find_targets(infer_task(["validate", "the", "auth", "system"]), around)
    assert found.targets == ("src/auth/jwt.py", "tests/test_auth.py")
    assert "2 files are called after 'auth'" in found.notes[0]


@pytest.mark.parametrize("text", ["validate the implementation", "validate", ""])
def test_without_a_path_the_change_at_hand_is_judged_and_said(text):
    meaning = infer_task(text.split())
    found = find_targets(meaning, places(changed=lambda: True, has_commits=lambda: True))
    assert (found.targets, found.diff) == ((), "")
    assert "uncommitted changes are judged" in found.notes[0]
    found = find_targets(meaning, places(has_commits=lambda: True))
    assert (found.targets, found.diff) == (("recent",), None)
    assert "what was committed last is judged" in found.notes[0]
    assert find_targets(meaning, places()) == Targets()


@pytest.mark.parametrize(
    ("text", "targets", "expected"),
    [
        ("this plan", (), True),
        ("the migration", ("docs/plans/move.md",), True),
        ("x", ("PLAN.md",), True),
        ("the API contract", (), True),
        ("the planet finder", ("src/planets.py",), False),
    ],
)
def test_a_plan_is_known_by_words_or_by_file_names(text, targets, expected):
    assert concerns_plan(text, targets) is expected


@given(st.lists(st.one_of(WORD, st.sampled_from(" ".join(WORDS.values()).split())), max_size=8))
def test_every_sentence_has_a_task_and_every_target_is_one_of_its_words(words):
    meaning = infer_task(words)
    assert meaning.task in WORDS
    assert " ".join(words).endswith(" ".join(meaning.words))
    found = find_targets(meaning, RepositoryView(exists=lambda word: word.startswith("a")))
    said = {word.rstrip(",;:!?\"')") for word in words} | {"-", "recent"}
    assert set(found.targets) <= said


def test_a_real_repository_is_looked_at_only_when_asked(shop):
    shop.write("PLAN.md", "old")
    shop.write("docs/plans/new.md", "new")
    shop.write("src/auth.py", "x = 1\n")
    shop.git("add", ".")
    around = view_repository(shop.root, shop.root / "src")
    assert not around.has_commits()
    shop.git("commit", "-qm", "first")
    around = view_repository(shop.root, shop.root / "src")
    assert around.has_commits()
    assert not around.changed()
    assert around.exists("auth.py")
    assert not around.exists("src/auth.py")
    assert around.exists("..")
    assert not around.exists("/etc")
    assert "auth.py" in around.files()
    os.utime(shop.root / "PLAN.md", (1, 1))
    assert around.newest_plan() == "../docs/plans/new.md"
    shop.write("src/auth.py", "x = 2\n")
    assert view_repository(shop.root, shop.root).changed()


def test_what_a_council_wrote_is_not_taken_for_the_users_work(shop):
    shop.write("src/app.py", "x = 1\n")
    shop.git("add", ".")
    shop.git("commit", "-qm", "first")
    shop.write(".agents/council/2026-03-01-validate-the-auth-system.md", "PASS")
    shop.write(".guild/presets/own.toml", "")
    around = view_repository(shop.root, shop.root)
    assert not around.changed()
    assert around.files() == ("src/app.py",)
    with pytest.raises(TargetError, match="speaks of 'auth'"):
        find_targets(infer_task(["validate", "the", "auth", "system"]), around)
    assert find_targets(infer_task(["validate"]), around).targets == ("recent",)


def test_a_folder_without_git_has_nothing_to_guess_from(tmp_path):
    around = view_repository(tmp_path, tmp_path)
    assert (around.changed(), around.has_commits(), around.files(), around.newest_plan()) == (
        *(False, False, ()),
        "",
    )


CODE = {
    "src/billing.py": "class Billing:\n    def refund(self, order):\n        return order.total\n",
    "src/net.go": "package net\n\nfunc (c *Client) retryRequest(n int) error {\n\treturn nil\n}\n",
    "src/cart.js": "export const applyCoupon = (cart) => cart;\n",
    "src/Pay.java": "public class Pay {\n    public void chargeCard(Card c) throws IOException {\n    }\n}\n",
    "src/slots.rs": "pub(crate) fn evict_oldest(slots: &mut Slots) {}\n",
    "src/util.py": "def add(a, b):\n    return a + b  # used by retries and refunds of coupons\n",
    "docs/ops.md": "# Operations\n\n## Rate limits\n\nTen a second.\n",
    "README.md": "# Shop\n\nPassword resets are mailed.\n",
}
QUESTIONS = [
    ("is the refund code correct?", "src/billing.py", "defines refund"),
    ("is refund() correct?", "src/billing.py", "defines refund"),
    ("is our retry logic sound?", "src/net.go", "defines retryRequest"),
    ("are coupons applied right?", "src/cart.js", "defines applyCoupon"),
    ("is card charging safe?", "src/Pay.java", "defines chargeCard"),
    ("does eviction break anything?", "src/slots.rs", "defines evict_oldest"),
    ("are the rate limits sensible?", "docs/ops.md", 'has the heading "Rate limits"'),
    ("are password resets handled well?", "README.md", "speaks of Password, resets"),
]


def test_a_question_without_a_path_finds_its_code_and_says_why(shop):
    for path, text in CODE.items():
        shop.write(path, text)
    shop.commit()
    around = view_repository(shop.root, shop.root)
    for text, path, why in QUESTIONS:
        found = find_targets(infer_task(text.split()), around)
        assert (text, found.targets) == (text, (path,))
        assert f"{path} ({why})" in found.notes[0]
    unknown = infer_task(["is", "the", "zebra", "code", "correct?"])
    with pytest.raises(TargetError, match="speaks of 'zebra'") as refused:
        find_targets(unknown, around)
    assert "Name files or folders" in refused.value.hint
    shop.write("src/util.py", "def add(a, b):\n    return b + a\n")
    with pytest.raises(TargetError, match="speaks of 'zebra'") as refused:
        find_targets(unknown, view_repository(shop.root, shop.root))
    assert "'the uncommitted changes'" in refused.value.hint


def test_code_that_uses_a_name_comes_before_the_tests_that_are_called_after_it(shop):
    shop.write(
        "src/session.py", "class Session:\n    def open(self, max_age=3600):\n        pass\n"
    )
    shop.write("src/other.py", "def add(a, b):\n    return a + b\n")
    shop.write(
        "tests/test_session.py", "def test_max_age_is_kept():\n    Session().open(max_age=5)\n"
    )
    tests = ["tests/test_session.py"]
    for path in ("", "tests/test_max_age.py"):
        if path:
            shop.write(path, "def test_zero():\n    Session().open(max_age=0)\n")
            tests.append(path)
        shop.commit()
        around = view_repository(shop.root, shop.root)
        found = find_targets(infer_task(["is", "max_age", "handled", "right?"]), around)
        assert found.targets[0] == "src/session.py"
        assert sorted(found.targets[1:]) == sorted(tests)


def test_the_branch_is_not_judged_in_place_of_what_is_not_there(shop):
    shop.write("src/app.py", "x = 1\n")
    shop.commit()
    shop.git("checkout", "-qb", "feat")
    shop.write("src/app.py", "x = 2\n")
    shop.commit()
    around = view_repository(shop.root, shop.root)
    for words in ("validate the frobnicator code", "review our frobnicator"):
        with pytest.raises(TargetError, match="frobnicator") as refused:
            find_targets(infer_task(words.split()), around)
        assert "'this branch'" in refused.value.hint
    for words in ("validate", "is this safe?", "review the code", "validate my changes"):
        assert find_targets(infer_task(words.split()), around).words == "this branch"


def test_commits_and_a_path_say_that_both_hold(shop):
    for number in range(4):
        shop.write("README.md", f"# Shop {number}\n")
        shop.write("src/app.py", f"x = {number}\n")
        shop.commit()
    asked = infer_task(["validate", "the", "last", "3", "commits", "and", "README.md"])
    found = find_targets(asked, view_repository(shop.root, shop.root))
    assert (found.targets, found.diff) == (("README.md",), "HEAD~3..HEAD")
    assert any("only what these commits changed in README.md" in note for note in found.notes)
