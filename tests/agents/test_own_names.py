"""What a file's own texts say of its names: imports beside a glob, exports, methods, functions, locals."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

RUST = (
    "use std::collections::BTreeMap;\nuse serde::Serialize;\nuse std::io::prelude::*;\nuse helper::shout;\n\n"
    "#[derive(Serialize)]\npub struct Shop { rows: BTreeMap<u8, u8> }\npub fn f() { shout!(1) }\n"
)
SCRIPT = "import one from './one'\nimport two from './two'\n\nexport { one, two as second }\n"
JAVA = "class Till {\n    int sum(int a) {\n        return twice(a);\n    }\n    private int twice(int a) {\n        return a * 2;\n    }\n}\n"
SHELL = "#!/bin/bash\nshow_state() {\n  echo state\n}\nmain() {\n  show_state\n}\nmain\n"
GO = "package p\n\nfunc Sum(rows []int) int {\n\ttotal := 0\n\tfor _, row := range rows {\n\t\ttotal += row\n\t}\n\treturn total\n}\n"
PHP = "<?php\nfunction f(array $rows) {\n    foreach ($rows as $row) {\n        echo strlen($row);\n    }\n}\n"
C = '#include <stddef.h>\n#include "own.h"\nsize_t f(size_t amount)\n{\n\twhile (amount)\n\t\tamount--;\n\treturn amount;\n}\n'
BASE = {
    "src/a.rs": RUST,
    "a.ts": SCRIPT,
    "Till.java": JAVA,
    "a.sh": SHELL,
    "p/a.go": GO,
    "a.php": PHP,
    "c/a.c": C,
    "c/own.h": "#include <stdio.h>\nextern int shared;\n",
    "far.h": "#include <vendor/odd.h>\n",
}


def told(path: str, old: str, new: str, **more: str) -> list[str]:
    """What is told of one replacement in the base; ``more`` files come with the change."""
    assert old in BASE[path]
    after = {path: BASE[path].replace(old, new), **more}
    before = {name: BASE[name] for name in after if name in BASE}

    def users(word: str) -> list[str]:
        return [name for name, text in BASE.items() if word in text]

    def text(name: str) -> str:
        return BASE.get(name, "")

    return [each.message for each in lost_names(ChangedCode(before, after, text, users))]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("src/a.rs", "use std::collections::BTreeMap;\n", "", "`BTreeMap`"),
        ("src/a.rs", "use serde::Serialize;\n", "", "`Serialize`"),
        ("src/a.rs", "use helper::shout;\n", "", "`shout`"),
        ("a.ts", "import two from './two'\n", "", "`two`"),
        ("Till.java", "private int twice", "private int doubled", "`twice`"),
        ("Till.java", "return twice", "return thrice", "`thrice`"),
        ("a.sh", "show_state() {", "print_state() {", "`show_state`"),
        ("a.sh", "  show_state\n", "  show_stat\n", "`show_stat`"),
        ("p/a.go", "total := 0\n", "total := 0\n\tspare := 1\n", "`spare`"),
        ("p/a.go", "total := 0\n", "total := 0\n\tvar spare int\n\tspare = 2\n", "`spare`"),
        ("a.php", "as $row)", "as $line)", "`$row`"),
        ("c/a.c", "while (amount)", "while (remaining)", "`remaining`"),
    ],
)
def test_a_name_that_its_file_no_longer_gives_is_told(path, old, new, name):
    assert any(name in message for message in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("src/a.rs", "use std::collections::BTreeMap;", "use std::collections::{self, BTreeMap};", {}),
        ("src/a.rs", "use std::collections::BTreeMap;", "use std::collections::*;", {}),
        ("src/a.rs", "use serde::Serialize;", "use serde::prelude::*;", {}),
        ("src/a.rs", "use helper::shout;", "#[macro_use]\nextern crate helper;", {}),
        ("src/a.rs", "use helper::shout;\n", "macro_rules! shout { () => {} }\n", {}),
        ("a.ts", "import two from './two'", "const two = 2", {}),
        ("a.ts", "import two from './two'\n\nexport { one, two as second }", "export { one }", {}),
        ("a.ts", "import two from './two'\n\nexport { one, two as second }", "export { two } from './two'", {}),
        ("Till.java", "class Till {", "class Till extends Base {", {"Base.java": "class Base { int twice(int a) { return 2; } }\n"}),
        ("Till.java", "return twice(a)", "return a + hashCode()", {}),
        ("Till.java", "class Till {", "class Till extends Thread {", {}),
        ("a.sh", "show_state", "print_state", {}),
        ("a.sh", "show_state() {\n  echo state\n}\n", ". ./lib.sh\n", {"lib.sh": "show_state() {\n  :\n}\n"}),
        ("a.sh", "  show_state\n", "  git-lfs pull\n", {}),
        ("p/a.go", "total := 0\n", "total := 0\n\tspare := 1\n\t_ = spare\n", {}),
        ("p/a.go", "total := 0\n", "total := 0\n\tadd := func() { total++ }\n\tadd()\n", {}),
        ("a.php", "as $row)", "as $key => $row)", {}),
        ("a.php", "foreach ($rows as $row) {\n        echo strlen($row);\n    }", "fill($rows, $found);\n    echo strlen($found);", {"b.php": "<?php\nfunction fill($rows, &$found) {}"}),
        ("c/a.c", "while (amount)", "while (amount && errno)", {}),
        ("c/a.c", "while (amount)", "while (amount + shared)", {}),
        ("c/a.c", "\treturn amount;\n}\n", "\treturn amount;\n}\nsize_t g(void)\n{\n\treturn amount(NULL);\n}\n", {}),
        ("src/a.rs", "{ shout!(1) }", "{ shout!(1); assert!(matches!(g(), Some(rows) if rows == 2)); }", {}),
        ("c/a.c", '#include "own.h"\nsize_t f(size_t amount)\n{', '#include "../far.h"\nsize_t f(size_t amount)\n{\n\tamount += odd_count;', {}),
    ],
)  # fmt: skip
def test_what_is_given_in_another_way_is_not_told(path, old, new, more):
    assert told(path, old, new, **more) == []
