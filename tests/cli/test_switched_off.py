"""Who writes a change does not choose its court: what he calls a file or writes beside a defect approves nothing."""

from __future__ import annotations

import pytest

PYTHON = "import os\n\n\ndef f(a):\n    return os.path.join(a, undefined_thing)\n"
SCRIPT = "function f(a) {\n  return [a;\n}\n"
PHP = "<?php\nfunction f($a) {\n  return [$a;\n}\n"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.PY", PYTHON, 2),
        ("a.py3", PYTHON, 2),
        ("a.py ", PYTHON, 2),
        ("a.py.", PYTHON, 2),
        ("a.py\n", PYTHON, 2),
        ("a.py\u200b", PYTHON, 2),
        ("tool.cgi", f"#!/usr/bin/env python3\n{PYTHON}", 2),
        ("tool.xyz", f"# -*- mode: python; tab-width: 4 -*-\n{PYTHON}", 2),
        ("tool", f"{PYTHON}# vim: set ft=python:\n", 2),
        ("a.js ", SCRIPT, 2),
        ("a.jsm", SCRIPT, 2),
        ("a.module", PHP, 2),
        ("a.inc", PHP, 2),
        ("Gemfile.local", "def f\n  [1\nend\n", 2),
        ("Dockerfile.prod.", "FROM a\nRUN x &&\n\nRUM y\n", 2),
        ("a.\u0440y", PYTHON, 3),
        ("noext", PYTHON, 3),
        ("noext", SCRIPT, 3),
        ("noext", 'system("x");\n', 3),
        ("a.pth", "import os; os.system('x')\n", 3),
        ("a.py.txt", PYTHON, 3),
        ("a.js.bak", SCRIPT, 3),
        ("a.py.j2", PYTHON, 3),
        ("a.g4", "grammar A;\n", 3),
        ("a.pyx", "def f(:\n", 3),
        ("SConstruct", "Environment().Program('a')\n", 3),
    ],
    ids=ascii,
)
def test_code_under_an_odd_name_is_judged_or_undecided(shop, name, text, code):
    shop.write(name, text)
    ran = shop.guild("validate", "--diff", "--json")
    assert ran.code == code
    assert [file["depth"] for file in ran.json["coverage"]] == [
        "checked" if code == 2 else "scanned"
    ]
    assert ran.json["packet"]["files"] == int(code == 2), "what nobody read is not told as reviewed"


def test_many_undefined_names_block_like_one(shop):
    shop.write("a.py", "def f():\n" + "".join(f"    undefined_{at}()\n" for at in range(12)))
    for way in (["a.py"], ["--diff"]):
        ran = shop.guild("validate", *way, "--json")
        assert (ran.code, len(ran.json["blocking_findings"])) == (2, 12)


