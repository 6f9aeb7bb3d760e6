"""What a file of Ruby no longer loads although it uses it. Pure.

Told only where nobody else loads it either: the helper of the tests, a library of the language, or a file of the
repository whose classes are still named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from guildmoot.text.patterns import lazy

_REQUIRE = lazy(r"(?m)^[ \t]*(require|require_relative)[ \t(]+[\"']([\w./-]+)[\"']")
_TESTS = lazy(r"_(?:spec|test)\.rb$|(?:^|/)test_\w+\.rb$")
_HELPER = lazy(r"(?:^|[/_])helper$")
_TYPES = lazy(r"(?m)^\s*(?:class|module)\s+(?:\w+::)*([A-Z]\w*)")
_ALL = lazy(r"Dir(?:\[|\.glob)[^\n]*\.rb|Zeitwerk|zeitwerk|eager_load|require_all")
_LIBRARIES = {
    "base64": "Base64",
    "benchmark": "Benchmark",
    "bigdecimal": "BigDecimal",
    "csv": "CSV",
    "date": "Date",
    "delegate": "SimpleDelegator",
    "digest": "Digest",
    "erb": "ERB",
    "forwardable": "Forwardable",
    "ipaddr": "IPAddr",
    "json": "JSON",
    "logger": "Logger",
    "net/http": "Net::HTTP",
    "open3": "Open3",
    "openssl": "OpenSSL",
    "optparse": "OptionParser",
    "ostruct": "OpenStruct",
    "securerandom": "SecureRandom",
    "shellwords": "Shellwords",
    "singleton": "Singleton",
    "socket": "Socket",
    "stringio": "StringIO",
    "strscan": "StringScanner",
    "tempfile": "Tempfile",
    "timeout": "Timeout",
    "yaml": "YAML",
    "zlib": "Zlib",
}
"""Libraries that nothing else loads as a matter of course, and what they give."""
_LOADERS = ("rails", "active_support", "activesupport", "actionpack", "activerecord")
"""Gems that load most of the library."""
_MOST_ALIKE, _MOST_USERS = 2, 40

Text = Callable[[str], str]
Users = Callable[[str], list[str]]


def lost_requires(
    before: Mapping[str, str], after: Mapping[str, str], text: Text, users: Users
) -> Iterator[tuple[str, int, str]]:
    """Each with the file, the line that used to follow it and what is wrong."""
    gone = {path: _gone(before.get(path, ""), now) for path, now in after.items()}
    for path, names in sorted(gone.items()):
        for name in names:
            alike = sum(name in each for each in gone.values())
            if alike <= _MOST_ALIKE and _is_missed(path, name, after, text, users):
                line = before[path][: before[path].index(name)].count("\n") + 1
                last = after[path].count("\n") + 1
                why = f"`{name}` is no longer required here, and what it gives is still used"
                yield path, min(line, last), why


def _gone(before: str, after: str) -> list[str]:
    if "require" not in before:
        return []
    kept = {each[1] for each in _REQUIRE.findall(after)}
    return [name for _, name in _REQUIRE.findall(before) if name not in kept]


def _is_missed(path: str, name: str, after: Mapping[str, str], text: Text, users: Users) -> bool:
    if not path.endswith(".rb"):
        return False
    left = [each for _, each in _REQUIRE.findall(after[path])]
    if _HELPER.search(name):
        return _needs_helper(path, posixpath.basename(name), left, text)
    now = lambda other: after[other] if other in after else text(other)  # noqa: E731
    if name in _LIBRARIES:
        return _needs_library(path, name, now, users)
    return _needs_file(path, name, now, users)


def _needs_helper(path: str, name: str, left: list[str], text: Text) -> bool:
    """Whether a test stands without the one file that loads all it needs."""
    given = any(re.search(rf"(?<!\w){name}(?!\w)", text(place)) for place in _settings(path))
    alone = not any("helper" in each or "/" in each or each.startswith(".") for each in left)
    return _TESTS.search(path) is not None and alone and not given


def _settings(path: str) -> Iterator[str]:
    """Where it may be said for all tests, in each folder around one."""
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        yield posixpath.join(folder, ".rspec")
        yield posixpath.join(folder, "Rakefile")


_COMMENT = lazy(r"(?m)(?:^|(?<=\s))#(?!\{).*$")


def _needs_library(path: str, name: str, now: Text, users: Users) -> bool:
    used = re.search(rf"(?<![\w:.]){_LIBRARIES[name]}\b", _COMMENT.sub("", now(path)))
    if used is None or any(users(each) for each in _LOADERS):
        return False
    return not _is_loaded(name, path, now, users)


def _needs_file(path: str, name: str, now: Text, users: Users) -> bool:
    """Whether it was the only one to load a file of the repository."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    places = (f"{place.removesuffix('.rb')}.rb" for place in (beside, f"lib/{name}"))
    said = {place: now(place) for place in places}
    target = next((place for place, each in said.items() if each), "")
    if not target or _is_loaded(posixpath.basename(name), path, now, users):
        return False
    if any(
        _ALL.search(now(each)) for word in ("Dir", "Zeitwerk", "eager_load") for each in users(word)
    ):
        return False
    types = set(_TYPES.findall(said[target])[-1:])
    return any(_names(now(user), each) for each in types for user in users(each) if user != target)


def _is_loaded(name: str, path: str, now: Text, users: Users) -> bool:
    word = re.findall(r"\w+", name)[-1]
    loads = re.compile(
        rf"\b(?:require|require_relative|autoload|load)\b[^\n]*[\"'/]{re.escape(name)}(?:\.rb)?[\"'/]"
    )
    holders = users(word)
    return len(holders) > _MOST_USERS or any(loads.search(now(each)) for each in holders)


def _names(text: str, name: str) -> bool:
    return (
        re.search(rf"(?<!class )(?<!module )(?<![\w:#]){name}\b", _COMMENT.sub("", text))
        is not None
    )
