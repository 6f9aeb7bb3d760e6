"""A change as the rules for names see it, and what they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from guildmoot.agents.parsing.syntax import parse
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_of


class ChangedCode(NamedTuple):
    """A change, and how to look at what it leaves alone."""

    before: Mapping[str, str]
    """Texts of the base, by the path they have now."""
    after: Mapping[str, str]
    """Texts as they are now; what was deleted is not among them."""
    text: Callable[[str], str]
    """A file that the change leaves alone."""
    users: Callable[[str], list[str]]
    """Files of the base that hold a word."""
    holders: Callable[[Sequence[str]], Mapping[str, Sequence[str]]] | None = None
    """Files of the base of whatever kind, of many words at once."""
    files: Callable[[], Iterable[str]] = tuple
    """All paths of the repository as they are now."""


class NameLoss(NamedTuple):
    """A name that a change leaves without its declaration."""

    path: str
    line: int
    code: str
    message: str
    meant: str = ""
    """What the name was to be."""


def told_once(found: Iterable[NameLoss]) -> list[NameLoss]:
    """One loss for each name of a line, with what was meant where somebody can tell."""
    once: dict[tuple[str, int, str], NameLoss] = {}
    for each in found:
        key = each.path, each.line, "".join(each.message.split("`")[1:2]) or each.message
        if key in once and each.meant:
            said = f"{once[key].message}: `{each.meant}` was meant, it seems"
            once[key] = once[key]._replace(message=said)
        once.setdefault(key, each)
    return list(once.values())


def unread_files(change: ChangedCode) -> set[str]:
    """Those that were read before the change and are not any more."""
    return {path for path in change.after if path in change.before and _is_unread(path, change)}


def _is_unread(path: str, change: ChangedCode) -> bool:
    before, after = change.before[path], change.after[path]
    return before != after and _is_refused(path, after) and not _is_refused(path, before)


def _is_refused(path: str, text: str) -> bool:
    data = text.encode("utf-8", "surrogatepass")
    return parse(language_of(path).name, path, data).fault is not None
