"""Names of C# that took the place of others and belong to what the place cannot see. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from guildmoot.agents.scopes.csharp_types import DeclaredType, seen, shared, types_of
from guildmoot.agents.scopes.names import ScopedFile, Use, took_place
from guildmoot.text.patterns import lazy

_MOST_HOLDERS = 40
_WORD = lazy(r"[^\W\d]\w*")
_FEWEST = 3
"""Letters of a name that is no placeholder."""

Above = Callable[[str, list[str]], "bool | None"]
"""Whether types above declare a name; None where one of them lies elsewhere."""


def is_elsewhere(use: Use, file: ScopedFile, above: Above, *, typed: bool) -> bool:
    """Whether the repository has it for others alone: as a local, a member of another class, a type of a namespace.

    ``typed`` says that a type stands there, or what may be one.
    """
    name, around = use.name, file.around
    paths = around.paths(name)
    if len(name) < _FEWEST or not paths or len(paths) > _MOST_HOLDERS:
        return False
    if not all(path.endswith(".cs") for path in around.holders([name])[name]):
        return False
    if not took_place(use, file, frozenset(_WORD.findall(file.past))):
        return False
    texts = [around.text(path) for path in paths]
    types = [each for text in texts for each in types_of(text)]
    is_type = any(each.name == name for each in types)
    if is_type and _sees(name, types, file):
        return False
    if typed:  # no file says which types a library has
        return is_type and above(name, use.supers) is False
    owners = [each for each in types if name in each.members]
    if any(each.made for each in owners) or any(_makes(name, text) for text in texts):
        return False
    if name[:1].isupper() and not owners:
        return False
    found = above(name, use.supers)
    if found is not None:
        return not found
    if owners:  # what another class has is of a class from afar only if it stands below one, too
        return all(above("", list(each.bases)) is not None for each in owners)
    asked = re.compile(rf"\.{re.escape(name)}\b")
    return not any(map(asked.search, (file.text, file.past, *texts)))


def _sees(name: str, types: list[DeclaredType], file: ScopedFile) -> bool:
    around = file.around
    visible = seen(file.text)
    said = around.holders(("Using", "ImplicitUsings"))
    visible |= shared(around.paths, around.text, [*said["Using"], *said["ImplicitUsings"]])
    homes = [each for each in types if each.name == name]
    return any(each.namespace in visible or each.inner for each in homes)


def _makes(name: str, text: str) -> bool:
    """Whether a build may make it, or all files see it."""
    written = rf"\bglobal\s+using\b[^;]*\b{re.escape(name)}\b|\busing\s+static\b[^;]*\b{re.escape(name)}\b"
    return re.search(written, text) is not None