EXAMPLE, KEY, OTHER = (
    "AKIAIOSFODNN7EXAMPLE",
    "AKIA" + "Q7XK3MZPV2JWN4TB",
    "AKIA" + "X3WT5KQ7ZPLM2VBN",
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f'a, b = "{EXAMPLE}", "{KEY}"\n'),
        ("", f'a = "{EXAMPLE}"\nb = "{KEY}"\n'),
        (f'a = "{EXAMPLE}"\n', f'a = "{KEY}"\n'),
        (f'a = "{KEY}"\n', f'a = "{OTHER}"\n'),
        (f'a = "{KEY}"  # gitleaks:allow\n', f'a = "{OTHER}"  # gitleaks:allow\n'),
        (f'a = "{KEY}"  # gitleaks:allow\n', f'a = "{KEY}{OTHER}"  # gitleaks:allow\n'),
    ],
)
def test_an_example_or_an_accepted_key_covers_itself_alone(shop, before, after):
    shop.write("a.py", before)
    shop.commit()
    shop.write("a.py", after)
    ran = shop.guild("validate", "--diff", "--json")
    assert [found["code"] for found in ran.json["blocking_findings"]] == ["secret"]
    shop.write("a.py", before + "\n\nb = 1\n")
    assert shop.guild("validate", "--diff", "--json").json["blocking_findings"] == []


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        ('const a = "user\u202e \u2066// admin\u2069 \u2066";\n', 2, "text-turned"),
        ("const a = 1; /* \u2067 } \u2069 if (b) { */\n", 2, "text-turned"),
        ('const a = "\u202b\u05e9\u05dc\u05d5\u05dd\u202c";\n', 0, "text-turned"),
        ("const a = 1; // \u202b\u05e9\u05dc\u05d5\u05dd\n", 0, "text-turned"),
        ("const [a, \u3164] = [1, 2];\n", 2, "unseen-letter"),
        ("const a = 1; // \0\n", 2, "unseen-byte"),
        (f'const a = "{chr(0xE0100) * 9}";\n', 2, "unseen-text"),
        ('const a = "\u05e9\u05dc\u05d5\u05dd\u200f";\n', 0, ""),
        (
            'const a = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f";\n',
            0,
            "",
        ),
    ],
    ids=ascii,
)
def test_code_that_reads_otherwise_than_it_runs_blocks_and_words_from_right_to_left_advise(
    shop, text, code, found
):
    shop.write("a.js", f"{text}export {{ a }};\n")
    ran = shop.guild("validate", "--diff", "--json")
    told = [*ran.json["blocking_findings"], *ran.json["advisory_findings"]]
    assert ran.code == code
    assert [each["code"] for each in told if each["code"].startswith(("text-", "unseen-"))] == [
        found
    ] * bool(found)
    shop.commit()
    shop.write("a.js", f"{text}export {{ a }};\nexport const more = 1;\n")
    assert shop.guild("validate", "--diff", "--json").json["advisory_findings"] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "# ruff: noqa\nx = 1\n"),
        ("a.py", "# pylint: skip-file\nx = 1\n"),
        ("a.py", "# Written by hand.\n# type: ignore\nx = 1\n"),
        ("a.sh", "# shellcheck disable=all\necho a\n"),
        ("Dockerfile", "# hadolint global ignore=DL3006\nFROM a:1\n"),
        ("a.js", "/* eslint-disable */\nexport const a = 1;\n"),
        ("a.ts", "// @ts-nocheck\nexport const a = 1;\n"),
        ("a.go", "package a //nolint\n"),
        ("a.rs", "#![allow(warnings)]\nfn f() {}\n"),
    ],
)
def test_a_comment_that_switches_a_judge_off_is_told_when_it_is_new(shop, name, text):
    shop.write(name, text)
    ran = shop.guild("validate", "--diff", "--json")
    assert "judge-switched-off" in [each["code"] for each in ran.json["advisory_findings"]]
    shop.commit()
    shop.write(name, text + "\n")
    for way in ("--diff", "."):
        told = shop.guild("validate", way, "--json").json["advisory_findings"]
        assert "judge-switched-off" not in [each["code"] for each in told]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "import os  # noqa: F401\n"),
        ("a.py", "x = 1  # type: ignore[assignment]\n"),
        ("a.js", "/* eslint-disable no-console */\nexport const a = 1;\n"),
        ("a.sh", "# shellcheck disable=SC2086\necho $a\n"),
        ("a.go", "package a //nolint:errcheck\n"),
        ("README.md", "Write `# ruff: noqa` to look away.\n"),
    ],
)
def test_a_comment_for_one_rule_is_not(shop, name, text):
    shop.write(name, text)
    told = shop.guild("validate", "--diff", "--json").json["advisory_findings"]
    assert "judge-switched-off" not in [each["code"] for each in told]


USED = "\n\ndef g():\n    return missing(1)\n"
CHECKED = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from other import missing\n\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (CHECKED + USED, 2),
        ("if False:\n    missing = print\n" + USED, 2),
        ("for missing in ():\n    pass\n" + USED, 2),
        ("from other import *\n" + USED, 2),
        ("from elsewhere import *\n" + USED, 0),
        ("globals()['a'] = 1\n" + USED, 0),
        (
            "def g():\n    try:\n        return missing(1)\n    except NameError:\n        return 0\n",
            0,
        ),
    ],
)
def test_a_change_that_switches_the_rule_for_names_off_hides_no_name(shop, text, code):
    shop.write("a.py", "x = 1\n")
    shop.write("other.py", "y = 1\n")
    shop.commit()
    shop.write("a.py", text)
    ran = shop.guild("validate", "--diff", "--json")
    told = [*ran.json["blocking_findings"], *ran.json["advisory_findings"]]
    assert ran.code == code
    assert any("`missing`" in str(each) for each in told)
    shop.commit()
    shop.write("a.py", text + "\nz = 1\n")
    assert shop.guild("validate", "--diff", "--json").json["blocking_findings"] == []


