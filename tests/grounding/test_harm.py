"""What a rule calls grave and does no harm is advice; what is new in a change is excused less."""

from __future__ import annotations

import pytest

from builders import finding
from guildmoot.grounding.harm import excused
from guildmoot.grounding.measured import Read, blocks_in_audit
from guildmoot.model.verdict import Finding, Severity

UNDEFINED = "Undefined name `{}`"


def fact(
    code: str, title: str, path: str = "src/app.py", line: int = 1, quote: str = "x"
) -> Finding:
    return finding("ruff", code, title, path=path, line=line, quote=quote, proven=True)


def blocks(found: Finding, text: str = "", *, change: bool) -> bool:
    (said,) = excused([found], lambda path: text, change)
    assert said.blocking or "advice only: " in said.note
    return said.blocking


ALWAYS = [
    fact("S602", "`subprocess` call with `shell=True` seems safe, but may be changed"),
    fact("B602", "shell=True identified (LOW confidence)"),
    fact("S506", "Probable use of unsafe loader `SafeLoader` with `yaml.load`."),
    fact("PLE2502", "Contains control characters", quote='A = "d\u200f/m\u200f/Y"'),
    fact("PLE0101", "Explicit return in `__init__`", quote="return super().__init__(*args)"),
    fact("PGH005", "Non-existent mock method", quote="    assert web.mocker.called_once"),
    fact("secret", "a secret (private-key) is in the file", path="demos/user_rsa_key"),
    fact("key-file", "a key file is committed", path="caddytest/localhost.key"),
]
IN_PLACE = [
    fact("key-file", "a key file is committed", path="web/node_modules/sync/certs/server.key"),
    fact(
        "secret",
        "a secret (google-key) is in the file",
        path="index.html",
        quote='<script src="https://maps.googleapis.com/maps/api/js?key=[masked:google-key]">',
    ),
    fact("F821", UNDEFINED.format("__salt__"), quote='__salt__["x"]()'),
    fact("F821", UNDEFINED.format("row"), quote='level: Literal["head", "row"] = "row"'),
    fact("F821", UNDEFINED.format("r"), quote='mode: Union[Literal["rt"], Literal["r"]],'),
    fact("F821", UNDEFINED.format("reveal_type"), quote="reveal_type(x)"),
    fact("S602", "`subprocess` call with `shell=True` identified, security issue"),
    fact("ASYNC251", "Async functions should not call `time.sleep`"),
    fact("F821", UNDEFINED.format("unicode"), quote="str = unicode"),
    fact("F821", UNDEFINED.format("db"), path="docs/tutorial.py", quote="db.get()"),
    fact("F821", UNDEFINED.format("x"), quote="x  # type: ignore"),
    fact("F821", UNDEFINED.format("x"), path="tests/data/broken.py"),
    fact("does-not-parse", "no JavaScript", path="config.tpl.js"),
    fact("does-not-parse", "no YAML", path="chart/templates/pod.yaml"),
]
NEVER = [
    fact("F821", UNDEFINED.format("foo"), quote="foo()"),
    fact("F821", UNDEFINED.format("foo"), quote='print(f"{foo}")'),
    fact("F821", UNDEFINED.format("foo"), quote='run("foo", foo)'),
    fact("F821", UNDEFINED.format("foo"), path="tests/test_a.py", quote="foo()"),
    fact("F524", "`.format` call is missing argument(s) for placeholder(s): 1"),
    fact("PLE2502", "Contains control characters", quote='if a != "user\u202e\u2066": # x'),
    fact("PLE0101", "Explicit return in `__init__`", quote="return self.load()"),
    fact("invalid-syntax", "Expected an expression"),
    fact("PGH005", "Mock method should be called", quote="    saved.assert_called_once"),
    fact("PGH005", "Non-existent mock method", quote="    assert saved.called_once()"),
]


@pytest.mark.parametrize("found", ALWAYS)
def test_what_is_excused_everywhere(found: Finding) -> None:
    assert not blocks(found, change=False)
    assert not blocks(found, change=True)


@pytest.mark.parametrize("found", IN_PLACE)
def test_what_is_excused_where_it_is_in_place(found: Finding) -> None:
    assert not blocks(found, change=False)
    assert blocks(found, change=True)


@pytest.mark.parametrize("found", NEVER)
def test_what_is_never_excused(found: Finding) -> None:
    assert blocks(found, change=False)
    assert blocks(found, change=True)


