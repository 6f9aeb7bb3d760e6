"""Questions that name no path: every subject of them is found, by names of code, plurals and kinds of file."""

import pytest

from guildmoot.errors import TargetError
from guildmoot.practices.council.request import find_targets
from guildmoot.practices.council.tasks import infer_task
from guildmoot.practices.repository import view_repository
from judges import verdict

FILES = {
    "src/net/retry_policy.py": "class RetryPolicy:\n    def wait_before(self, attempt):\n        return attempt\n",
    "src/net/transport.py": "class SocketTransport:\n    def read_chunk(self):\n        return b''\n",
    "src/net/proxy.py": "def choose_proxy(url):\n    return None\n",
    "src/CookieJar.php": "<?php\nclass CookieJar { function expire() {} }\n",
    "src/formats/date.py": "def parse(text):\n    return text\n",
    "docs/errors.md": "# Errors\n\nReading may raise errors, and the transport has errors of its own.\n",
    "tests/test_retry_policy.py": "def test_wait():\n    assert True\n",
    "tests/test_proxy.py": "def test_proxy():\n    assert True\n",
    ".eslintrc.yml": "rules: {}\n",
    ".github/workflows/release.yml": "jobs: {}\n",
    "README.md": "# Shop\n\nIt sells.\n",
}
QUESTIONS = [
    ("research what SocketTransport does with errors", ["src/net/transport.py"]),
    ("is read_chunk safe to call twice?", ["src/net/transport.py"]),
    ("validate the proxies", ["src/net/proxy.py", "tests/test_proxy.py"]),
    ("validate the retry policies", ["src/net/retry_policy.py"]),
    ("validate the cookie jar", ["src/CookieJar.php"]),
    ("validate the proxy and the cookie jars", ["src/net/proxy.py", "src/CookieJar.php"]),
    ("research retries and date parsing", ["src/net/retry_policy.py", "src/formats/date.py"]),
    ("validate the tests of the retry policy", ["src/net/retry_policy.py", "tests/test_retry_policy.py"]),
    ("validate the linter settings", [".eslintrc.yml"]),
    ("validate the release workflow", [".github/workflows/release.yml"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def stocked(tmp_path_factory):
    import subprocess

    root = tmp_path_factory.mktemp("stocked")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=root, check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *who, "commit", "-qm", "all"], cwd=root, check=True)
    return view_repository(root, root)


@pytest.mark.parametrize(("question", "files"), QUESTIONS, ids=lambda said: str(said)[:40])
def test_the_files_of_every_subject_are_shown_and_not_all_there_are(stocked, question, files):
    found = find_targets(infer_task(question.split()), stocked)
    assert set(files) <= set(found.targets), found
    assert len(found.targets) < len(FILES) - 3, found
    assert "README.md" not in found.targets


def test_of_two_subjects_both_are_told(stocked):
    found = find_targets(
        infer_task(["validate", "the", "proxy", "and", "the", "cookie", "jar"]), stocked
    )
    [note] = [note for note in found.notes if "called after" in note]
    assert "called after 'proxy' and 'cookie' and 'jar'" in note
    for path in ("src/net/proxy.py", "src/CookieJar.php"):
        assert path in note


def test_a_change_is_not_called_a_plan_where_there_is_none(council):
    council.judge("ann", verdict("PASS"))
    council.judge("ben", verdict("PASS"))
    who = ("--agents", "ann,ben", "--count=2")
    ran = council.run("validate", "this", "plan", *who, "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "PASS"), "no gate for plans is set to a change"
    assert "this plan" not in ran.json["target"]
    assert any("no plan is here" in note for note in ran.json["notes"])
    council.shop.write("PLAN.md", "# Plan\n\nHalve nothing.\n")
    council.shop.commit()
    council.run("validate", "this", "plan", *who)
    [text] = [t for file in council.reports if "PLAN.md" in (t := file.read_text())]
    assert "**Target:** this plan" in text
    assert "**Judged:** PLAN.md" in text


def test_a_report_names_the_files_that_a_question_was_about(council):
    council.judge("ann", verdict("PASS"))
    ran = council.run("validate", "the", "totals", "--agents", "ann", "--count=1")
    assert "prices.py" in ran.out.splitlines()[1]
    named = council.run("validate", "prices.py", "--agents", "ann", "--count=1")
    assert named.out.splitlines()[1].count("prices.py") == 1


ABSENT = [
    "is the selling reconciliation safe?",  # "it sells" is none
    "is the Kafka reader safe?",
    "validate the shopping cart release",
    "is the blockchain ledger module sound?",
    "is the LDAP policy sync correct?",
    "are the warehouse errors handled right?",
    "is our payment proxy safe to merge?",
    "is the invoice transport safe, and the payroll jar?",
]
PRESENT = [
    "is the retry policy safe under load?",
    "does the socket transport leak memory?",
    "is the cookie jar vulnerable to theft?",
    "is the proxy safe, and the payroll?",
    "are the errors of the transport sensible?",
    "is date parsing thread safe?",
    "is the choose_proxy function right?",
    "is the current proxy slow?",
]


@pytest.mark.parametrize("question", ABSENT)
def test_a_subject_that_is_not_here_is_refused_with_what_is_near(stocked, question):
    with pytest.raises(TargetError, match="no file here is called after") as refused:
        find_targets(infer_task(question.split()), stocked)
    assert "Name files or folders" in refused.value.hint


def test_a_refusal_names_what_is_near(stocked):
    with pytest.raises(TargetError, match="'payment proxy'") as refused:
        find_targets(infer_task(["is", "the", "payment", "proxy", "safe?"]), stocked)
    assert "src/net/proxy.py" in refused.value.hint


@pytest.mark.parametrize("question", PRESENT)
def test_a_subject_that_is_here_is_judged_whatever_is_asked_of_it(stocked, question):
    assert find_targets(infer_task(question.split()), stocked).targets


SUBJECTS = ["the totals", "the design of the totals", "the performance of prices.py", "total"]
SUBJECTS += ["the security of the last commit"]
WORK = ["prices.py", ".", "the last commit", "HEAD~1..HEAD", "the whole repository", "this branch"]


def sided(council):
    council.shop.git("checkout", "-q", "-b", "side")
    council.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    council.shop.commit("add them")


@pytest.mark.parametrize("words", SUBJECTS)
def test_a_subject_in_words_is_a_question_that_no_tool_answers(council, words):
    sided(council)
    ran = council.run("validate", *words.split(), "--json")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE"), ran.out
    assert any("nobody who sits can judge the question" in floor for floor in ran.json["floors"])


@pytest.mark.parametrize("words", WORK)
def test_a_path_or_a_change_is_work_that_tools_judge_alone(council, words):
    sided(council)
    ran = council.run("validate", *words.split(), "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "PASS"), ran.out