@pytest.mark.parametrize(
    "text",
    [
        CHECKED + "\n\ndef g(a: 'missing') -> missing:\n    b: missing = a\n    return b\n",
        CHECKED + "else:\n    missing = print\n" + USED,
        CHECKED + "\n\ndef g():\n    from other import missing\n\n    return missing(1)\n",
        CHECKED + "\n\nclass A:\n    missing = 1\n    x = missing\n",
        "if TYPE_CHECKING := False:\n    pass\nfrom other import y as missing\n" + USED,
        "from other import *\n\n\ndef g():\n    return y\n",
        "try:\n    missing\nexcept NameError:\n    missing = None\n" + USED,
        "import os\n\nif os.name:\n    from other import y as missing\n" + USED,
    ],
)
def test_names_for_type_checkers_and_those_that_an_import_gives_are_left_alone(shop, text):
    shop.write("a.py", "x = 1\n")
    shop.write("other.py", "y = 1\n")
    shop.commit()
    shop.write("a.py", f"from __future__ import annotations\n{text}")
    ran = shop.guild("validate", "--diff", "--json")
    told = [*ran.json["blocking_findings"], *ran.json["advisory_findings"]]
    assert [each for each in told if each["code"] in ("name-is-unbound", "F821")] == []


@pytest.mark.parametrize(
    ("name", "before", "after", "code"),
    [
        ("a.py", "def f(:\n" + USED, USED, 2),
        ("a.py", "def f(:\n", "def f(a):\n    return a\n\n\nf()\n", 2),
        ("a.py", "def f(:\n", "def f(a):\n    return a\n\n\nf(1)\n", 0),
        ("a.js", "function f( {\n", "function f( {\nf([);\n", 3),
        ("a.js", "function f( {\n", "export function f() {}\n", 0),
    ],
)
def test_a_file_that_did_not_parse_is_judged_in_full_when_it_does_and_is_unread_when_it_does_not(
    shop, name, before, after, code
):
    shop.write(name, before)
    shop.commit()
    shop.write(name, after)
    assert shop.guild("validate", "--diff", "--json").code == code


@pytest.mark.parametrize(("old", "code"), [("tests/data/a.py", 2), ("lib/a.py", 0)])
def test_what_is_moved_out_of_tests_counts_where_it_comes_to(shop, old, code):
    shop.write(old, PYTHON)
    shop.commit()
    (shop.root / "src").mkdir()
    shop.git("mv", old, "src/a.py")
    assert shop.guild("validate", "--staged", "--json").code == code


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.js", "const a = 1;\n", "const a = 1;\nfunction f( {\n// \0\n"),
        ("a.go", "package a\n", "package a\n\nfunc f( {\n}\n// \0\n"),
        ("A.java", "class A {}\n", "class A { void f( { }\n// \0\n"),
        ("a.rs", "fn f() {}\n", "fn f( {\n// \0\n"),
        ("a.json", "{}\n", '{"a": 1,\n\0'),
        ("a.yaml", "a: 1\n", "a: [1\n# \0\n"),
    ],
)
def test_a_zero_byte_keeps_no_judge_from_reading_a_file(shop, name, before, after):
    shop.write(name, before)
    shop.commit()
    shop.write(name, after)
    ran = shop.guild("validate", "--diff", "--json")
    assert ran.code == 2
    codes = {found["code"] for found in ran.json["blocking_findings"]}
    assert {"does-not-parse", "unseen-byte"} <= codes


def test_a_private_key_that_a_change_brings_alone_is_told_as_what_it_is(shop):
    shop.write("a.js", "const a = 1;\n")
    shop.commit()
    body = "\n".join(["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ9vN2tVwYh0c3Q4"] * 4)
    kind = "OPENSSH " + "PRIVATE KEY"
    shop.write("deploy.pem", f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n")
    shop.commit()
    ran = shop.guild("validate", "--diff", "HEAD~1", "--json")
    assert ran.code == 2
    assert [found["code"] for found in ran.json["blocking_findings"]] == ["key-file"]


def _left(shop, name, before, after):
    """What a change of one file is told, as codes that block and codes that advise."""
    (shop.root / name).parent.mkdir(parents=True, exist_ok=True)
    if before is not None:
        (shop.root / name).write_bytes(before)
        shop.commit()
    (shop.root / name).write_bytes(after)
    ran = shop.guild("validate", "--diff", "--json")
    kinds = ("blocking_findings", "advisory_findings")
    return [[(f["code"], f["line"]) for f in ran.json[kind]] for kind in kinds]


WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]
PLAIN = {
    "a.py": "import os\n\n\ndef f():\n    return os.sep\n",
    "a.js": "export const a = 1;\n",
    "a.ts": "export const a = 1;\n",
    "a.go": "package a\n",
    "a.rs": "fn f() {}\n",
    "a.rb": "def f\n  1\nend\n",
    "a.php": "<?php\necho 1;\n",
    "a.sh": "#!/bin/sh\necho a\n",
    "A.java": "class A {}\n",
    "a.c": "int f(void) { return 1; }\n",
    "a.json": '{"a": 1}\n',
    "a.toml": "a = 1\n",
    "a.yaml": "a: 1\n",
}


