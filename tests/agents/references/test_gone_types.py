"""Types and declarations that go with their file while others use them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from guildmoot.agents.references.compare import BrokenReference, ChangedTree, merged
from guildmoot.agents.references.tree import BothTrees, Tree
from guildmoot.agents.references.types import gone_types


def broken(before: dict[str, str], changes: dict[str, str | None]) -> list[BrokenReference]:
    """What goes with the files that a change deletes."""
    gone = [path for path, text in changes.items() if text is None]
    changed = {path: text for path, text in changes.items() if text is not None}
    after = {path: text for path, text in {**before, **changed}.items() if path not in gone}

    def users(words: Iterable[str]) -> list[str]:
        return [
            path for path, text in before.items() if re.search(rf"\b{next(iter(words))}\b", text)
        ]

    where = BothTrees(Tree(before), Tree(after), lambda path: after.get(path, ""))
    tree = ChangedTree(where, before, changed, {}, frozenset(changes), users)
    return list(gone_types(tree, gone))


JAVA = "package a.b;\n\npublic final class Gone {\n    static class Inner {}\n}\n"
KOTLIN = "package a.b\n\ninternal class Gone(val x: Int)\n\nfun helper(x: Int) = x\n"
SHARP = "namespace A.B;\n\npublic static class Gone\n{\n}\n"
PHP = "<?php\n\nnamespace A\\B;\n\nfinal class Gone\n{\n}\n"
USERS = {
    "java in its package": ("Gone.java", JAVA, "U.java", "package a.b;\nclass U {\n    Object o = Gone.of(1);\n}\n", 3),
    "java by import": ("Gone.java", JAVA, "U.java", "package c;\nimport a.b.Gone;\nclass U {}\n", 2),
    "java by star": ("Gone.java", JAVA, "U.java", "package c;\nimport a.b.*;\nclass U extends Gone {}\n", 3),
    "kotlin from java": ("Gone.java", JAVA, "U.kt", "package a.b\nval x: Gone? = null\n", 2),
    "kotlin": ("Gone.kt", KOTLIN, "U.kt", "package c\nimport a.b.Gone\nval x = Gone(1)\n", 2),
    "kotlin function": ("Gone.kt", KOTLIN, "U.kt", "package c\nimport a.b.helper\nval x = helper(1)\n", 2),
    "c# in a space below": ("G.cs", SHARP, "U.cs", "namespace A.B.C;\nclass U { int x = Gone.Of(); }\n", 2),
    "c# by using": ("G.cs", SHARP, "U.cs", "using A.B;\nclass U { Gone x; }\n", 2),
    "php in its space": ("G.php", PHP, "U.php", "<?php\nnamespace A\\B;\nnew Gone();\n", 3),
    "php by use": ("G.php", PHP, "U.php", "<?php\nnamespace C;\nuse A\\B\\Gone;\nfunction f(Gone $x) {}\n", 3),
}  # fmt: skip


@pytest.mark.parametrize("case", USERS)
def test_what_went_with_its_file_blocks_where_it_is_used(case: str) -> None:
    path, text, user, uses, line = USERS[case]
    found = broken({path: text, user: uses}, {path: None})
    assert [(each.path, each.line, each.grave) for each in found] == [(user, line, True)]
    moved = f"other/{path}"
    assert broken({path: text, user: uses}, {path: None, moved: text}) == []
    assert broken({path: text, user: uses}, {path: None, user: ""}) == []


@pytest.mark.parametrize(
    ("path", "text", "user", "uses"),
    [
        ("Gone.java", JAVA, "U.java", "package c;\nclass U { Gone x; }\n"),
        ("Gone.java", JAVA, "U.java", "package a.b;\nimport lib.Gone;\nclass U { Gone x; }\n"),
        ("Gone.java", JAVA, "U.java", "package a.b;\n// Gone\nclass U { String s = \"Gone\"; }\n"),
        ("Gone.java", JAVA, "U.java", "package a.b;\nclass U { static class Gone {} Gone x; }\n"),
        ("G.cs", SHARP, "U.cs", "namespace C;\nclass U { Gone x; }\n"),
        ("G.cs", SHARP, "U.cs", "namespace A.B;\npublic static partial class Gone {}\n"),
        ("G.php", PHP, "U.php", "<?php\nnamespace C;\nuse D\\Gone;\nnew Gone();\n"),
    ],
)  # fmt: skip
def test_another_of_the_name_is_left_alone(path: str, text: str, user: str, uses: str) -> None:
    assert broken({path: text, user: uses}, {path: None}) == []


def test_what_many_use_is_told_once() -> None:
    many = {f"U{at}.java": f"package a.b;\nclass U{at} {{ Gone x; }}\n" for at in range(6)}
    [only] = merged(broken({"Gone.java": JAVA, **many}, {"Gone.java": None}))
    assert (only.path, only.line) == ("U0.java", 2)
    assert only.message.endswith("; so do U1.java:2, U2.java:2, U3.java:2 and 2 more")


INSIDE = "namespace A.B.C;\nclass U { int x = Gone.Of(); }\n"


@pytest.mark.parametrize(
    ("user", "more", "grave"),
    [
        (f"using System.Threading;\n{INSIDE}", {}, False),
        (f"using Far.Away;\n{INSIDE}", {}, False),
        (INSIDE, {"a.csproj": "<ImplicitUsings>enable</ImplicitUsings>"}, False),
        (INSIDE, {"All.cs": "global using Far.Away;\n"}, False),
        (f"using A.D;\n{INSIDE}", {"D.cs": "namespace A.D;\nclass D {}\n"}, True),
        # who took both has seen no other of that name
        (f"using Far.Away;\n{INSIDE}", {"V.cs": "using A.B;\nusing Far.Away;\nclass V { Gone x; }\n"}, True),
        ("using A.B;\nusing System;\nclass U { Gone x; }\n", {}, True),
    ],
)  # fmt: skip
def test_a_type_of_csharp_that_a_namespace_from_afar_may_have_is_advice(
    user: str, more: dict[str, str], grave: bool
) -> None:
    found = broken({"G.cs": SHARP, "U.cs": user, **more}, {"G.cs": None})
    assert [each.grave for each in found if each.path == "U.cs"] == [grave]