def test_a_name_that_is_deleted_in_a_branch() -> None:
    found = fact("F821", UNDEFINED.format("best"), quote="use(best)")
    assert not blocks(found, "if a:\n    del best\nuse(best)\n", change=False)
    assert blocks(found, "if a:\n    del best\nuse(best)\n", change=True)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("tests/helpers.py", "tests"),
        ("src/Demo/n.py", "src/Demo"),
        ("src/test_a.py", "src/test_a.py"),
        ("docs/tests/conf.py", "docs"),
    ],
)
def test_in_a_change_a_place_excuses_that_the_base_has(path: str, place: str) -> None:
    found = fact("S602", "`subprocess` call with `shell=True` identified", path=path)
    assert not blocks(found, change=False)
    assert blocks(found, change=True)
    (said,) = excused([found], lambda path: "", True, {place}.__contains__)
    assert not said.blocking


def test_a_name_that_nothing_comes_to() -> None:
    text = "def f(a):\n    if a:\n        return a\n        rest\n    rest\n"
    dead, alive = (fact("F821", UNDEFINED.format("rest"), line=line) for line in (4, 5))
    assert not blocks(dead, text, change=False)
    assert blocks(dead, text, change=True)
    assert blocks(alive, text, change=False)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/google-services.json", '"current_key": "KEY"\n'),
        ("app/src/main/res/values/keys.xml", '<string name="key">KEY</string>\n'),
        ("src/fire.js", 'const c = {\n  apiKey: "KEY",\n  authDomain: "a.firebaseapp.com",\n}\n'),
    ],
)
def test_the_key_in_settings_of_an_application_is_meant_to_be_seen(path: str, text: str) -> None:
    line = 1 + text[: text.index("KEY")].count("\n")
    found = fact("secret", "a secret (google-key) is in the file", path=path, line=line)
    assert not blocks(found, text, change=False)
    assert not blocks(found, text, change=True)
    other = found._replace(title="a secret (aws-key) is in the file")
    assert blocks(other, text, change=False)


@pytest.mark.parametrize(
    ("path", "line", "counts"),
    [
        ("src/config.js", 'export const GOOGLE_MAPS_KEY = "KEY"', False),
        ("frontend/src/video.js", 'const key = "KEY"', False),
        ("server/ask.py", 'genai.configure(api_key="KEY")', True),
    ],
)
def test_a_google_key_that_users_are_given_advises_in_place(
    path: str, line: str, counts: bool
) -> None:
    found = fact("secret", "a secret (google-key) is in the file", path=path, quote=line)
    assert blocks(found, line, change=False) is counts
    assert blocks(found, line, change=True)


@pytest.mark.parametrize(
    ("text", "line", "counts"),
    [
        ("df = load(weeks)\ndf.head()\n", 1, False),
        ("import os\nprint(os.name)\nload()\n", 3, False),
        ("def f(frames):\n    return load(frames)\n", 2, True),
        ("import os\nf = lambda x: load(x)\n", 2, True),
        ("import os\nif os.name:\n    load()\n", 3, True),
    ],
)
def test_a_name_without_which_the_file_fails_at_once(text: str, line: int, counts: bool) -> None:
    found = fact("F821", UNDEFINED.format("load"), line=line)
    (audited,) = excused([found], lambda path: text, False, files=21)
    assert audited.blocking is counts
    assert blocks(found, text, change=False)
    assert blocks(found, text, change=True)


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("tests/conflict.txt", False),
        ("src/app.py.orig", False),
        ("tests/notes.txt", True),
        ("src/conflict.txt", True),
    ],
)
def test_a_test_of_conflicts_and_a_copy_of_git_hold_one(path: str, counts: bool) -> None:
    found = fact("merge-conflict", "a merge conflict was not resolved", path=path)
    assert blocks(found, change=False) is counts
    assert blocks(found, change=True)


def test_print_into_a_file_is_of_python_2() -> None:
    found = fact("F633", "Use of `>>` is invalid with `print` function")
    assert not blocks(found, 'print >>f, "dyes:"\n', change=False)


def test_text_that_is_raised_is_of_python_2() -> None:
    text = 'raise "Rows: ", count\n'
    assert not blocks(fact("invalid-syntax", "no tuple"), text, change=False)
    assert blocks(
        fact("invalid-syntax", "no tuple"), 'raise ValueError("Rows: ", count\n', change=False
    )


def test_a_name_that_its_function_sets_later() -> None:
    text = "def f(a):\n    for b in a:\n        if b and c:\n            pass\n        c = b\n"
    found = fact("F821", UNDEFINED.format("c"), line=3, quote="if b and c:")
    assert not blocks(found, text, change=False)
    assert blocks(found, text, change=True)
    assert blocks(found, text.replace("        c = b\n", "def g():\n    c = 1\n"), change=False)


