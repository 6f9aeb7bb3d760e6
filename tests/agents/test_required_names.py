"""Names that scripts take from each other by ``require``."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.required import gone_required

BASE = {
    "lib/watch.js": "module.exports.watch = watch;\nexports.reset = reset;\nfunction watch() {}\nfunction reset() {}\n",
    "lib/rules.js": "module.exports = {\n  load: load,\n  parse,\n};\n",
    "lib/main.js": "var watch = require('./watch').watch,\n  rules = require('./rules');\n"
    "const { reset } = require('./watch');\nrules.load();\n",
    "lib/mocks.js": "const rules = require('./rules');\nrules.parse = null;\nrules.parse();\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("lib/watch.js", "exports.watch =", "exports.look =", ["watch lib/main.js 1"]),
        ("lib/watch.js", "exports.reset =", "exports.again =", ["reset lib/main.js 3"]),
        ("lib/rules.js", "load: load", "read: load", ["load lib/main.js 4"]),
        ("lib/rules.js", "parse,", "parsed,", []),
        ("lib/rules.js", "load: load,", "...more,", []),
        ("lib/watch.js", "exports.reset =", "exports['reset'] =", []),
        ("lib/watch.js", "exports.reset = reset", "exports.reset = again", []),
    ],
)
def test_a_name_that_is_required_and_no_longer_exported_is_told(path, old, new, expected):
    assert old in BASE[path]
    after = {path: BASE[path].replace(old, new, 1)}
    found = gone_required(
        {path: BASE[path]},
        after,
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    assert [f"{name} {user} {line}" for _, (name, user, line) in found] == expected