@pytest.mark.parametrize(
    ("name", "coding"), [(name, WIDE[at % 4]) for at, name in enumerate(PLAIN)]
)
def test_code_that_becomes_utf_16_blocks(shop, name, coding):
    text = PLAIN[name]
    assert ("not-utf8", 1) in _left(shop, name, text.encode(), text.encode(coding))[0]
    shop.commit()
    assert _left(shop, name, None, (text + "\n").encode(coding))[0] == [], "the base had it so"


@pytest.mark.parametrize(
    ("name", "after", "weight"),
    [
        ("a.py", b"a = 1\n# caf\xe9\n", 0),
        ("a.rs", b"fn f() {}\n// caf\xe9\n", 0),
        ("a.go", b"package a\n// caf\xe9\n", 0),
        ("a.toml", b"a = 1\nb = 'caf\xe9'\n", 0),
        ("a.yml", b"a: 1\nb: caf\xe9\n", 0),
        ("a.json", b'{"a":\n"caf\xe9"}\n', 0),
        ("a.c", b"int a;\n// caf\xe9\n", 1),
        ("A.java", b"class A {}\n// caf\xe9\n", 1),
        ("a.sh", b"#!/bin/sh\necho 'caf\xe9'\n", 1),
        ("tests/a.json", b'{"a":\n"caf\xe9"}\n', 1),
    ],
)
def test_a_stray_byte_blocks_where_a_language_takes_utf_8_only(shop, name, after, weight):
    told = _left(shop, name, None, after)
    assert ("not-utf8", 2) in told[weight]
    assert "not-utf8" not in dict(told[1 - weight])


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("a.py", b"# -*- coding: latin-1 -*-\na = 'caf\xe9'\n"),
        ("a.cs", "class A {}\n".encode("utf-16")),
        ("a.ps1", "$a = 1\n".encode("utf-16")),
        ("a.sql", "select 1;\n".encode("utf-16")),
        ("a.xml", b"<?xml version='1.0' encoding='latin1'?>\n<a>caf\xe9</a>\n"),
        ("a.py", b"\xef\xbb\xbfa = 1\n"),
        ("a.py", "a = 'caf\u00e9 \ufffd'\n".encode()),
    ],
)
def test_encodings_that_a_language_takes_do_not(shop, name, after):
    assert "not-utf8" not in dict(_left(shop, name, None, after)[0])


def test_an_encoding_that_git_undoes_is_none(shop):
    shop.write(".gitattributes", "*.py working-tree-encoding=UTF-16\n")
    shop.commit()
    told = _left(shop, "a.py", "a = 1\n".encode("utf-16"), "a = 2\n".encode("utf-16"))
    assert "not-utf8" not in dict(told[0])


@pytest.mark.parametrize("word", ["UTF-8", "utf8"])
def test_a_working_tree_in_utf_8_is_what_git_keeps(shop, word):
    shop.write(".gitattributes", f"*.cs working-tree-encoding={word}\n")
    shop.commit()
    (shop.root / "a.cs").write_bytes("\ufeffclass A {}\n".encode())
    shop.commit()
    assert shop.guild("validate", "--diff", "HEAD~1..HEAD").code == 0


@pytest.mark.parametrize(
    ("row", "below", "code"),
    [
        ("  // see docs\\guide\\", "  if (!check(u)) return 0;", 2),
        ("  // see docs\\guide\\", "  // and more", 0),
        ("  // see docs\\guide\\", "", 0),
        ("  // see docs\\guide", "  if (!check(u)) return 0;", 0),
        ("  /*\n  // see docs\\", "  if it is there */", 0),
    ],
)
def test_a_comment_of_c_that_swallows_the_line_of_code_below_blocks(shop, row, below, code):
    text = "int check(int);\nint f(int u) {\n  /* gate */\n  return check(u);\n}\n"
    shop.write("a.c", text)
    shop.commit()
    shop.write("a.c", text.replace("  /* gate */", f"{row}\n{below}"))
    ran = shop.guild("validate", "--diff", "--json")
    found = [each["code"] for each in ran.json["blocking_findings"]]
    assert (ran.code, found) == (code, ["comment-goes-on"] * (code == 2))
