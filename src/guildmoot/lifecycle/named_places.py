"""Files and folders that a scope or a policy names, read with what the repository holds. Pure.

A policy names places as people write them: ``Rakefile``, ``lib/table``, ``*.gemspec``. What cannot be read as one is
told before anybody approves it, because a place that is not read is a place that nobody holds a lane to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from guildmoot.text.patterns import lazy

_TOKEN = lazy(r"`([^`\n]+)`|([^\s`,;()\[\]{}\"“”]+)")
_FILE = lazy(r"\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9_]{0,9}|\.[A-Za-z][\w-]+")
_NO_FILE = lazy(
    r"(?i)e\.g|i\.e|a\.k\.a|etc|(?:node|vue|next|nuxt|express|react|three|d3|ember)\.js|asp\.net|socket\.io"
    r"|[\w.-]+\.(?:com|org|net|io|dev)"
)
_WORDS = lazy(r"[\w.-]+/[\w.-]+")
_FOLDER_BEFORE = lazy(
    r"(?i)\b(?:below|under|in|inside|within|folders?|director(?:y|ies))(?:\s+the)?\s+$"
)
_FOLDER_BEHIND = lazy(r"(?i)\s+(?:folder|directory)\b")
_BELOW = lazy(r"/\**$")
_FREE = lazy(r"(?i)\b(?:anything|everything|any files?|all files|whole|none|nothing|no)\b")
_ALL = lazy(
    r"(?i)\W*(?:anything|everything|any files?|all files)(?: (?:in|of) (?:this|the|our) (?:whole )?"
    r"(?:repository|repo|project|code ?base))?\W*"
)
EVERYWHERE = "It may change anything in this repository."
"""The sentence of a scope that bounds nothing, whatever files it speaks of."""
_ACTS = lazy(
    r"(?i)\b(?:network|internet|push\w*|publish\w*|deploy\w*|releas\w*|merg\w*|delet\w*|undo(?:ne)?|spend\w*|money"
    r"|secrets?|credentials?|passwords?|tokens?|production|personal|data|telemetry|install\w*|dependenc\w*|renam\w*"
    r"|history|breaking|signatures?|services?|accounts?|mails?|e-?mails?)\b"
)
"""What a policy may forbid and is no file; other parts of guild, or a person, hold a lane to it."""
_FILLING = frozenset((
    "a", "an", "the", "any", "all", "every", "each", "file", "files", "folder", "folders", "below", "under", "in", "of",
    "and", "or", "nor", "even", "touching", "changing", "change", "editing", "edit", "writing", "touch", "at",
))  # fmt: skip
_NAME = 2
"""So many words at most are a name that could not be read, and not a sentence."""
HOW = "write files and folders as they are called, e.g. `Rakefile`, lib/ or *.gemspec"


def tree_of(files: Iterable[str]) -> frozenset[str]:
    """What a repository holds: its files, and every folder that one lies in."""
    found = set()
    for path in files:
        while path and path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
    return frozenset(found)


def places_of(text: str, tree: Collection[str] = (), *, policy: bool = False) -> tuple[str, ...]:
    """Files and folders that a text names; words such as 'and/or' are none.

    In a policy a bare word that the repository holds is one as well: in a sentence about the work it may be a word.
    """
    found = []
    for match in _TOKEN.finditer(text):
        quoted, word = bool(match[1]), match[1] or match[2]
        if quoted and " " in word.strip():
            continue
        word = word.strip() if quoted else word.strip("'\"!?:").rstrip(".")
        plain = _plain(word)
        if not plain.strip("./*-'\""):
            continue
        near = bool(
            policy
            or _FOLDER_BEFORE.search(text[: match.start()])
            or _FOLDER_BEHIND.match(text, match.end())
        )
        if _is_place(word, plain, tree, quoted=quoted, policy=policy, near=near):
            found.append(plain)
    return tuple(dict.fromkeys(found))


def is_anywhere(said: str) -> bool:
    """Whether what may be done without asking is all that a repository holds."""
    return bool(_ALL.fullmatch(said))


def _plain(word: str) -> str:
    return _BELOW.sub("", word.removeprefix("./")) or word


def _is_place(
    word: str, plain: str, tree: Collection[str], *, quoted: bool, policy: bool, near: bool
) -> bool:
    if "*" in word or word.startswith("./") or (quoted and (policy or "/" in word)):
        return "://" not in word
    if word.startswith(("/", "-", "~")) or "://" in word:
        return False
    if plain in tree:
        return quoted or near or "/" in word or "." in word or not _has_below(plain, tree)
    if "/" in word:
        last = plain.rpartition("/")[2]
        known = plain.partition("/")[0] in tree
        return word.endswith("/") or "." in last or word.count("/") > 1 or (policy and known)
    return bool(_FILE.fullmatch(word)) and not _NO_FILE.fullmatch(word)


def _has_below(place: str, tree: Collection[str]) -> bool:
    return any(each.startswith(f"{place}/") for each in tree)


def unread_policy(lines: Iterable[str], tree: Collection[str]) -> list[str]:
    """Lines of a policy that name no place that could be read, each in a sentence that says how to write it."""
    told = []
    for line in lines:
        label, _, said = line.replace("**", "").partition(":")
        free = _FREE.search(said) or not said.strip()
        if label.strip() == "may act without asking":
            if not free and not places_of(said, tree, policy=True):
                told.append(
                    f"no place could be read from '{line.strip()}': {HOW}, or 'anything in this repository'"
                )
        elif label.strip() == "forbidden" and not free:
            told += [
                f"no place could be read from '{each}' in '{line.strip()}': {HOW}, or say what must not be done"
                for each in _unread(said, tree)
            ]  # fmt: skip
    return told


def _unread(said: str, tree: Collection[str]) -> list[str]:
    """Parts of a list that are neither a place nor something that is done; all of it where no part is either."""

    def read(text: str) -> bool:
        return bool(_ACTS.search(text) or places_of(text, tree, policy=True))

    if not read(said):
        return [said.strip()]
    parts = (part.strip() for part in said.replace(";", ",").split(","))
    return [part for part in parts if part and not read(part) and _is_name(part)]


def _is_name(part: str) -> bool:
    words = [word for word in part.casefold().split() if word not in _FILLING]
    return 0 < len(words) <= _NAME


def is_inside(path: str, place: str) -> bool:
    """Whether a path is a place that somebody named, or lies in it."""
    plain = place.removeprefix("./").rstrip("/")
    shapes = (plain, plain.replace("**/", ""), f"{plain}/*") if "*" in plain else (plain,)
    return (
        path == plain
        or path.startswith(f"{plain}/")
        or any(fnmatchcase(path, each) for each in shapes)
    )
