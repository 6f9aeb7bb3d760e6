"""Tests, checks and skips of files in other languages than Python, counted by the forms in which they are written.

Pure. No grammar: the same forms are counted before and after a change, so what they miss they miss twice.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from guildmoot.text.patterns import lazy

_QUOTED = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
_STRING = lazy(_QUOTED)
_SLASHES = lazy(rf"({_QUOTED})|//(?!go:build)[^\n]*|/\*.*?\*/", re.DOTALL)
_HASHES = lazy(
    rf"({_QUOTED})|(?:(?<=\s)|^)#[^\n]*|^=begin\b.*?^=end\b[^\n]*", re.DOTALL | re.MULTILINE
)
_BY_HASH = (
    ".rb",
    ".sh",
    ".bash",
    ".bats",
    ".pl",
    ".t",
    ".r",
    ".ex",
    ".exs",
    ".jl",
    ".cr",
    ".ps1",
    ".tcl",
)
_TESTS = lazy(
    r"(?m)\b(?:it|test|specify|scenario|Scenario|example|Deno\.test)(?:\.\w+)*\s*(?:\([^()\n]*\)\s*)?\(?\s*"
    r"(?P<title>\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`)"
    r"|\bfunc\s+(?P<go>(?:Test|Benchmark|Fuzz|Example|test)\w*)\s*\("
    r"|(?:@(?:Parameterized|Repeated)?Test\b|@TestFactory\b|#\[\w*:*:?test\b[^\]\n]*\]|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b[^\n]*\]"
    r"|#\[Test\]|@test\b)[^{;=]*?\b(?P<marked>\w+)\s*(?:\(|\{)"
    r"|\b(?:function|def|fun|sub|void)\s+(?P<named>test\w+|\w+_test)\b"
    r"|\b(?:TEST(?:_F|_P)?|TEST_CASE|BOOST_AUTO_TEST_CASE|SCENARIO)\s*\((?P<macro>[^)\n]*)\)"
)
_CHECKS = lazy(
    r"(?m)^.*?(?:\bexpect\w*[\s(!.]|\b(?:debug_)?assert\w*[\s(!.:]|\bAssert[.:]|\bshould\b|\.should[.(]|\bmust_\w+"
    r"|\bt\.(?:Error|Fatal|Fail)\w*\(|\brequire\.\w+\(|\b(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?\s*\("
    r"|\bXCTAssert\w*\(|\brefute\w*[\s(]|\bverify\w*\(|\bis(?:_deeply)?\s*\(|\bok\s*\(|\bcmp_ok\b|^\s*\[\[?\s|\brun\s+\S).*$"
)
_QUIET = lazy(
    r"expect\(\s*(true|false|null|undefined|\d+|['\"`][^'\"`]*['\"`])\s*\)\.to\w*[\w.]*\(\s*\1?\s*\)"
    r"|assert\w*!?\s*\(\s*(?:true|1|!false|1\s*==\s*1|true\s*,\s*true)\s*\)|assertTrue\(\s*true\s*\)|\bok\s*\(\s*1\b"
    r"|(?:\|\|\s*|\bor\s+)(?:true|1|!0)\b|expect\((?P<same>[^()\n]+)\)\.to(?:Be|Equal|StrictEqual)\((?P=same)\)"
)
_SKIPS = lazy(
    r"\b(?:it|test|describe|context|suite|specify|scenario)\.(?:skip|only|todo|fixme|failing|fails)\b|\b(?:xit|xtest|xdescribe|xcontext|fit"
    r"|fdescribe|xspecify|xscenario)\s*[('\"`]|\bt\.Skip\w*\(|#\[ignore\b|@(?:Ignore|Disabled)\b|\[Ignore\b|\bSkip\s*=\s*\""
    r"|\bmark(?:TestSkipped|TestIncomplete)\s*\(|^\s*(?:skip|pending)\b|\bskip:|@tag\s+:?skip|@moduletag\s+:?skip"
    r"|\bGTEST_SKIP\b|\bDISABLED_\w+|\bXCTSkip\w*|//go:build\s|\bassume(?:True|False|That)\s*\(|\bt\.skip\(|\bprocess\.exit\("
    r"|[{,]\s*todo\s*:|#!\[cfg\([^\]\n]*\]|#\[should_panic\b|\bmacro_rules!\s*(?:assert|debug_assert|panic)\w*|^\s*#\s*define\s+(?:NDEBUG|assert)\b"
    r"|^\s*#\s*undef\s+assert\b|^\s*#\s*if\s+0\b|\bSystem\.exit\(|\bprocess::exit\(\s*0|^\s*_?exit\s*\(?\s*0\s*\)?\s*;|\bTODO:\s*\{|\$TODO\b"
    r"|\*(?:\w+::)*\w+\s*=\s*(?:sub\b|\\&)|\bos\.Exit\(|\bif\s*\(\s*(?:false|0)\s*\)|\bif\s+false\b|#\[cfg\([^\]\n]*\]",
    re.MULTILINE,
)


_BEHIND = lazy(
    r"(?m)^([ \t]+)return\b[^\n{(\[]*(?:\([^\n]*\))?;?[ \t]*\n(?:[ \t]*\n)*"
    r"\1(?!end\b|case\b|default\b|else\b|when\b)(?=\w)"
)
"""A return behind which more stands at the same depth."""
_SHELL = (".sh", ".bash", ".bats")
_SHELL_SKIPS = lazy(
    r"\|\|\s*(?:true|:|echo|printf|exit 0)\b|^\s*set \+e|^\s*trap\b[^\n]*\bexit 0[^\n]*|^\s*exit 0\b(?=[\s\S]*\S)"
    r"|^\s*(?:function\s+)?(?:test|grep|diff|cmp|exit|false|set|assert\w*)\s*\(\)",
    re.MULTILINE,
)
_SHELL_CHECKS = lazy(r"(?m)^[ \t]*(?:test\s|set\s+-\w*e|set\s+-o\s+errexit).*$")
_IDLE = lazy(
    r"\b(?:it|test|describe|context|suite|specify)\.(?:skip|only|todo|fixme)\b|\b(?:xit|xtest|xdescribe|xcontext|fit|fdescribe)\s*\("
    r"|[{,]\s*(?:skip|todo)\s*:\s*(?:true|['\"`])|#\[ignore\b|@(?:Ignore|Disabled)\b|\bSkip\s*=\s*\""
)
"""What keeps a test from being run anywhere, also a new one."""
_LOADS = lazy(r"^(?:import|use|from|#\s*include)\b|=\s*(?:await\s+import|require)\s*\(")
_UNSURE = lazy(r"^(?:if\b|unless\b|[\w.]+\s*&&)|\s(?:if|unless)\s+[\w.!]+(?:\[[^\]]*\])?;?$")


class CountedTests(NamedTuple):
    """What was counted in a file."""

    tests: Counter[str]
    checks: Counter[str]
    skips: Counter[str]
    unsure: int
    """How many checks a condition stands before."""
    idle: tuple[str, ...] = ()
    """What keeps tests from being run anywhere."""


def plain_text(path: str, text: str) -> str:
    """A file without its comments."""
    hashes = path.lower().endswith(_BY_HASH)
    return (_HASHES if hashes else _SLASHES).sub(lambda cut: cut[1] or " ", text)


def _blank(cut: re.Match[str]) -> str:
    """A text of the program as long as before, with nothing in it."""
    return "".join(
        each if each == "\n" or at in (0, len(cut[0]) - 1) else " "
        for at, each in enumerate(cut[0])
    )


def count_tests(path: str, text: str) -> CountedTests:
    """The tests, checks and skips of a file, without its comments."""
    plain = plain_text(path, text)
    shell = path.lower().endswith(_SHELL)
    tests = Counter(
        next(filter(None, found.groups()), "").strip()
        for found in _TESTS.finditer(plain)
        if not (found["title"] and path.lower().endswith(_SHELL[:2]))
    )
    bare = _STRING.sub(_blank, plain)
    spans = [found.span() for found in _CHECKS.finditer(bare)]
    spans += [found.span() for found in _SHELL_CHECKS.finditer(bare) if shell]
    rows = [" ".join(plain[start:end].split()) for start, end in dict.fromkeys(spans)]
    checks = [row for row in rows if not (_QUIET.search(row) or _LOADS.search(row))]
    skips = Counter(found[0].strip() for found in _SKIPS.finditer(plain))
    skips += Counter("code behind a return" for _ in _BEHIND.finditer(plain))
    skips += Counter(found[0].strip() for found in _SHELL_SKIPS.finditer(plain) if shell)
    idle = tuple(dict.fromkeys(found[0].strip() for found in _IDLE.finditer(plain)))
    unsure = sum(bool(_UNSURE.search(row)) for row in checks)
    return CountedTests(tests, Counter(checks), skips, unsure, idle)