def test_a_file_that_does_not_parse_is_told_once() -> None:
    broken = fact("invalid-syntax", "Expected `,`", line=3)
    others = [broken._replace(line=4), fact("F821", UNDEFINED.format("e"), line=9)]
    said = excused([broken, *others], lambda path: "", False)
    assert [(each.line, each.blocking) for each in said] == [(3, True), (9, False)]


def test_a_folder_of_files_that_do_not_parse_is_data() -> None:
    files = [fact("does-not-parse", f"no JSON: {n}", path=f"data/{n}.json") for n in range(4)]
    assert not any(each.blocking for each in excused(files, lambda path: "", False))
    assert all(each.blocking for each in excused(files[:3], lambda path: "", False))
    assert all(each.blocking for each in excused(files, lambda path: "", True))


def test_files_of_a_folder_that_fail_alike_are_in_a_form_of_their_own() -> None:
    files = [fact("does-not-parse", "no `:`", path=f"data/{n}.yaml") for n in range(3)]
    assert not any(each.blocking for each in excused(files, lambda path: "", False))
    assert all(each.blocking for each in excused(files[:2], lambda path: "", False))
    assert all(each.blocking for each in excused(files, lambda path: "", True))


def test_a_file_with_many_names_that_are_set_elsewhere() -> None:
    names = [fact("F821", UNDEFINED.format(f"n{n}"), quote=f"n{n}()") for n in range(3)]
    told = excused(names, lambda path: "", False, files=21)
    assert len(told) == len(names)
    assert not any(each.blocking for each in told)
    assert all(each.blocking for each in excused(names[:2], lambda path: "", False, files=21))
    assert all(each.blocking for each in excused(names, lambda path: "", False))
    assert all(each.blocking for each in excused(names, lambda path: "", True))


def test_a_name_that_many_files_have_from_nowhere_is_given_to_them() -> None:
    given = [fact("F821", UNDEFINED.format("client"), path=f"src/{n}.py") for n in range(5)]
    beside = fact("F821", UNDEFINED.format("note"), path="src/0.py")
    alone = fact("F821", UNDEFINED.format("note"), path="src/alone.py")
    *hosted, own = excused([*given, beside, alone], lambda path: "", False)
    assert not any(each.blocking for each in hosted)
    assert own.blocking
    assert all(each.blocking for each in excused(given[1:], lambda path: "", False))
    assert all(each.blocking for each in excused(given, lambda path: "", True))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("bin/run.sh", "#!/bin/csh -f\nif ($1) then\nendif\n"),
        ("user.json", "#!/usr/bin/env node\nvar a\n"),
        ("config.json", '{\n  // who may\n  "urls": ["http://a"], /* all */\n}\n'),
        ("outputs/a.json", '{"a": '),
        ("process.js", "function() {\n  const A = <<param0>>;\n}\n"),
    ],
)
def test_what_its_text_says_is_no_such_file(path: str, text: str) -> None:
    found = fact("does-not-parse", "does not parse", path=path)
    assert not blocks(found, text, change=False)
    assert blocks(found, text, change=True)
    assert blocks(found, "#!/bin/bash\nif\n", change=False) or path.endswith(".json")


def test_in_a_change_no_file_that_does_not_parse_is_excused() -> None:
    found = fact("does-not-parse", "no JSON", path="tests/fixtures/a.json")
    assert not blocks(found, change=False)
    assert blocks(found, change=True)


def test_data_of_tests_advises_in_a_change_where_the_base_has_its_folder() -> None:
    def counts(code: str, *base: str) -> bool:
        found = fact(code, UNDEFINED.format("a"), path="tests/data/cases/a.py")
        return excused([found], lambda path: "", True, {*base}.__contains__)[0].blocking

    assert counts("F821")
    assert not counts("F821", "tests/data")
    assert not counts("F821", "tests/data", "tests/data/cases/a.py")
    assert not counts("invalid-syntax", "tests/data")
    assert counts("invalid-syntax", "tests/data", "tests/data/cases/a.py")


def test_opinions_are_left_alone() -> None:
    said = finding("model", "S602", "seems safe, but is not", path="tests/a.py", line=1)
    assert excused([said], lambda path: "", False) == [said]


def audited(found: Finding, text: str = "") -> bool:
    """Whether it blocks where many files are judged as they are in place."""
    return any(each.blocking for each in excused([found], lambda path: text, False, files=21))


