"""Calls that fitted before a change and do not fit after it, of what the repository declares in one form. Pure.

Nobody knows of what type a value is. But where all functions of the repository that have the name take the same, and
every call of that name fitted before the change, a call that fits no longer is told: the change took or gave it an
argument, or the function takes something else now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from guildmoot.agents.members.fit import shown
from guildmoot.agents.members.sole.model import SoleCall, SoleFile, SoleForm, SoleLanguage, is_fit
from guildmoot.agents.parsing.arity import BadCall
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.syntax import parse

_MOST_USERS, _MOST_NAMES = 40, 60
_NOTHING = SoleFile({}, ())


def sole_misfits(change: ChangedCode) -> Iterator[tuple[str, BadCall]]:
    """Each with the file of the call."""
    for language in _languages(change):
        yield from _Sole(language, change).misfits()


def _languages(change: ChangedCode) -> Iterator[SoleLanguage]:
    """Those of the change; each is loaded with it."""
    endings = {path[path.rfind(".") :] for path in change.before}
    if ".php" in endings:
        from guildmoot.agents.members.sole.php import PHP

        yield PHP
    if ".rb" in endings:
        from guildmoot.agents.members.sole.ruby import RUBY

        yield RUBY
    if ".cs" in endings:
        from guildmoot.agents.members.sole.csharp import CSHARP

        yield CSHARP
    if ".kt" in endings:
        from guildmoot.agents.members.sole.kotlin import KOTLIN

        yield KOTLIN


class _Sole:
    """A change in one language."""

    def __init__(self, language: SoleLanguage, change: ChangedCode) -> None:
        self._language, self._change = language, change
        self._changed = {
            path for path in (*change.before, *change.after) if path.endswith(language.ending)
        }

    def misfits(self) -> Iterator[tuple[str, BadCall]]:
        both = sorted(self._changed & self._change.before.keys() & self._change.after.keys())
        names = dict.fromkeys(
            name for path in both for name in (*self._retaken(path), *self._otherwise(path))
        )
        for name in list(names)[:_MOST_NAMES]:
            yield from self._unfit(name)

    def _retaken(self, path: str) -> Iterator[str]:
        """Functions that take something else than before."""
        then, now = (
            self._file(path, self._text(path, after=after)).forms for after in (False, True)
        )
        yield from (name for name in then.keys() & now.keys() if then[name] != now[name])

    def _otherwise(self, path: str) -> Iterator[str]:
        """Functions that the file gave something else before."""
        then, now = (
            self._file(path, self._text(path, after=after)).calls for after in (False, True)
        )
        past = {(each.name, each.owner, each.given, each.named) for each in then}
        known = {(each.name, each.owner) for each in then}
        for each in now:
            if (each.name, each.owner) in known and (
                each.name,
                each.owner,
                each.given,
                each.named,
            ) not in past:
                yield each.name

    def _unfit(self, name: str) -> Iterator[tuple[str, BadCall]]:
        users = [path for path in self._change.users(name) if path not in self._changed]
        paths = [
            *sorted(self._changed),
            *(path for path in users if path.endswith(self._language.ending)),
        ]
        if len(users) > _MOST_USERS or not name:
            return
        then, now = (
            {path: self._text(path, after=after) for path in paths} for after in (False, True)
        )
        was, form = self._sole(name, then), self._sole(name, now)
        if was is None or form is None:
            return
        past = [each for path, text in then.items() for each in self._calls(path, text, name)]
        if not past or not all(is_fit(each, was) for each in past):
            return
        common = self._language.is_common(name)
        for path, text in now.items():
            known = {each.owner for each in self._calls(path, then[path], name)}
            for each in self._calls(path, text, name):
                if is_fit(each, form) or each.owner not in known or (common and each.owner):
                    continue
                yield path, BadCall(name, each.line, each.given, _shown(form, each))
                break

    def _sole(self, name: str, texts: Mapping[str, str]) -> SoleForm | None:
        """What all functions of that name take; None where they differ."""
        found = list[SoleForm | None]()
        for path, text in texts.items():
            if name not in text:
                continue
            if self._language.may_be_other(name, text):
                return None
            found += self._file(path, text).forms.get(name, ())
        return _common(found)

    def _calls(self, path: str, text: str, name: str) -> list[SoleCall]:
        calls = self._file(path, text).calls if name in text else ()
        return [each for each in calls if each.name == name]

    def _file(self, path: str, text: str) -> SoleFile:
        return _read(self._language, path, text) if text else _NOTHING

    def _text(self, path: str, *, after: bool) -> str:
        side = self._change.after if after else self._change.before
        return side.get(path, "") if path in self._changed else self._change.text(path)


@lru_cache(maxsize=256)
def _read(language: SoleLanguage, path: str, text: str) -> SoleFile:
    tree = parse(language.name, path, text.encode("utf-8", "surrogatepass")).tree
    return language.read(tree.root_node) if tree is not None else _NOTHING


def _common(forms: Sequence[SoleForm | None]) -> SoleForm | None:
    """One form for all, as of an interface and of those who stand below it."""
    known = [each for each in forms if each is not None]
    if not known or len(known) < len(forms):
        return None
    names = tuple(dict.fromkeys(name for each in known for name in each.takes.names))
    merged = {each._replace(takes=each.takes._replace(names=names)) for each in known}
    return merged.pop() if len(merged) == 1 else None


def _shown(form: SoleForm, call: SoleCall) -> str:
    missing = sorted(form.needed - call.named)
    numbers = shown((form.takes,), () if form.open else sorted(call.named))
    return f"{numbers}, and `{missing[0]}` by its name" if missing else numbers
