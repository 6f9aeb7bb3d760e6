"""Names that a new file uses and that nobody can give to it."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "one.h": "#pragma once\nint known(int x);\nextern int shared_count;\n",
    "one.kt": "package p\n\nopen class One { val held = 1 }\n\nfun known(x: Int) = x\n",
    "One.cs": "namespace P;\n\npublic class One { protected int Held() { return 1; } }\n",
    "one.rb": "module One\n  def self.known(x)\n    x\n  end\nend\n",
    "one.ts": "export const known = 1;\ndeclare const ambientOne: number;\n",
}
NEW = {
    "two.ts": "import { known } from './one';\n\nexport const two = (x: number) => known + VALUE;\n",
    "two.js": "const known = require('./one');\n\nmodule.exports = (x) => known + VALUE;\n",
    "two.kt": "package p\n\nclass Two : One() {\n  fun go(x: Int): Int = known(VALUE)\n}\n",
    "Two.cs": "namespace P;\n\npublic class Two : One\n{\n    public int Go(int x) { return x + VALUE; }\n}\n",
    "two.c": '#include "one.h"\n\nint two(int x)\n{\n\treturn known(VALUE);\n}\n',
    "two.cpp": '#include "one.h"\n#include <vector>\n\nint two(int x) {\n  return known(VALUE);\n}\n',
    "two.rb": "class Two\n  def go(x)\n    One.known(VALUE)\n  end\nend\n",
    "two.php": "<?php\nclass Two\n{\n    public function go($x)\n    {\n        return VALUE;\n    }\n}\n",
}


def told(path: str, value: str, old: str = "", new: str = "") -> list[str]:
    text = (
        NEW[path].replace(old, new).replace("VALUE", value)
        if old
        else NEW[path].replace("VALUE", value)
    )
    change = ChangedCode(
        {},
        {path: text},
        lambda other: BASE.get(other, ""),
        lambda word: [other for other, said in BASE.items() if word in said],
    )
    found = (each for each in lost_names(change) if each.code == "undefined-name")
    return [each.message.split("`")[1] for each in found]


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("two.ts", "missingOne", "missingOne"),
        ("two.ts", "new MissingOne(x).n", "MissingOne"),
        ("two.js", "missingOne(x)", "missingOne"),
        ("two.kt", "missingOne", "missingOne"),
        ("two.kt", "missingOne(x)", "missingOne"),
        ("Two.cs", "missingOne", "missingOne"),
        ("Two.cs", "MissingOne(x)", "MissingOne"),
        ("Two.cs", "Math.Max(x, missingOne)", "missingOne"),
        ("two.c", "missing_one", "missing_one"),
        ("two.c", "missing_one(x)", "missing_one"),
        ("two.cpp", "missing_one", "missing_one"),
        ("two.rb", "missing_one", "missing_one"),
        ("two.rb", "missing_one(x)", "missing_one"),
        ("two.php", "$missingOne", "$missingOne"),
    ],
)
def test_a_name_of_nobody_is_told(path: str, value: str, name: str) -> None:
    assert told(path, value) == [name]


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        ("two.ts", "x + window.a", "", ""),
        ("two.ts", "ambientOne", "", ""),
        ("two.kt", "held", "", ""),
        ("two.kt", "missingOne", "One()", "Far()"),  # what is above it may have it
        ("two.kt", "missingOne", "package p\n", "package p\n\nimport far.*\n"),
        ("two.kt", "x.run { missingOne }", "", ""),
        ("two.kt", "if (this is Far) missingOne else 1", "", ""),
        ("Two.cs", "Held()", "", ""),
        ("Two.cs", "MissingOne(x)", ": One", ": Far"),
        ("Two.cs", "MissingOne(x)", "namespace P;", "using static Far.Away;\nnamespace P;"),
        ("two.c", "shared_count", "", ""),
        ("two.c", "missing_one", '"one.h"', '"far.h"'),
        ("two.c", "missing_one(x)", '"one.h"', "<stdio.h>"),  # no list of it is whole
        ("two.cpp", "missing_one", "<vector>", "<far/away.hpp>"),
        ("two.cpp", "missing_one", "<vector>", "<away>"),  # none of the language
        ("two.cpp", "missing_one<int>(x)", "", ""),  # as a call of it
        ("two.cpp", "std::missing_one<int>(x)", "", ""),
        ("two.cpp", "far::missing_one<int>", "", ""),
        ("two.cpp", "later<int>(x)", "int two", "template <class T> T later(int x);\nint two"),
        ("two.cpp", "later", "int two", "namespace n { template <class T> T later = 1; }\nint two"),
        ("two.cpp", "later", "int two", "namespace n { int later = 1; }\nint two"),
        ("two.rb", "missing_one", "class Two", "class Two < Far"),
        ("two.rb", "x.missing_one", "", ""),
        ("two.php", "$x", "", ""),
        ("two.php", "$missingOne ?? 1", "", ""),
    ],
)
def test_what_something_unseen_may_give_is_not_told(
    path: str, value: str, old: str, new: str
) -> None:
    assert told(path, value, old, new) == []


@pytest.mark.parametrize(
    ("owner", "body", "names"),
    [
        ("P.Shared", "Known() + MissingOne(x)", ["MissingOne"]),
        ("P.Shared", "Known()", []),
        ("Far.Shared", "MissingOne(x)", []),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        *("global using static {};", "global using static global::{};"),
        *(
            '<Using Include="{}" Static="true" />',
            '<Using Include="{}"><Static>true</Static></Using>',
        ),
    ],
)
def test_static_members_that_all_files_take_are_looked_up(
    monkeypatch: pytest.MonkeyPatch, form: str, owner: str, body: str, names: list[str]
) -> None:
    path = "All.cs" if form.startswith("global") else "All.props"
    shared = "namespace P;\n\npublic static class Shared { public static int Known() => 1; }\n"
    monkeypatch.setitem(BASE, path, form.format(owner) + "\n")
    monkeypatch.setitem(BASE, "Shared.cs", shared)
    assert told("Two.cs", body) == names
