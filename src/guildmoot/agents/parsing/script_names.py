"""Names that a JavaScript or TypeScript module uses and nobody gives it: not the file, not the language, not its host.

A file that is no module may get its names from other scripts and is not judged.
"""

from __future__ import annotations

import re

from guildmoot.agents.scopes.read import scoped_names
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


_MODULE = lazy(
    rb"^[ \t]*(?:import\b|export\b)|\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w", re.MULTILINE
)
_STRICT = lazy(rb"""^[ \t]*(?:import|export)\b|["']use strict["']""", re.MULTILINE)
"""Where an assignment makes no global name."""
_ODD = lazy(rb"\beval\s*\(|\bwith\s*\(|\bnew Function\b|\bimportScripts\b|@ts-nocheck")
_DECLARED = lazy(rb"/\*\s*(?:globals?|exported)\s+(.*?)\*/", re.DOTALL)
_TYPEOF = lazy(rb"\btypeof\s+([\w$]+)")
_AMBIENT = lazy(r"__|GM_|HTML|SVG|WebGL|GPU|CSS|RTC|Media|Audio|IDB|Speech|USB|XR|AFRAME")
"""Names that bundlers and hosts put in: ``__BUILD__``, ``HTMLDivElement``, ``SVGRect``."""


def undefined_names(root: Node, data: bytes, language: str) -> list[tuple[int, str]]:
    """Each line that uses such a name; nothing for what is no module."""
    if not _MODULE.search(data) or _ODD.search(data):
        return []
    lost = scoped_names(language, root).lost
    given = {use.name for use in lost if use.is_type}
    if language == "JavaScript" and not _STRICT.search(data):
        given |= {use.name for use in lost if use.place == "assignment_expression:"}
    given |= {word for said in _DECLARED.findall(data) for word in _words(said)}
    given |= {word for said in _TYPEOF.findall(data) for word in _words(said)}
    found = {(use.line, use.name) for use in lost if use.name not in given}
    return sorted(each for each in found if not _AMBIENT.match(each[1]))


def _words(said: bytes) -> list[str]:
    return re.findall(r"[\w$]+", said.decode("utf-8", "replace"))
