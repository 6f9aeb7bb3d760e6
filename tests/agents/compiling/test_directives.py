"""Directives that a change breaks, whatever the grammar says of the file."""

from __future__ import annotations

import pytest

from guildmoot.agents.compiling.faults import new_faults

C = """\
#ifndef BOX_H
#define BOX_H
#include <vector>
#include "side.h"  // <- beside it
/* #endif of nothing */
#if defined(A) && \\
    defined(B)
int one(int x);
#elif defined(C)
const char *text = "#else", *more = "/*";
#else
#define JOIN(x) \\
    #x
#endif
#endif /* BOX_H */
"""
SHARP = """\
#nullable enable
#if NET8_0
using System.Buffers;
#endif
class Box
{
    #region Kept's
    const string Text = @"
#if nothing
";
    string more = \"\"\"
        #endif
        \"\"\";
    #endregion
}
"""


def told(path: str, before: str | None, after: str) -> list[int]:
    return [line for line, _ in new_faults(path, before, after)]


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "line"),
    [
        ("box.h", C, "#endif /* BOX_H */\n", "", 1),
        ("box.hpp", C, "#x\n#endif\n", "#x\n", 1),
        ("box.c", C, "#ifndef BOX_H\n", "", 14),
        ("box.cc", C, "#if defined(A) && \\\n    defined(B)\n", "", 13),
        ("box.m", C, "#else\n#define", "#esle\n#define", 11),
        ("box.cpp", C, "#elif", "#else", 11),
        ("box.cpp", C, "<vector>", "<vector", 3),
        ("box.c", C, '"side.h"', '"side.h', 4),
        ("box.c", C, "#define JOIN", "#defin JOIN", 12),
        ("Box.cs", SHARP, "Buffers;\n#endif\n", "Buffers;\n", 2),
        ("Box.cs", SHARP, "    #endregion\n", "", 7),
        ("Box.cs", SHARP, "    #region Kept's\n", "", 13),
        ("Box.cs", SHARP, "#nullable", "#nulable", 1),
    ],
)
def test_what_pairs_up_no_longer_is_told(
    path: str, text: str, old: str, new: str, line: int
) -> None:
    assert old in text
    after = text.replace(old, new)
    assert told(path, text, after) == [line]
    assert told(path, None, after) == [line]
    assert not told(path, after, after + "\n")  # it was so before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("box.h", C),
        ("box.cpp", C + "auto raw = R\"x(\n#endif\n)x\"; int big = 1'000'000; /* it's */\n"),
        ("box.cpp", C + '#include HEADER\n#import <x/y.h>\n#pragma once\n# 3 "x"\n#\n'),
        ("box.c", C + "#version 330\n"),
        ("Box.cs", SHARP),
        ("Box.cs", "#!/usr/bin/env dotnet\n#:package A@1.0\n" + SHARP),
        ("box.c", C.replace("\n", "\r\n")),
    ],
)
def test_sound_directives_stay_quiet(path: str, text: str) -> None:
    assert not told(path, None, text)
    assert not told(path, text, text + "// more\n")


def test_a_file_broken_on_purpose_is_left_alone() -> None:
    assert not told("tests/fixtures/open.c", None, "#if A\n")
