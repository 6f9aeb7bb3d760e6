"""A change of code does not pass for one of comments or layout, in any language that only a grammar reads."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.same_code import is_same_code

TEXTS = {
    "Kotlin": ('val x = "{}"\n', 'val x = """{}"""\n', 'val x = "{} $a"\n'),
    "Swift": ('let x = "{}"\n', 'let x = #"{}"#\n', 'let x = "{} \\(a)"\n', "let x = /{}/\n"),
    "C#": tuple(f'class A {{{{ string x = {sign}"{{}}"; }}}}\n' for sign in ("", "@", "$")),
    "Lua": ('x = "{}"\n', "x = [[{}]]\n"),
    "Elixir": ('x = "{}"\n', "x = ~s({})\n", "x = :{}\n", 'x = "{} #{{a}}"\n'),
    "Objective-C": ('NSString *x = @"{}";\n', "#define X {}\nint a;\n", "#pragma {}\nint a;\n"),
    "Groovy": ('x = "{}"\n', "x = '{}'\n", "x = '''{}'''\n", "x = /{}/\n", 'x = "{} ${{a}}"\n'),
    "Julia": ('x = "{}"\n', "run(`{}`)\n", 'x = raw"{}"\n', 'x = "{} $a"\n'),
    "Zig": ('const x = "{}";\n', "const x =\n    \\\\{}\n;\n"),
    "PowerShell": (
        '$x = "{}"\n',
        "$x = '{}'\n",
        '$x = "{} $a"\n',
        '$x = @"\n{} $a\n"@\n',
        "ls {}\n",
    ),
    "Scala": ('val x = "{}"\n', 'val x = s"{}"\n', 'val x = sql"{} $a"\n', 'val x = """{}"""\n'),
    "Haskell": ('x = "{}"\n', "x = [q|{}|]\n", "{{-# OPTIONS_GHC -F -pgmF {} #-}}\nx = 1\n"),
    "OCaml": ('let x = "{}"\n', "let x = {{|{}|}}\n", '#use "{}"\n'),
}
"""Texts of a program, in which a word is changed."""

LINES = {
    "Kotlin": (("return {}compute()", "fun f(): Int {{\n    {}\n}}\n"), ("val x = a{}- b", "{}\n")),
    "Swift": (("return {}compute()", "func f() -> Int {{\n    {}\n}}\n"),),
    "Groovy": (("return {}g()", "def f() {{\n    {}\n}}\n"),),
    "Julia": (("return {}g()", "function f()\n    {}\nend\n"), ("x = [a {}b]", "{}\n")),
    "Elixir": (("a {}-b", "def f do\n  {}\nend\n"),),
    "PowerShell": (("return {}$a", "{}\n"), ("Remove-Item $a {}$b", "{}\n")),
    "Lua": (("return f{}(a)", "{}\n"),),
}
"""Statements that end where the line does."""

COMMENTS = {
    "Kotlin": ("//DEPS {}\n", "// a \rval y = {}()\n", "#!/usr/bin/{}\n", "// ktlint-disable:{}\n"),
    "C#": ("// a \u2028 {}();\n", "// a \x85 {}();\n", "//css_ref {};\n"),
    "Swift": ("// swift-tools-version:5 {}\n", "// swift-tools-version: 5 {}\n"),
    "PowerShell": ("#Requires -Modules {}\n", "# requires -Modules {}\n"),
    "Scala": ('//> using dep "{}"\n',),
    "Haskell": ("{{- stack script --package {} -}}\n",),
    "Groovy": ("// a \\u000a {}()\n",),
}
"""Comments that programs read, or that end before the grammar thinks so."""
CODE = {
    "Kotlin": "val x = 1\n",
    "C#": "class A { }\n",
    "Swift": "let x = 1\n",
    "PowerShell": "$x = 1\n",
}
CODE |= {"Scala": "val x = 1\n", "Haskell": "x = 1\n", "Groovy": "x = 1\n"}

CHANGED = [
    *((name, form.format("good"), form.format("evil")) for name in TEXTS for form in TEXTS[name]),
    *(
        (name, frame.format(words.format("")), frame.format(words.format("\n    ")))
        for name in LINES
        for words, frame in LINES[name]
    ),
    *(
        (name, form.format("good") + CODE[name], form.format("evil") + CODE[name])
        for name in COMMENTS
        for form in COMMENTS[name]
    ),
    ("Elixir", "x = foo -1\n", "x = foo - 1\n"),
    ("Julia", "x = [a -b]\n", "x = [a - b]\n"),
    ("Lua", "x = 1 -- a\ny = 2\n", "x = 1 -- a y = 2\n"),
]
NOTES = {
    "Lua": "--",
    "Haskell": "--",
    "OCaml": "(*",
    "Elixir": "#",
    "Julia": "#",
    "PowerShell": "#",
}


@pytest.mark.parametrize(("language", "before", "after"), CHANGED)
def test_a_change_of_code_is_none_of_comments(language: str, before: str, after: str) -> None:
    assert not is_same_code(language, before, after)
    assert not is_same_code(language, after, before)


@pytest.mark.parametrize("language", TEXTS)
def test_a_comment_in_plain_words_is_no_code(language: str) -> None:
    sign = NOTES.get(language, "//")
    note = f"{sign} It is what it was, see above.{' *)' if sign == '(*' else ''}\n"
    code = TEXTS[language][0].format("good")
    assert is_same_code(language, code, f"{note}\n{code}")
    assert is_same_code(language, f"{note}{code}", code + "\n")
