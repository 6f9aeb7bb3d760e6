"""Names that a change asks another file of the project for."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.asked_names import AroundChange, each_asked

FILES = {
    "web/a.ts": "import { rows } from './b';\nexport const a = rows;\n",
    "web/b.ts": "const inner = 1;\nexport const rows = inner;\nexport { inner as shown };\n",
    "web/all.ts": "export * from './b';\n",
    "go.mod": "module ex.org/m\n",
    "m/a.go": 'package m\n\nimport "ex.org/m/till"\n\nvar a = till.Open()\n',
    "till/till.go": "package till\n\nfunc Open() int { return 1 }\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("web/a.ts", "{ rows }", "{ rows, rosw }", "rosw"),
        ("web/a.ts", "{ rows }", "{ rows, inner }", "inner"),
        ("web/a.ts", "{ rows }", "{ rows, shown }", ""),
        ("web/a.ts", "import", "import { more } from './all';\nimport", ""),
        ("web/a.ts", "import", "import { more } from 'other';\nimport", ""),
        ("m/a.go", "till.Open", "till.Opne", "till.Opne"),
        ("m/a.go", "till.Open()", "till.Open() + 1", ""),
    ],
)
def test_what_another_file_is_asked_for_must_be_there(path, old, new, name) -> None:
    after = {path: FILES[path].replace(old, new, 1)}
    now = {**FILES, **after}

    def holds(word: str) -> list[str]:
        return [each for each, text in now.items() if word in text]

    around = AroundChange(lambda each: now.get(each, ""), holds)
    assert [each.name for _, each in each_asked(FILES, after, around)] == ([name] if name else [])
