"""Findings that say the same become one issue; facts of one tool never melt together."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guildmoot
from builders import finding
from guildmoot.consensus.grouping import apart, group_findings, may_be_one

LEAK = "File handle opened in read_config is never closed when parsing fails"
LEAK2 = "read_config leaks the open file if parsing raises; close the handle in finally"
NULL = "get_user may return None and the caller dereferences it without a check"


def advice(title, seat="a", path="", line=0, **more):
    fields = {"code": "", "blocking": False, "severity": "medium", "family": seat, **more}
    return finding(seat, title=title, path=path, line=line, **fields)


def sizes(findings):
    return sorted(len(issue.members) for issue in group_findings(findings))


def test_other_words_of_another_seat_are_the_same_issue():
    said = [
        advice(LEAK, "a"),
        advice(NULL, "b", severity="high"),
        advice(LEAK2, "c", blocking=True),
    ]
    worst, leak = group_findings(said)
    assert worst.members == (said[1],)
    assert set(leak.members) == {said[0], said[2]}
    assert (leak.seats, leak.families, leak.blocking) == (("a", "c"), ("a", "c"), True)
    assert 0 < leak.cohesion < 1


def test_the_place_decides():
    assert sizes([advice(LEAK, "a", "x.py", 10), advice(LEAK2, "b", "./x.py", 11)]) == [2]
    assert sizes([advice(LEAK, "a", "x.py", 10), advice(LEAK, "b", "y.py", 10)]) == [1, 1]


def test_one_rule_in_many_places_is_many_issues():
    text = "`os` imported but unused"
    many = [
        advice(text, "ruff", f"m{n % 50}.py", 1 + n // 50, code="F401", proven=True)
        for n in range(500)
    ]
    assert sizes(many) == [1] * 500


def test_two_rules_of_one_tool_on_one_line_stay_two_issues():
    facts = [
        advice(
            "Use of a shell is a risk", "ruff-a", "x.py", 3, code="S602", family="ruff", proven=True
        ),
        advice(
            "Use of a shell is a risk", "ruff-b", "x.py", 3, code="S605", family="ruff", proven=True
        ),
    ]
    assert sizes(facts) == [1, 1]


def test_two_tools_that_say_the_same_on_one_line_are_one_issue():
    facts = [
        advice("process started with a shell", "ruff", "x.py", 3, code="S605", proven=True),
        advice("starting a process with a shell", "bandit", "x.py", 3, code="B605", proven=True),
    ]
    [issue] = group_findings(facts)
    assert issue.families == ("bandit", "ruff")


AUTH = 'AUTH = {"authorization": "Basic"}'


def fact(tool, code, title, line=3, **more):
    return advice(title, tool, "x.py", line, code=code, proven=True, quote=AUTH, **more)


SECRET = fact("secrets", "secret", "a basic-auth credential", severity="high", blocking=True)
NOQA = fact("ruff", "PGH004", "Use specific rule codes when using `noqa`", severity="low")


@pytest.mark.parametrize("others", [0, 1, 2, 9, 60])
def test_two_rules_on_one_line_stay_two_issues_whatever_else_was_found(others):
    more = [SECRET._replace(line=10 + 2 * n, end_line=10 + 2 * n) for n in range(others)]
    assert sizes([SECRET, NOQA, *more]) == [1] * (2 + others)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            fact("ruff", "F821", "Undefined name `os`"),
            fact("mypy", "name-defined", 'Name "os" is not defined'),
        ),
        (
            fact("ruff", "S602", "call with `shell=True`"),
            fact("bandit", "B602", "subprocess call with shell"),
        ),
        (SECRET, fact("ruff", "S105", 'Possible hardcoded password assigned to: "AUTH"')),
        (
            fact("ruff", "invalid-syntax", "Expected `)`"),
            fact("syntax", "syntax", "does not parse here"),
        ),
    ],
)
def test_tools_that_look_for_the_same_there_are_one_issue(one, other):
    assert sizes([one, other]) == [2]
    assert sizes([one, other._replace(line=9)]) == [1, 1]


def test_a_rule_that_names_two_things_on_a_line_is_two_issues():
    assert sizes(
        [fact("ruff", "F821", "Undefined name `os`"), fact("ruff", "F821", "Undefined name `re`")]
    ) == [1, 1]


def test_a_name_without_a_declaration_is_one_issue_whatever_was_meant():
    found = [
        fact("languages", "unbound-name", "`amuont` is used and nothing in the file declares it"),
        fact("code-changes", "undefined-name", "`amuont` is used: `amount` was meant, it seems"),
    ]
    assert len(group_findings(found)) == 1


def test_no_opinion_ties_two_facts_together():
    shell = fact("ruff", "S602", "process started with a shell, input is not checked")
    name = fact("ruff", "F821", "Undefined name `shell` in the process that is started")
    said = advice(
        "the process is started with a shell and shell is not defined", "judge", "x.py", 3
    )
    found = group_findings([shell, name, said])
    assert not any({shell, name} <= set(issue.members) for issue in found)


def test_what_a_reader_made_of_a_reply_is_nobodys_finding_and_joins_none():
    said = "Expired sessions are accepted."
    bare = advice("the verdict is FAIL, but every finding is minor", "a", why=said, blocking=True)
    bare = bare._replace(code="flagged-without-reasons", severity="high")
    issue = advice("expired sessions are accepted: expires is not read", "b", "s.py", 16, why=said)
    assert sizes([bare, issue]) == [1, 1]
    assert [each.blocking for each in group_findings([bare, issue])] == [True, False]
    assert sizes([bare, bare._replace(seat="c", family="c"), issue]) == [1, 2]


def test_what_only_lines_keep_apart_may_be_one_issue():
    kept = advice("get() accepts expired sessions: expires is never read", "a", "s.py", 16)
    other = advice("An expired session is still returned by get()", "b", "s.py", 20)
    purge = advice("purge() changes the table while others read it", "b", "s.py", 31)
    elsewhere = other._replace(path="t.py")
    first, second, third, fourth = (group_findings([f])[0] for f in (kept, other, purge, elsewhere))
    assert may_be_one(first, second)
    assert not may_be_one(first, third)
    assert not may_be_one(first, fourth)


def test_the_severest_speaks():
    mild = fact("ruff", "S105", "Possible hardcoded password, and so on at length", severity="low")
    [issue] = group_findings([mild, SECRET])
    assert (issue.representative, issue.severity, issue.blocking) == (SECRET, "high", True)
    said = advice("the basic-auth credential is committed", "judge", "x.py", 3, severity="critical")
    for found in group_findings([mild, SECRET, said]):
        assert found.severity == found.representative.severity or found.representative.blocking


def test_ids_survive_moved_lines_and_are_unique():
    here = [advice(LEAK, "a", "x.py", 10), advice(NULL, "a", "x.py", 90)]
    moved = [f._replace(line=f.line + 7) for f in here]
    ids = [issue.id for issue in group_findings(here)]
    assert ids == [issue.id for issue in group_findings(moved)]
    twice = [advice("`x` is unused", "a", f"{n}.py", 1) for n in range(3)]
    assert (
        len({issue.id for issue in group_findings([f._replace(path="a.py") for f in twice])}) >= 1
    )
    assert len({issue.id for issue in group_findings(twice)}) == 3


def test_it_is_part_of_the_public_surface():
    assert guildmoot.group_findings([]) == []


texts = st.text(alphabet="abcdefg _.XYZ1", max_size=30)
some = st.lists(
    st.builds(
        advice,
        texts,
        st.sampled_from("abc"),
        st.sampled_from(["", "x.py", "y.py"]),
        st.integers(0, 40),
        code=st.sampled_from(["", "C1", "C2"]),
        blocking=st.booleans(),
        proven=st.booleans(),
    ),
    max_size=25,
)


@given(some, st.randoms())
def test_every_finding_is_in_exactly_one_issue_whatever_the_order(said, order):
    issues = group_findings(said)
    assert sorted(f for issue in issues for f in issue.members) == sorted(said)
    assert all(issue.representative in issue.members for issue in issues)
    shuffled = said[:]
    order.shuffle(shuffled)
    assert group_findings(shuffled) == issues


@given(some, some)
def test_whether_two_facts_merge_depends_on_these_two_alone(said, rest):
    facts = [each._replace(proven=True) for each in said[:2]]
    if len(facts) == 2:
        alone = len(group_findings(facts)) == 1
        with_rest = group_findings([*facts, *rest])
        together = any(set(facts) <= set(issue.members) for issue in with_rest)
        assert together == alone


@pytest.mark.slow  # thousands of findings, several times
@pytest.mark.parametrize("placed", [True, False])
def test_grouping_grows_almost_linearly(placed):
    def seconds(count):
        rng = random.Random(7)
        words = [f"word{n}" for n in range(2000)]
        said = [
            advice(
                " ".join(rng.choices(words, k=12)),
                f"s{n % 5}",
                f"f{n % 100}.py" if placed else "",
                n % 300 if placed else 0,
            )
            for n in range(count)
        ]
        started = time.process_time()
        group_findings(said)
        return time.process_time() - started

    assert seconds(4000) < 12 * seconds(1000) + 0.2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("src/a.py:2 returns the wrong sum for x", 2), ("src/a.py:6 name is misleading", 6)),
        (("the cache is never invalidated", 0), ("the cache directory is world readable", 0)),
        (("Line 10: user token is logged", 0), ("Line 90: user list is not paginated", 0)),
    ],
)
def test_few_findings_that_share_a_word_or_a_file_are_not_the_same(one, other):
    path = "src/a.py" if one[1] else ""
    assert sizes([advice(one[0], "a", path, one[1]), advice(other[0], "b", path, other[1])]) == [
        1,
        1,
    ]


def test_who_claims_the_opposite_stands_apart_and_takes_nothing_from_those_who_agree():
    add = advice("add a null check to load", "a", "x.py", 3, blocking=True)
    also = advice("add the null check in load", "b", "x.py", 3, blocking=True)
    remove = advice("remove the null check in load", "c", "x.py", 3, blocking=True)
    for opposed in ({add, remove}, {add, also, remove}):
        parted = apart(group_findings([add, also, remove]), opposed)
        assert sorted(issue.seats for issue in parted) == [("a", "b"), ("c",)]


@pytest.mark.parametrize(
    ("raised", "denied"),
    [
        ("Backups are encrypted", "Backups are not encrypted"),
        ("SQL injection in search: the query is an f-string", "No SQL injection in search: bound"),
        ("Token expiry is not enforced", "Token expiry is enforced by the middleware"),
        ("Retry loop can run forever", "Retry loop can't run forever"),
        ("Backups sind verschlüsselt", "Backups sind nicht verschlüsselt"),
    ],
)
def test_who_denies_a_problem_does_not_raise_it(raised, denied):
    members = [
        advice(title, seat, "x.py", 3, fix="look at it")
        for title, seat in ((raised, "a"), (raised, "b"), (denied, "c"))
    ]
    assert sorted(issue.seats for issue in apart(group_findings(members), ())) == [
        ("a", "b"),
        ("c",),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The token is not checked", "The handler never checks the token"),
        ("Missing check of the token", "The token is not checked"),
        ("Division by zero when items is empty", "Division by zero if there are no items"),
        ("No timeout on the request", "The request has an unlimited timeout"),
    ],
)
def test_a_problem_in_two_wordings_is_not_denied(one, other):
    members = [advice(one, "a", "x.py", 3), advice(other, "b", "x.py", 3)]
    assert [issue.seats for issue in apart(group_findings(members), ())] == [("a", "b")]


def test_judges_who_name_one_problem_agree_on_it_whatever_remedy_they_ask_for():
    said = "refund never checks that the user owns the invoice"
    fixes = ("Compare invoice.customer with user.", "Do not compare invoice.customer with user.")
    members = [
        advice(said, seat, "x.py", 3, fix=fix) for seat, fix in zip("ab", fixes, strict=True)
    ]
    [issue] = apart(group_findings(members), {*members})
    assert issue.families == ("a", "b")


def test_two_statements_of_one_judge_at_two_places_are_never_one():
    rows = [
        finding("a", "zip-bomb", "zip bomb number 11 in the loop", path="pay.py", line=11),
        finding("a", "smuggling", "header smuggling number 12 in the loop", path="pay.py", line=12),
    ]
    assert sizes(rows) == [1, 1]
    between = finding(
        "b", "zip", "zip bomb and header smuggling in the loop", path="pay.py", line=11
    )
    assert sizes([*rows, between]) == [1, 2]


NIL = (
    "p.ctx may be nil here, exec.CommandContext panics with a nil context.",
    "checkCtx is trusted without testing p.ctx for nil; CommandContext(nil) panics.",
)


@pytest.mark.parametrize("code", ["criterion-unmet", "nil-context"])
def test_judges_who_say_the_same_of_neighbouring_lines_agree_whatever_code_they_share(code):
    rows = [
        finding(seat, code, title, path="io.go", line=line, quote=f"line {line} of the file")
        for seat, title, line in zip("ab", NIL, (177, 176), strict=True)
    ]
    assert sizes(rows) == [2]


def test_the_same_mistake_in_two_far_places_is_two_issues():
    said = "The error returned by writer.Write is ignored here."
    rows = [finding(s, "x", said, path="io.go", line=n) for s, n in (("a", 89), ("b", 272))]
    assert sizes(rows) == [1, 1]


def test_the_line_that_two_remarks_name_does_not_make_them_one():
    quote = "scanner.Buffer(make([]byte, inputBufSize), maxRecordLength)"
    rows = [
        finding("a", "x", "The buffer is shared between scanners.", path="io.go", line=272, quote=quote),
        finding("b", "y", "Records above the limit abort the program.", path="io.go", line=272, quote=quote),
    ]  # fmt: skip
    assert sizes(rows) == [1, 1]


def test_every_group_says_how_alike_its_members_are():
    """Words that only one of them uses make a vector shorter than 1; the rest still counts."""
    texts = (
        "cache key of the session is never invalidated after logout",
        "logout leaves the session cache key valid for a stranger",
        "the session cache key survives logout, see the handler",
    )
    rows = [finding(f"s{n}", title=text, family=f"s{n}") for n, text in enumerate(texts)]
    rows += [finding("s3", title="typo in the readme", family="s3")]
    groups = [each for each in group_findings(rows) if len(each.members) > 1]
    assert [len(each.members) for each in groups] == [3]
    assert 0 < groups[0].cohesion < 1


def test_a_name_in_code_counts_as_one_word():
    """Two notes about names that share their parts are no more alike than two that share one word."""
    from guildmoot.text.note import Note
    from guildmoot.text.similar.weights import dot, weigh

    def alike(*titles):
        vectors, _ = weigh([Note(title=title, source=title) for title in titles])
        return dot(vectors[0], vectors[1])

    rest = ("it fails", "nothing else here")
    same = alike("user_account_store is stale", "user_account_store is slow", *rest)
    parts = alike("user_account_store is stale", "user account of a store is slow", *rest)
    assert same > parts > 0
    dotted = alike("Session.close is stale", "Session::close is slow", *rest)
    assert dotted > alike("Session.close is stale", "Session.open is slow", *rest)


PAIRS = [
    ("The retry loop never gives up on a 503", "Retries are unbounded: a server that says 503 forever is asked forever", "client.py", 41, 43),
    ("Passwords are compared with ==, which leaks timing", "Password check is not constant-time", "auth.py", 12, 12),
    ("The temporary file is left behind when the upload fails", "A failing upload leaks its temp file", "upload.py", 88, 90),
    ("User input is concatenated into the SQL of find_orders", "SQL injection in find_orders", "orders.py", 30, 31),
    ("parse_date accepts 31 February", "Invalid calendar days pass parse_date", "dates.py", 7, 9),
    ("The cache key ignores the tenant", "Cache entries are shared between tenants", "cache.py", 55, 55),
    ("The column is dropped before the code stops reading it", "Column is dropped while code reads it", "0007.py", 3, 4),
    ("Errors of the payment provider are swallowed", "except Exception: pass hides payment provider errors", "pay.py", 61, 62),
    ("The page size has no upper limit", "A caller can ask for any page size", "api.py", 19, 19),
    ("A failed sign-in is not counted", "The name is logged with its password", "login.py", 5, 7),
    ("The archive is unpacked without a limit", "The checksum is never compared", "fetch.py", 70, 72),
]  # fmt: skip


def test_two_findings_are_one_issue_or_two_however_many_others_there_are():
    """But for one in ten, which lies on the border."""

    def both(said, other, path, line, second):
        told = (("a", said, line), ("b", other, second))
        return [advice(title, seat, path, at, end_line=at) for seat, title, at in told]

    def verdicts(pair):
        others = [finding for each in PAIRS if each is not pair for finding in both(*each)]
        own = both(*pair)
        for number in (0, 2, 5, 10, len(others)):
            found = group_findings([*own, *others[:number]])
            yield any(set(own) <= set(issue.members) for issue in found)

    wavering = [pair[0] for pair in PAIRS if len(set(verdicts(pair))) > 1]
    assert len(wavering) <= 1, wavering
