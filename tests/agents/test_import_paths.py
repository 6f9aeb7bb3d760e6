"""What a script imports by an alias or from a package beside it, and what is gone from there."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.references.import_paths import meant_path

BASE = {
    "tsconfig.json": '{\n  // aliases\n  "extends": "./tsconfig.base",\n  "compilerOptions": {"strict": true,},\n}\n',
    "tsconfig.base.json": '{"compilerOptions": {"paths": {"@app/*": ["src/*"], "@one": ["./src/one.ts"]}}}',
    "site/tsconfig.json": '{"compilerOptions": {"baseUrl": "./app"}}',
    "site/app/parts/bit.ts": "export const bit = 1;\n",
    "site/app/page.ts": "import { bit } from 'parts/bit';\n\nexport const page = bit;\n",
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "packages/lib/package.json": (
        '{"name": "@r/lib", "exports": {".": {"import": "./dist/index.mjs"}, "./tools": "./src/tools.ts"}}'
    ),
    "packages/lib/src/index.ts": "export const known = 1;\n",
    "packages/lib/src/tools.ts": "export const hammer = 1;\nexport const saw = 2;\n",
    "packages/plain/package.json": '{"name": "plain", "main": "lib/main.js"}',
    "packages/plain/src/main.js": "export const plain = 1;\n",
    "src/one.ts": "export const one = 1;\nexport const other = 2;\n",
    "src/deep/two.ts": (
        "import { one } from '@app/one';\nimport { other } from '@one';\nimport { known } from '@r/lib';\n"
        "import { hammer } from '@r/lib/tools';\nimport { plain } from 'plain';\nimport { far } from '@far/away';\n\n"
        "export const x = one + other + known + hammer + plain + far;\n"
    ),
}


def read(path: str) -> str:
    return BASE.get(path, "")


@pytest.mark.parametrize(
    ("user", "written", "path"),
    [
        ("src/deep/two.ts", "../one", "src/one"),
        ("src/deep/two.ts", "@app/one", "src/one"),
        ("src/deep/two.ts", "@one", "src/one.ts"),
        ("src/deep/two.ts", "@app/none", ""),
        ("site/app/page.ts", "parts/bit", "site/app/parts/bit"),
        ("src/deep/two.ts", "@r/lib", "packages/lib/src/index"),
        ("src/deep/two.ts", "@r/lib/tools", "packages/lib/src/tools.ts"),
        ("src/deep/two.ts", "@r/lib/hidden", ""),
        ("src/deep/two.ts", "plain", "packages/plain/src/main"),
        ("src/deep/two.ts", "@far/away", ""),
        ("src/deep/two.ts", "@r", ""),
    ],
)
def test_an_import_is_followed(user: str, written: str, path: str) -> None:
    assert meant_path(user, written, read) == path


def told(path: str, old: str, new: str) -> list[tuple[str, int]]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        read,
        lambda word: [p for p, text in BASE.items() if word in text and p.endswith((".ts", ".js"))],
    )
    return [(each.path, each.line) for each in lost_names(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "where"),
    [
        ("src/deep/two.ts", "{ one }", "{ one, two }", ("src/deep/two.ts", 1)),
        ("src/deep/two.ts", "{ other }", "{ other, two }", ("src/deep/two.ts", 2)),
        ("src/deep/two.ts", "{ known }", "{ known, two }", ("src/deep/two.ts", 3)),
        ("src/deep/two.ts", "{ hammer }", "{ hammer, two }", ("src/deep/two.ts", 4)),
        ("src/one.ts", "const one", "const three", ("src/deep/two.ts", 1)),
        ("packages/lib/src/index.ts", "const known", "const three", ("src/deep/two.ts", 3)),
        ("packages/lib/src/tools.ts", "const hammer", "const three", ("src/deep/two.ts", 4)),
    ],
)
def test_a_name_that_is_not_there_is_told(
    path: str, old: str, new: str, where: tuple[str, int]
) -> None:
    assert told(path, old, new) == [where]


def test_what_is_there_or_lies_elsewhere_is_not_told() -> None:
    assert told("src/deep/two.ts", "{ hammer }", "{ hammer, saw }") == []
    assert told("src/deep/two.ts", "{ far }", "{ far, away }") == []
