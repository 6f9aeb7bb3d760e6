"""What makes a run of JavaScript tests end well whatever the code does, by a few forms. Pure."""

from __future__ import annotations

from collections import Counter

from guildmoot.lifecycle.proof.weakening.other_tests import plain_text
from guildmoot.text.patterns import lazy

SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".cts")
_FRAMEWORK = r"(?:node:)?(?:assert(?:/strict)?|test)|chai|vitest|@jest/globals|expect|tap|ava|mocha|uvu(?:/assert)?"
_IMPORT = lazy(
    r"\bimport\s+(?P<names>[^;'\"]+?)\s+from\s*(?P<place>['\"][^'\"\n]+['\"])"
    r"|\b(?:const|let|var)\s+(?P<names2>\{[^}=]*\}|\w+)\s*=\s*(?:await\s+import|require)\s*\(\s*(?P<place2>['\"][^'\"\n]+['\"])"
)
_NAME = lazy(r"(?:[\w$]+\s*(?:\bas\b|:)\s*)?([\w$]+)\s*(?:,|\}|$)")
_EXIT = "process.exit() while it is loaded"
_ASSERTION = "something else in the place of an assertion"
_FORMS = (
    (lazy(r"\bprocess\.(?:on|once)\(\s*['\"](?:exit|beforeExit)['\"][\s\S]{0,200}?(?:exitCode\s*=\s*0|\.(?:exit|reallyExit)\()"),
     "an exit at the end of the process"),
    (lazy(r"(?m)^process\.(?:exit|reallyExit|abort)\(\s*0?\s*\)|\bprocess\.reallyExit\("), _EXIT),
    (lazy(r"\benv(?:\.|\[['\"])(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST\w*)\b"), "a question whether tests are run"),
    (lazy(rf"\brequire\(\s*['\"](?:{_FRAMEWORK})['\"]\s*\)(?:\.\w+)+\s*=(?![=>])"), _ASSERTION),
    (lazy(rf"\b(?:jest\.(?:do)?[mM]ock|vi\.(?:do)?[mM]ock|mock\.module)\(\s*['\"](?:{_FRAMEWORK})['\"]"), _ASSERTION),
    (lazy(r"\b(?:globalThis|global|window)\.(?:assert|expect|test|it|describe)\s*=(?![=>])"), _ASSERTION),
)  # fmt: skip
_OF_TESTS = (
    (lazy(r"\bprocess\.exitCode\s*=\s*0\b"), "an exit code of 0"),
    (lazy(r"\b(?:const|let|var)\s+(?:assert|expect)\s*=\s*(?:\([^)]*\)|\w+)\s*=>\s*\{\s*\}"), _ASSERTION),
)  # fmt: skip


def rigged_script(path: str, text: str, *, test: bool) -> Counter[str]:
    """Each such thing of a file, in words."""
    plain = plain_text(path, text)
    found = Counter(
        said for form, said in (*_FORMS, *(_OF_TESTS * test)) for _ in form.finditer(plain)
    )
    for name in {"assert", "expect", *(n for n, p in _imports(plain).items() if _is_framework(p))}:
        put = lazy(
            rf"(?m)^\s*{name}(?:\.\w+)+\s*=(?![=>])|\bObject\.(?:assign|definePropert\w+)\(\s*{name}\b"
        )
        found[f"something else in the place of a part of {name}"] += len(put.findall(plain))
    return +found


def own_names(path: str, before: str, after: str) -> list[str]:
    """What a file of tests imported, and what is something of the tests now."""
    was, text = _imports(plain_text(path, before)), plain_text(path, after)
    now, told = _imports(text), []
    for name, place in was.items():
        if not (place.startswith(".") or _is_framework(place)):
            continue  # what another project gives is none of the code that is tested
        made = lazy(
            rf"(?m)\b(?:const|let|var)\s+{name}\s*=(?!=)(?![^\n]*\b(?:require|import)\b)|\b(?:function\*?|class)\s+{name}\b"
            rf"|^\s*{name}\s*=(?![=>])(?![^\n]*\b(?:require|import)\b)"
        )
        near = not place.startswith("./") and now.get(name, "").startswith("./")
        if near or made.search(text):
            told.append(f"{name} is no longer that of {place}")
    return told


def _imports(text: str) -> dict[str, str]:
    """Each imported name, and from where."""
    found: dict[str, str] = {}
    for each in _IMPORT.finditer(text):
        place = (each["place"] or each["place2"]).strip("'\"")
        for name in _NAME.findall(each["names"] or each["names2"]):
            found[name] = place
    return {name: place for name, place in found.items() if name.isidentifier()}


def _is_framework(place: str) -> bool:
    return bool(lazy(_FRAMEWORK).fullmatch(place))
