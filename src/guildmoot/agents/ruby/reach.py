"""Whether a word of Ruby that stands in other files, too, can be known where it took the place of another. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.ruby.declares import declares, is_reached
from guildmoot.agents.ruby.given import built_of, is_framework
from guildmoot.agents.ruby.places import WordPart, WordPlace, above, is_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_HOLDERS = 40


def is_out_of_reach(
    word: str, instead: str, use: WordPlace, holders: Sequence[str], around: Around
) -> bool:
    """Whether others have it as a local alone, or as a method of a class that this one does not know.

    ``instead`` is the word whose place it took, as all around it stayed; empty where the line is another.
    """
    if not instead or use.part is not WordPart.BARE or not word[0].islower():
        return False
    if is_framework(word) or built_of(word) or len(holders) > _MOST_HOLDERS:
        return False
    texts = [around.text(path) for path in holders if is_reached(path, around.path)]
    declaring = [text for text in texts if declares(word, text)]
    if is_closed(use.node):
        owner = re.escape(_class_of(use.node))
        gives = re.compile(
            rf"(?m)^def\s+{re.escape(word)}|\b(?:class|module)\s+(?:\w+::)*{owner}\b|\b{owner}\.\w"
        )
        return not any(map(gives.search, declaring))
    asked = re.compile(rf"\.{re.escape(word)}(?!\w)")
    return not declaring and not any(asked.search(around.text(path)) for path in holders)


def _class_of(node: Node) -> str:
    home = next(each for each in above(node) if each.type == "class")
    name = home.child_by_field_name("name")
    return text_of(name).rpartition("::")[2] if name is not None else ""
