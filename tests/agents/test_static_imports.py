"""Members of Java that files import by their name, or all of a type at once, and constants of inner types."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.typed.losses import missing_members
from guildmoot.agents.parsing.changed_code import ChangedCode

BASE = {
    "src/a/util/Elf.java": "package a.util;\npublic final class Elf extends Base {\n"
    "  public static final int MOST = 1;\n  public static String mask(String url) { return url; }\n"
    "  public static String other(String url) { return url; }\n}\n",
    "src/a/util/Base.java": "package a.util;\nclass Base { public static void ground() {} }\n",
    "src/a/util/Open.java": "package a.util;\npublic class Open extends vendor.Widget { public static void open() {} }\n",
    "src/a/util/Made.java": "package a.util;\nimport lombok.Data;\n@Data public class Made { static void made() {} }\n",
    "src/a/util/Bag.java": "package a.util;\npublic class Bag {\n"
    "  public interface Entry { int HELD = 2; int USED = 1; int state(); }\n"
    "  enum Kind { ONE, TWO }\n"
    "  boolean held(Entry entry) { return entry.state() == Entry.HELD && Kind.ONE != Kind.valueOf(null); }\n}\n",
    "src/a/Source.java": "package a;\nimport static a.util.Elf.mask;\nimport static a.util.Elf.MOST;\n"
    "import static a.util.Bag.Entry.USED;\nimport static java.util.Map.entry;\n"
    "class Source { String show(String url) { return mask(url) + MOST + USED; } }\n",
    "src/a/Wild.java": "package a;\nimport static a.util.Elf.*;\n"
    "class Wild {\n  String show(String url) { return other(url); }\n}\n",
    "src/a/Wide.java": "package a;\nimport static a.util.Elf.*;\nimport static vendor.All.*;\n"
    "class Wide { String show(String url) { return other(url); } }\n",
    "src/a/Sub.java": "package a;\nimport static a.util.Elf.*;\n"
    "class Sub extends vendor.Widget { String show(String url) { return other(url); } }\n",
}


def told(*edits: tuple[str, str, str]) -> list[str]:
    after = {path: BASE[path].replace(old, new) for path, old, new in edits}
    assert all(BASE[path] != text for path, text in after.items())
    change = ChangedCode(
        {path: BASE[path] for path in after},
        after,
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    return [f"{each.path}:{each.line} {each.name}" for each in missing_members(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/a/util/Elf.java", " mask(", " cover(", "src/a/Source.java:2 mask"),
        ("src/a/util/Elf.java", " MOST ", " LEAST ", "src/a/Source.java:3 MOST"),
        ("src/a/util/Bag.java", "int USED", "int KEPT", "src/a/Source.java:4 USED"),
        ("src/a/Source.java", "Elf.mask", "Elf.cover", "src/a/Source.java:2 cover"),
        ("src/a/util/Elf.java", " other(", " another(", "src/a/Wild.java:4 other()"),
        ("src/a/util/Bag.java", "int HELD", "int KEPT", "src/a/util/Bag.java:5 HELD"),
        ("src/a/util/Bag.java", "{ ONE", "{ NONE", "src/a/util/Bag.java:5 ONE"),
        ("src/a/util/Bag.java", "Kind.ONE", "Kind.THREE", "src/a/util/Bag.java:5 THREE"),
    ],
)
def test_what_is_imported_from_a_type_that_does_not_have_it_is_told(
    path: str, old: str, new: str, expected: str
) -> None:
    assert told((path, old, new)) == [expected]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/a/Source.java", "Elf.mask", "Elf.ground"),
        ("src/a/Source.java", "Elf.mask", "Open.whatever"),
        ("src/a/Source.java", "Elf.mask", "Made.whatever"),
        ("src/a/Source.java", "Map.entry", "Map.whatever"),
        ("src/a/Source.java", "Elf.mask", "Bag.Entry"),
        ("src/a/Source.java", "Elf.mask", "Bag.Kind.TWO"),
        ("src/a/Source.java", "static a.util.Elf.mask", "a.util.Elf"),
        ("src/a/util/Elf.java", " mask(String url) { return url; }", " mask = null;"),
        ("src/a/util/Elf.java", "String mask(String url)", "String mask(String url, int more)"),
        ("src/a/util/Bag.java", "Kind.ONE", "Kind.TWO"),
    ],
)
def test_what_a_type_has_or_may_have_can_be_imported(path: str, old: str, new: str) -> None:
    assert told((path, old, new)) == []


LOST = ("src/a/util/Elf.java", " other(", " another(")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("other(url)", "another(url)"),
        ("class Wild {", "class Wild {\n  static String other(String url) { return url; }"),
        ("class Wild {", "class Wild extends vendor.Widget {"),
        ("import static", "import static vendor.All.other;\nimport static"),
        ("import static", "import static vendor.All.*;\nimport static"),
        ("other(url)", "url.other(url)"),
    ],
)
def test_a_call_that_something_else_may_answer_is_not_told(old: str, new: str) -> None:
    assert told(LOST, ("src/a/Wild.java", old, new)) == []


def test_a_method_that_moves_to_the_type_above_is_still_imported() -> None:
    moved = ("src/a/util/Base.java", "{ public", "{ static void other(String url) {} public")
    assert told(LOST, moved) == []
