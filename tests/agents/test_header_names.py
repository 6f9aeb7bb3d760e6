"""Names that a header of C gave to the files which include it."""

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

HEADER = "#ifndef A_H\n#define A_H\n#define REPORT 180\n#ifndef QUICK\n#define QUICK 1\n#endif\nenum kind { KIND_A, KIND_B };\n#endif\n"
FILES = {
    "src/a.h": HEADER,
    "src/a.c": '#include "a.h"\n\nint a(void)\n{\n    return REPORT + KIND_B + QUICK;\n}\n',
}
TWO = {"src/a.c": '#include "b.h"\n' + FILES["src/a.c"]}


def _told(old: str, new: str, more: dict[str, str] | None = None) -> list[str]:
    files = FILES | (more or {})
    assert old in HEADER
    change = ChangedCode(
        {"src/a.h": HEADER},
        {"src/a.h": HEADER.replace(old, new)},
        lambda name: files.get(name, ""),
        lambda word: [name for name, held in files.items() if word in held],
        files=lambda: files,
    )
    return [f"{each.path}:{each.line} {each.message}" for each in lost_names(change)]


@pytest.mark.parametrize("name", ["REPORT", "KIND_B"])
def test_a_constant_that_a_header_renames_is_told_where_it_is_used(name):
    (told,) = _told(name, "OTHER")
    assert told.startswith(f"src/a.c:5 `{name}`")


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("REPORT", "OTHER", {"src/b.h": "#define REPORT 2\n", **TWO}),
        ("REPORT", "OTHER", {"lib/b.h": "enum { REPORT = 1 };\n", **TWO}),
        ("REPORT", "OTHER", {"src/b.c": "#ifdef REPORT\n#endif\n"}),
        ("REPORT", "OTHER", {"src/a.c": "int a(void)\n{\n    return REPORT;\n}\n"}),
        ("#define REPORT 180\n", '#include "more.h"\n', {}),
        ("#ifndef QUICK\n#define QUICK 1\n#endif\n", "", {}),
    ],
)
def test_what_another_file_or_a_build_may_give_is_left_alone(old, new, more):
    assert _told(old, new, more) == []


PARTS = {
    "a.cc": "namespace n {\nint helper(int a) { return a; }\nint use() { return helper(1); }\n}\n",
    "a.h": "int helper(int a);\nint other(void);\n",
    "b.c": '#include "a.h"\nint use(void)\n{\n    return helper(1);\n}\n',
}


@pytest.mark.parametrize(
    ("path", "line", "part"),
    [
        ("a.cc", "int helper(int a) { return a; }\n", "a.inc"),
        ("a.cc", "int helper(int a) { return a; }\n", "a.ipp"),
        ("a.h", "int helper(int a);\n", "a.inc"),
    ],
)
def test_a_name_that_moves_into_a_part_which_is_included_is_there(path, line, part):
    def told(after: dict[str, str]) -> list[str]:
        old = {path: PARTS[path]}
        change = ChangedCode(
            old,
            after,
            lambda name: PARTS.get(name, ""),
            lambda word: [name for name, held in PARTS.items() if word in held],
            files=lambda: {*PARTS, *after},
        )
        return [each.message for each in lost_names(change)]

    assert told({path: PARTS[path].replace(line, f'#include "{part}"\n'), part: line}) == []
    assert "`helper`" in told({path: PARTS[path].replace(line, ""), part: "int other;\n"})[0]


def test_a_type_in_capitals_declares_in_a_file_that_its_grammar_does_not_take():
    text = "static PURE_FUNCTION int\ng (int a)\n{\n    return a;\n}\n"
    more = "int f(void)\n{\n    SYSTEM_INFO told;\n    return ask(&told) + told.size;\n}\n"
    change = ChangedCode({"a.c": text}, {"a.c": text + more}, lambda name: "", lambda word: [])
    assert [each.message for each in lost_names(change)] == []


def test_a_function_that_a_file_keeps_for_itself_from_now_on_is_there():
    text = "void hide(int a)\n{\n}\nvoid show(void)\n{\n    hide(1);\n}\n"
    after = f"static {text}void more(void)\n{{\n}}\n"
    change = ChangedCode({"a.c": text}, {"a.c": after}, lambda name: "", lambda word: [])
    assert list(lost_names(change)) == []