def test_in_an_audit_a_grammar_alone_proves_nothing_of_a_long_file() -> None:
    found = fact("does-not-parse", "`}` is never closed", path="src/a.go")
    assert not audited(found, "x\n" * 61)
    assert audited(found, "x\n" * 60)
    assert blocks(found, "x\n" * 61, change=False)
    assert blocks(found, "x\n" * 61, change=True)
    assert audited(found._replace(path="src/a.toml"), "x\n" * 61)


def test_in_an_audit_a_rule_that_was_right_too_seldom_advises() -> None:
    found = fact("does-not-parse", "expecting property name", path="src/a.json")
    assert not audited(found, "x\n")
    assert blocks(found, "x\n", change=False)
    assert blocks(found, "x\n", change=True)


def test_a_rule_blocks_in_an_audit_by_what_readers_said_of_it() -> None:
    said = {("a", ""): Read(4, 1), ("b", ""): Read(3, 1), ("c", ""): Read(0, 2)}
    said |= {("b", "Go"): Read(9, 0)}
    assert blocks_in_audit("a", "", said)
    assert not blocks_in_audit("b", "C", said)
    assert blocks_in_audit("b", "Go", said), "its own count goes before that of all languages"
    assert blocks_in_audit("c", "", said), "two are too few to tell"
    assert blocks_in_audit("unread", "", said)


def test_a_test_of_merging_may_hold_conflicts_if_its_folder_says_so() -> None:
    found = fact("merge-conflict", "not resolved", path="pkg/mergeconflicts/state_test.go")
    assert not blocks(found, change=False)
    assert blocks(found, change=True)
    assert blocks(found._replace(path="pkg/mergeconflicts/state.go"), change=False)


def test_in_an_audit_a_pattern_in_place_advises() -> None:
    found = fact("sql-from-input", "SQL is built from input", path="a.php")._replace(
        seat="languages"
    )
    assert not audited(found)
    assert blocks(found, change=False)
    assert blocks(found, change=True)


def test_in_an_audit_tests_block_where_they_test_nothing() -> None:
    path = "tests/test_a.py"
    assert not audited(fact("F821", UNDEFINED.format("foo"), path=path))
    assert not audited(fact("invalid-syntax", "Expected an expression", path=path))
    always = fact("PLW0129", "Asserting on a non-empty string literal", path=path)
    assert audited(always)
    many = [always._replace(path=f"tests/test_{n}.py") for n in range(20)]
    assert not any(each.blocking for each in excused(many, lambda path: "", False, files=21))
    assert all(each.blocking for each in excused(many[1:], lambda path: "", False, files=21))
    assert all(each.blocking for each in excused(many, lambda path: "", True, files=21))


@pytest.mark.parametrize(
    "text", ["#!/usr/bin/python2\nx\n", 'print "x"\n', "try: x\nexcept E, e:\n    print(e)\n"]
)
def test_python_2_is_advice_where_it_is_in_place(text: str) -> None:
    for code in ("invalid-syntax", "F821", "F633"):
        found = fact(code, UNDEFINED.format("e"))
        assert not blocks(found, text, change=False)
        assert blocks(found, text, change=True)
        assert blocks(
            found, text.replace("2", "3").replace(' "', '("').replace(", e", " as e"), change=False
        )


def test_in_an_audit_advice_that_nobody_acts_on_is_not_told() -> None:
    def told(
        code: str, path: str, *, change: bool = False, files: int = 21, mild: bool = False
    ) -> bool:
        severity: Severity = "low" if mild else "medium"
        advice = fact(code, "advice", path=path)._replace(blocking=False, severity=severity)
        return bool(excused([advice], lambda path: "", change, files=files))

    untold = [
        ("S608", "src/a.py"),
        ("possible-secret", "src/a.py"),
        ("undefined-name", "src/a.js"),
        ("may-not-parse", "src/a.cpp"),
        ("F811", "tests/test_a.py"),
    ]
    for code, path in untold:
        assert not told(code, path)
        assert told(code, path, files=20)
        assert told(code, path, change=True)
    assert told("F811", "src/a.py")
    assert not told("F811", "src/a.py", mild=True)
    assert told("F811", "src/a.py", mild=True, change=True)
    assert told("may-not-parse", "src/a.json")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('log.info("{} rows", a)', 0),
        ('log.info(\n    "{.path}: "\n    "read", a\n)', 0),
        ('log.info("rows", a)', 1),
        ('log.info("%s of {}", a, b)', 1),
    ],
)
def test_fields_in_braces_are_another_way_to_log(call: str, told: int) -> None:
    found = fact("PLE1205", "Too many arguments for `logging` format string")
    found = found._replace(blocking=False, severity="medium")
    assert len(excused([found], lambda path: call, True)) == told
