"""Files that a change deletes, moves or misspells while others still name them, language by language."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from guildmoot.agents.references.compare import BrokenReference, ChangedTree, broken_references
from guildmoot.agents.references.python import python_references
from guildmoot.agents.references.scripts import SCRIPTS, script_references
from guildmoot.agents.references.texts import finder_of
from guildmoot.agents.references.tree import BothTrees, Finder, Tree


def finder(path: str) -> Finder | None:
    """As the two tools together do."""
    if path.endswith(SCRIPTS):
        return script_references
    return python_references if path.endswith(".py") else finder_of(path)


def broken(
    before: dict[str, str], changes: dict[str, str | None], moved: dict[str, str] | None = None
) -> list[BrokenReference]:
    """What a change breaks; None is a file that it deletes."""
    after = {**before, **{path: text for path, text in changes.items() if text is not None}}
    gone = [path for path, text in changes.items() if text is None]
    for path in gone:
        del after[path]
    changed = {path: text for path, text in changes.items() if text is not None}

    def users(words: Iterable[str]) -> list[str]:
        found = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words) or "(?!)")
        return [path for path, text in before.items() if found.search(text)]

    tree = ChangedTree(
        BothTrees(Tree(before), Tree(after), lambda path: after.get(path, "")),
        before,
        changed,
        moved or {},
        frozenset(changes),
        users,
    )
    return list(broken_references(tree, gone, finder))


def places(found: Iterable[BrokenReference]) -> list[str]:
    return [
        f"{each.path}:{each.line} {each.code}{'' if each.grave else ' (advice)'}" for each in found
    ]


PACKAGE = {"pkg/__init__.py": "", "pkg/b.py": "def f(): ...\n", "go.mod": "module ex.org/m\n"}
PACKAGE |= {"README.md": "# b\n"}
GONE = {
    "python": ("pkg/a.py", "import os\nfrom pkg.b import f\n", "pkg/b.py"),
    "python relative": ("pkg/a.py", "from .b import f\n", "pkg/b.py"),
    "python part": ("pkg/a.py", "from pkg import b\n", "pkg/b.py"),
    "python inside a function": ("pkg/a.py", "def g():\n    import pkg.b\n", "pkg/b.py"),
    "typescript": ("src/a.ts", "import { x } from './b.ts'\n", "src/b.ts"),
    "typescript without ending": ("src/a.ts", "import { x } from './b'\n", "src/b.tsx"),
    "typescript under its compiled name": ("src/a.ts", "export * from './b.js'\n", "src/b.ts"),
    "javascript index": ("src/a.js", "const b = require('./b')\n", "src/b/index.js"),
    "go package": ("a/a.go", 'package a\n\nimport (\n\t"os"\n\t"ex.org/m/b"\n)\n', "b/b.go"),
    "go alone": ("a/a.go", 'package a\n\nimport "ex.org/m/b"\n', "b/b.go"),
    "rust": ("src/lib.rs", "pub mod b;\n", "src/b.rs"),
    "rust folder": ("src/x.rs", "mod b;\n", "src/x/b/mod.rs"),
    "ruby": ("lib/a.rb", "require_relative 'b/c'\n", "lib/b/c.rb"),
    "ruby by its library": ("spec/a.rb", 'require "b/c"\n', "lib/b/c.rb"),
    "c": ("src/a.c", '#include <stdio.h>\n#include "b.h"\n', "src/b.h"),
    "c elsewhere": ("src/a.c", '#include "x/b.h"\n', "include/x/b.h"),
    "php": ("a.php", "<?php\nrequire __DIR__ . '/inc/b.php';\n", "inc/b.php"),
    "terraform": ("main.tf", 'module "x" {\n  source = "./b"\n}\n', "b/main.tf"),
    "image": ("docker/Dockerfile", "FROM a\nCOPY b.sh /b.sh\n", "b.sh"),
    "workflow": (".github/workflows/a.yml", "      - uses: ./.github/b\n", ".github/b/action.yml"),
}  # fmt: skip


@pytest.mark.parametrize("case", GONE)
def test_what_is_deleted_while_others_name_it_blocks(case: str) -> None:
    path, text, target = GONE[case]
    before = {**PACKAGE, path: text, target: "x\n"}
    found = broken(before, {target: None})
    assert [(each.path, each.code, each.grave) for each in found] == [(path, "file-gone", True)]
    assert found[0].line == next(
        at for at, line in enumerate(text.split("\n"), 1) if re.search(r"\bb\b", line)
    )
    assert broken(before, {target: None, path: "\n"}) == []
    assert broken(before, {"README.md": None}) == []


@pytest.mark.parametrize("case", [case for case in GONE if case != "python part"])
def test_a_misspelt_name_of_a_file_blocks(case: str) -> None:
    path, text, target = (re.sub(r"\bb\b", "basics", part) for part in GONE[case])
    wrong = text.replace("basics", "basiks")
    found = broken({**PACKAGE, path: text, target: "x\n"}, {path: wrong})
    assert [(each.path, each.code, each.grave) for each in found] == [(path, "names-no-file", True)]


HARMLESS: dict[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "a module becomes a package": (
        {"pkg/a.py": "from pkg.b import f\n"},
        {"pkg/b.py": None, "pkg/b/__init__.py": "f = 1\n"},
    ),
    "the package gives the name itself": (
        {"pkg/a.py": "from pkg import b\n"},
        {"pkg/b.py": None, "pkg/__init__.py": "b = 1\n"},
    ),
    "a module moves and its importers follow": (
        {"pkg/a.py": "from pkg.b import f\n"},
        {"pkg/b.py": None, "pkg/c.py": "f = 1\n", "pkg/a.py": "from pkg.c import f\n"},
    ),
    "a module of Python in a package of its name": (
        {"pkg/email/__init__.py": "", "pkg/yaml/__init__.py": ""},
        {"pkg/email/a.py": "import email.message\n", "pkg/yaml/a.py": "import yaml.nodes\n"},
    ),
    "a guarded import": ({}, {"pkg/a.py": "try:\n    import pkg.speed\nexcept ImportError:\n    pass\n"}),
    "a compiled module": ({"src/speed.c": "int x;\n"}, {"pkg/a.py": "from pkg._speed import f\nfrom pkg.v_pb2 import M\n"}),
    "another project's module": ({}, {"pkg/a.py": "import numpy.linalg\nfrom yaml import x\n"}),
    "a namespace package": ({"ns/x.py": ""}, {"pkg/a.py": "import ns.other\n"}),
    "a package that grows at run time": (
        {"ext/__init__.py": "__path__ = []\n"}, {"pkg/a.py": "import ext.other\n"},
    ),
    "a path that is set at run time": ({}, {"pkg/a.py": "import sys\nsys.path.append('x')\nimport pkg.z\n"}),
    "types rise to another ending": ({"a.ts": "import './b'\n", "b.js": ""}, {"b.js": None, "b.ts": ""}),
    "a build's folder": ({}, {"a.ts": "import x from '../dist/x.js'\nimport y from './generated/y'\n"}),
    "a build's folder in place of a source": (
        {"t/a.ts": "import x from '..'\n", "index.ts": ""}, {"t/a.ts": "import x from '../lib'\n"},
    ),
    "an alias": ({}, {"a.ts": "import x from '@/x'\nimport y from '~/y'\nimport z from 'z'\n"}),
    "a made type": ({}, {"a.ts": "import type { P } from './$types'\n"}),
    "a guarded require": ({}, {"a.js": "try {\n  require('./x')\n} catch {}\n"}),
    "an import in a comment": ({}, {"a.js": "// import x from './x'\nconst s = `import './y'`\n"}),
    "a test's fixture": ({}, {"tests/fixtures/a.js": "import './missing'\n"}),
    "a header of a library": ({}, {"a.c": '#include "gtest/gtest.h"\n#include "SDL.h"\n'}),
    "a header that a build writes": ({"a.c": '#include "config.h"\n', "config.h": ""}, {"config.h": None, "config.h.in": ""}),
    "a go file of several": ({"a/a.go": 'package a\nimport "ex.org/m/b"\n', "b/b.go": "", "b/c.go": ""}, {"b/c.go": None}),
    "another module below": ({"b/go.mod": "module x\n"}, {"a/a.go": 'package a\nimport "ex.org/m/b/c"\n'}),
    "rust by a path": ({}, {"src/lib.rs": '#[path = "x/y.rs"]\nmod z;\n'}),
    "rust for one system": ({}, {"src/lib.rs": '#[cfg(feature = "gen")]\nmod gen;\n'}),
    "a gem of others": ({}, {"lib/a.rb": 'require "rspec/support"\nrequire "json"\n'}),
    "a file that is called as a library": (
        {"lib/shop/json.rb": "", "lib/a.rb": 'require "json"\n'}, {"lib/shop/json.rb": None},
    ),
    "a stage of an image": ({}, {"Dockerfile": "COPY --from=build /x /x\nCOPY dist/ /x\nCOPY *.txt /x\n"}),
    "a module of the registry": ({}, {"a.tf": 'module "x" {\n  source = "a/b/c"\n}\n'}),
    "an action of others": ({}, {".github/workflows/a.yml": "- uses: actions/checkout@v4\n"}),
}  # fmt: skip


@pytest.mark.parametrize("case", HARMLESS)
def test_what_may_be_there_is_left_alone(case: str) -> None:
    before, changes = HARMLESS[case]
    assert places(broken({**PACKAGE, **before}, changes)) == []


def test_a_file_that_moves_takes_its_own_relative_imports_along() -> None:
    before = {"src/a.ts": "import './b'\nimport '../c'\n", "src/b.ts": "", "c.ts": ""}
    found = broken(
        before, {"src/a.ts": None, "src/x/a.ts": before["src/a.ts"]}, {"src/x/a.ts": "src/a.ts"}
    )
    assert places(found) == ["src/x/a.ts:1 file-gone", "src/x/a.ts:2 file-gone"]


def test_what_is_guarded_or_an_example_is_advice() -> None:
    before = {**PACKAGE, "pkg/a.py": "if X:\n    import pkg.b\n", "examples/e.py": "import pkg.b\n"}
    assert places(broken(before, {"pkg/b.py": None})) == [
        "pkg/a.py:2 file-gone (advice)", "examples/e.py:1 file-gone (advice)",
    ]  # fmt: skip


def test_a_package_that_goes_as_a_whole_may_be_installed_from_now_on() -> None:
    before = {"copied/__init__.py": "", "copied/x.py": "", "a.py": "import copied.x\n"}
    gone: dict[str, str | None] = {path: None for path in before if path != "a.py"}
    assert places(broken(before, gone)) == ["a.py:1 file-gone (advice)"]


def test_what_was_missing_before_is_not_told() -> None:
    text = "import './never'\n"
    assert broken({"a.ts": text}, {"a.ts": text + "f()\n"}) == []


@pytest.mark.parametrize(
    ("target", "held"),
    [
        ("a/b.ts", True), ("a/b.*", True), ("a/", True), ("a/*.ts", True), ("**/b.ts", True), ("../x", True),
        ("link/x/y", True), ("a/c.ts", False), ("b.*", False), ("b/", False), ("a/*.go", False), ("**/a.ts", False),
    ],
)  # fmt: skip
def test_a_tree_tells_what_it_holds_or_cannot_know(target: str, held: bool) -> None:
    assert Tree(["a/b.ts", "link"], opaque=["link"]).holds(target) is held


JAVA = "src/main/java/com/shop/"
PROJECT = {
    f"{JAVA}till/Till.java": "package com.shop.till;\n\npublic class Till {}\n",
    f"{JAVA}Web.java": "package com.shop;\n",
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Till/Row.php": "<?php\nnamespace Shop\\Till;\n",
    "Cargo.toml": "",
    "src/lib.rs": "mod till;\npub use till::Till;\n",
    "src/till.rs": "pub struct Till;\npub fn open() {}\n",
    "pkg/__init__.py": "",
    "pkg/_rows.py": "",
}
WRONG = {
    f"{JAVA}Web.java": "package com.shop;\n\nimport com.shop.till.Tlil;\nimport com.shop.none.Till;\n",
    "src/Web.php": "<?php\nuse Shop\\Till\\Rows;\n",
    "src/web.rs": "use crate::{till::{opened, Till}, Till as T};\n",
    "pkg/a.py": "from ._rosw import f\n",
}
RIGHT = {
    f"{JAVA}Web.java": (
        "package com.shop;\n\nimport com.shop.till.Till;\nimport com.shop.till.Till.Kind;\n"
        "import static com.shop.till.Till.of;\nimport com.other.till.Till;\nimport com.shop.till.TillGrpc;\n"
    ),
    "src/Web.php": "<?php\nuse Shop\\Till\\Row;\nuse Shop\\Till;\nuse Other\\Row;\nuse function Shop\\go;\n",
    "src/web.rs": "use crate::till::{self, open, Till};\nuse crate::Till as T;\nuse serde::none;\n",
    "pkg/a.py": "from ._rows import f\nfrom ._version import v\n",
}


@pytest.mark.parametrize("path", WRONG)
def test_an_import_of_what_is_not_there_is_told(path: str) -> None:
    rest = {
        name: text for name, text in PROJECT.items() if path[-3:] == ".rs" or name[-3:] != ".rs"
    }
    found = places(broken(rest, {path: WRONG[path]}))
    assert all(each.endswith("names-no-file") for each in found)
    assert len(found) == (2 if path.endswith(".java") else 1)


@pytest.mark.parametrize("path", RIGHT)
def test_what_is_there_or_may_be_made_is_fine(path: str) -> None:
    assert places(broken(PROJECT, {path: RIGHT[path]})) == []


def test_a_project_with_schemas_may_have_types_that_a_build_writes() -> None:
    path = f"{JAVA}Web.java"
    assert places(broken({**PROJECT, "a.proto": ""}, {path: WRONG[path]})) == []


POM = "<project><artifactId>shop</artifactId><dependencies>{}</dependencies></project>"
LIBRARY = "<dependency><groupId>com.shop</groupId><artifactId>{}</artifactId></dependency>"


@pytest.mark.parametrize(
    ("build", "text", "told"),
    [
        ("pom.xml", POM.format(LIBRARY.format("shop-core")), 0),
        ("pom.xml", "<project><parent><groupId>com.shop</groupId></parent></project>", 0),
        ("pom.xml", POM.format("<plugin><artifactId>openapi-generator</artifactId></plugin>"), 0),
        ("build.gradle", "implementation 'com.shop:core:1.0'\n", 0),
        ("build.gradle.kts", 'implementation(group = "com.shop", name = "core", version = "1")\n', 0),
        ("pom.xml", POM.format(LIBRARY.format("shop")), 2),
        ("pom.xml", POM.format(LIBRARY.format("x").replace("com.shop", "com.other.shop")), 2),
        ("build.gradle", "implementation 'org.other:core:1.0'\n", 2),
    ],
)  # fmt: skip
def test_a_library_may_have_classes_in_packages_of_the_project(build, text, told) -> None:
    path = f"{JAVA}Web.java"
    assert len(places(broken({**PROJECT, build: text}, {path: WRONG[path]}))) == told


_QUOTED = {
    "src/pumps.h": "",
    "src/row_a.h": "",
    "src/stay.h": "",
    "src/matrix.h": "",
    "include/x/table.h": "",
    "src/a.cc": '#include "pumps.h"\n',
    "src/b.cc": '#include "tools/tablo.h"\n',
    "tools/table.h": "",
}


@pytest.mark.parametrize(
    ("include", "told"),
    [
        ("absl/strings/str_cat.h", 0),  # of a library
        ("gtest/gtest.h", 0),
        ("new_one.h", 0),
        ("x/other.h", 0),  # beside its own, and nothing like it
        ("pump.h", 0),  # not the plural of another's
        ("row_b.h", 0),
        ("matriz.h", 1),
        ("plumps.h", 1),
        ("x/tabel.h", 1),
        ("x/tables.h", 1),
        ("x/table2.h", 0),  # the next of a row
        ("x/stable.h", 0),
        ("tools/tablo.h", 0),  # others of the base name it
        ("far/x/tabel.h", 0),
    ],
)
def test_a_header_in_quotes_that_is_not_here_may_be_of_a_library(include: str, told: int) -> None:
    text = f'#include "stay.h"\n#include "{include}"\n'
    found = places(broken(_QUOTED, {"src/c.cc": text}))
    assert len(found) == told
    assert all(each.endswith("names-no-file") for each in found)


def test_what_is_included_under_its_own_name_is_not_meant_twice() -> None:
    text = '#include "matrix.h"\n#include "matriz.h"\n'
    assert places(broken(_QUOTED, {"src/c.cc": text})) == []


_ANGLED = {
    "include/x/f.h": "#pragma once\n#include <x/m.h>\n",
    "include/x/m.h": "",
    "CMakeLists.txt": "include_directories(include)\n",
}


@pytest.mark.parametrize(
    ("user", "include", "gone"),
    [
        ("include/x/f.h", "<x/m.h>", "include/x/m.h"),
        ("src/f.cpp", "<x/m.h>", "include/x/m.h"),
        ("src/f.cpp", "<m.hpp>", "include/m.hpp"),
        ("src/f.cpp", "<m.hpp>", "m.hpp"),
    ],
)
def test_a_header_that_is_gone_is_missed_behind_angle_brackets(user, include, gone):
    before = {**_ANGLED, gone: "", user: f"#pragma once\n#include {include}\n"}
    assert f"{user}:2 file-gone" in places(broken(before, {gone: None}))


@pytest.mark.parametrize(
    ("include", "gone", "more", "told"),
    [
        ("<x/m.h>", "include/x/m.h", {"lib/x/m.h": ""}, []),  # another answers
        ("<string.h>", "include/string.h", {}, []),  # the language has it
        ("<m.hpp>", "src/deep/m.hpp", {}, []),  # nobody says that a build looks there
        ("<y/m.h>", "third_party/y/m.h", {}, ["src/f.cpp:2 file-gone (advice)"]),
        ("<y/m.h>", "lib/y/m.h", {"CMakeLists.txt": "find_package(Y)\n"}, ["src/f.cpp:2 file-gone (advice)"]),
        ("<x/config.h>", "include/x/config.h", {}, ["src/f.cpp:2 file-gone (advice)"]),  # a build may write it
    ],
)  # fmt: skip
def test_what_a_system_or_a_build_may_bring_is_advice_at_most(include, gone, more, told):
    before = {**_ANGLED, gone: "", **more, "src/f.cpp": f"#pragma once\n#include {include}\n"}
    found = places(broken(before, {gone: None}))
    assert [each for each in found if each.startswith("src/")] == told
