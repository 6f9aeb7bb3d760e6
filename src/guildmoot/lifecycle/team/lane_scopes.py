"""The places of a lane's scope that nobody wrote by hand: what its part of the work must be able to change. Pure.

A goal names a file in passing; whoever is held to that file alone cannot do what the rest of the spec asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from guildmoot.lifecycle.named_places import EVERYWHERE, is_anywhere, is_inside, places_of
from guildmoot.lifecycle.spec import Spec
from guildmoot.text.patterns import lazy

WRITER = "technical-writer"
_DOCUMENT = lazy(
    r"(?i)(?:.*/)?(?:docs?|documentation|manual|man)(?:/.*)?|(?:.*/)?[^/]+\.(?:mdx?|rst|adoc|asciidoc|textile)"
    r"|(?:.*/)?(?:readme|changelog|changes|history|news|contributing|authors)(?:\.\w+)?"
)
_README = lazy(r"(?i)readme(?:\.\w+)?")
_DOCS = ("docs/", "doc/")


def whole_scope(
    owner: str, scope: str, spec: Spec, policy: str, tests: Sequence[str], tree: Collection[str]
) -> str:
    """A scope made from the goal, with the places that it lacks; who builds where all is free is bound to none."""
    free = (row.partition(":")[2] for row in policy.split("\n") if "may act" in row)
    if owner not in ("qa", WRITER) and any(map(is_anywhere, free)) and places_of(scope, tree):
        return f"{scope.rstrip('. ')}. {EVERYWHERE}"
    return _with_sentence(scope, owner, _lacking(owner, scope, spec, policy, tests, tree), tree)


def _lacking(
    owner: str, scope: str, spec: Spec, policy: str, tests: Sequence[str], tree: Collection[str]
) -> tuple[str, ...]:
    """Places that a scope made from the goal lacks; none where it names none at all, for then it is no bound.

    The writer gets documents, who tests the tests; who builds gets what the policy lets be done without asking, and the
    documents that the criteria speak of.
    """
    held = places_of(scope, tree)
    free = [p for row in policy.split("\n") if "may act" in row
            for p in places_of(row.partition(":")[2], tree, policy=True)]  # fmt: skip
    if owner == "qa":
        return () if _reaches(tests, held or free) else tuple(tests)
    if not held:
        reaches = owner != WRITER or not free or any(map(_DOCUMENT.fullmatch, free))
        return () if reaches else _documents(free, spec, tests, tree)
    documents = _documents(free, spec, tests, tree)
    asked = documents if owner == WRITER else (*free, *_named(spec, tests, tree))
    return tuple(
        each for each in dict.fromkeys(asked) if not any(is_inside(each, place) for place in held)
    )


def _with_sentence(scope: str, owner: str, places: Sequence[str], tree: Collection[str]) -> str:
    """A scope that names these places as well."""
    if not places:
        return scope
    what = {"qa": "Tests go into", WRITER: "Documents go into"}.get(owner, "It may also change")
    quoted = (f"`{p}`" if places_of(f"`{p}`", tree) else f"`./{p}`" for p in places)
    return f"{scope.rstrip('. ')}. {what} {', '.join(quoted)}."


def _reaches(tests: Sequence[str], places: Sequence[str]) -> bool:
    near = (is_inside(f"{test.rstrip('/')}/x", place) for test in tests for place in places)
    return not places or any(near)


def _documents(
    free: Iterable[str], spec: Spec, tests: Sequence[str], tree: Collection[str]
) -> tuple[str, ...]:
    """Those that policy, goal and criteria name; else where a project has its documents."""
    named = [p for p in (*places_of(spec.goal, tree), *free) if _DOCUMENT.fullmatch(p)]
    named += _named(spec, tests, tree)
    if named:
        return tuple(dict.fromkeys(named))
    there = sorted(path for path in tree if _README.fullmatch(path))
    folders = [each for each in _DOCS if each.rstrip("/") in tree]
    return (*(there or ["README.md"]), *(folders or _DOCS[:1]))


def _named(spec: Spec, tests: Sequence[str], tree: Collection[str]) -> list[str]:
    """Documents of the criteria, also those that a command reads; what lies beside tests is theirs to compare with."""
    texts = [line.text.replace("`", " ") for line in spec.criteria]
    found = [place for text in texts for place in places_of(text, tree)]
    beside = [test for test in tests if test.endswith("/")]
    return [
        each for each in found
        if _DOCUMENT.fullmatch(each) and not any(is_inside(each, test) for test in beside)
    ]  # fmt: skip
