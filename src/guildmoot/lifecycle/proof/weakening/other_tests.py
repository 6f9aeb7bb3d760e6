"""Tests, checks and skips of files in other languages than Python, counted by the forms in which they are written.

Pure. No grammar: the same forms are counted before and after a change, so what they miss they miss twice.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from guildmoot.text.patterns import lazy

_QUOTED = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
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
    r"|expect\((?P<same>[^()\n]+)\)\.to(?:Be|Equal|StrictEqual)\((?P=same)\)"
)
_SKIPS = lazy(
    r"\b(?:it|test|describe|context|suite|specify|scenario)\.(?:skip|only|todo|fixme|failing|fails)\b|\b(?:xit|xtest|xdescribe|xcontext|fit"
    r"|fdescribe|xspecify|xscenario)\s*[('\"`]|\bt\.Skip\w*\(|#\[ignore\b|@(?:Ignore|Disabled)\b|\[Ignore\b|\bSkip\s*=\s*\""
    r"|\bmark(?:TestSkipped|TestIncomplete)\s*\(|^\s*(?:skip|pending)\b|\bskip:|@tag\s+:?skip|@moduletag\s+:?skip"
    r"|\bGTEST_SKIP\b|\bDISABLED_\w+|\bXCTSkip\w*|//go:build\s|\bassume(?:True|False|That)\s*\(|\bt\.skip\(|\bprocess\.exit\("
    r"|\bos\.Exit\(|\bif\s*\(\s*(?:false|0)\s*\)|\bif\s+false\b|#\[cfg\([^\]\n]*\]",
    re.MULTILINE,
)


class CountedTests(NamedTuple):
    """What was counted in a file."""

    tests: Counter[str]
    checks: Counter[str]
    skips: Counter[str]


def count_tests(path: str, text: str) -> CountedTests:
    """The tests, checks and skips of a file, without its comments."""
    hashes = path.lower().endswith(_BY_HASH)
    plain = (_HASHES if hashes else _SLASHES).sub(lambda cut: cut[1] or " ", text)
    tests = Counter(
        next(filter(None, found.groups()), "").strip() for found in _TESTS.finditer(plain)
    )
    rows = (" ".join(found[0].split()) for found in _CHECKS.finditer(plain))
    checks = Counter(row for row in rows if not _QUIET.search(row))
    return CountedTests(
        tests, checks, Counter(found[0].strip() for found in _SKIPS.finditer(plain))
    )
