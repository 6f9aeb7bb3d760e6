"""Names that a JavaScript or TypeScript module uses and nobody gives it: not the file, not the language, not its host.

A file that is no module may get its names from other scripts and is not judged.
"""

from __future__ import annotations

import re

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.plain_names import plain_names
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


_MODULE = lazy(
    rb"^[ \t]*(?:import\b|export\b)|\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w", re.MULTILINE
)
_ODD = lazy(rb"\beval\s*\(|\bwith\s*\(|\bnew Function\b|\bimportScripts\b|@ts-nocheck")
_DECLARED = lazy(rb"/\*\s*(?:globals?|exported)\s+(.*?)\*/", re.DOTALL)
_TYPEOF = lazy(rb"\btypeof\s+([\w$]+)")
_AMBIENT = lazy(r"__|HTML|SVG|WebGL|GPU|CSS|RTC|Media|Audio|IDB|Speech|USB|XR|AFRAME")
"""Names that bundlers and hosts put in: ``__BUILD__``, ``HTMLDivElement``, ``SVGRect``."""


def undefined_names(root: Node, data: bytes, language: str) -> list[tuple[int, str]]:
    """Each line that uses such a name; nothing for what is no module."""
    if not _MODULE.search(data) or _ODD.search(data):
        return []
    names = plain_names(language, root)
    given = names.declared | KNOWN[language] | {name for name, _, value in names.used if not value}
    given |= {word for said in _DECLARED.findall(data) for word in _words(said)}
    given |= {word for said in _TYPEOF.findall(data) for word in _words(said)}
    lost = {(line, name) for name, line, _ in names.used if name not in given}
    return sorted(each for each in lost if not _AMBIENT.match(each[1]))


def _words(said: bytes) -> list[str]:
    return re.findall(r"[\w$]+", said.decode("utf-8", "replace"))
