"""Names that a change of one file of Ruby leaves without a declaration. Pure.

Looked at are the words of the lines that changed. A local that is gone leaves calls of a method that was never there;
a method that is gone leaves calls too, unless another file has one of that name; a new word that stands nowhere else
in the repository is declared by nobody, unless a framework gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from guildmoot.agents.members.slips import is_inner_slip, replaced_word
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.ruby.constants import forms_of, is_lost_constant
from guildmoot.agents.ruby.declares import declares, is_reached
from guildmoot.agents.ruby.given import GIVEN, KERNEL, built_of, is_framework
from guildmoot.agents.ruby.places import WordPart, WordPlace, has_parent, is_closed, places, sees
from guildmoot.agents.ruby.reach import is_out_of_reach
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import Passage, passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = lazy(r"@{0,2}[^\W\d]\w*(?:[?!](?![=~]))?")
_GONE = "`{}` is used here, and what declared it is gone"
_UNKNOWN = "`{}` is used here, and nothing in the repository declares it"
_PATCHES = lazy(
    r"(?:^|/)(?:initializers|core_ext|monkey_?patch\w*|patches|ext|overrides)(?:/|\.rb)"
)
"""Files that open classes of others."""
_MOST_WORDS = 2_000
_MOST_HOLDERS = 60
_DECLARE = (WordPart.METHOD, WordPart.MAY)
_BINDS = (*_DECLARE, WordPart.LOCAL, WordPart.SET)


class RubyWord(NamedTuple):
    """One word in a file before and after, and the one that it took the place of, if it did."""

    word: str
    then: list[WordPlace]
    now: list[WordPlace]
    instead: str
    renamed: bool
    """Whether another word is declared where it was, and all around that stayed."""

    def uses(self) -> list[WordPlace]:
        """Reads that no local answers, and what is asked of self."""
        own = [each for each in self.now if each.part is WordPart.OWN]
        return _open(self.now) + own


def ruby_losses(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such name once."""
    if language != "Ruby" or around.path.endswith("extconf.rb"):  # which mkmf gives its words
        return
    then, now = text_of(before), text_of(after)
    changed = passages(then, now)
    undone: dict[str, RubyWord] = {}
    new: dict[str, RubyWord] = {}
    for word in _words(before, after, changed):
        lost = _lost_local(word, changed) or _lost_variable(word, around)
        if lost and (word.renamed or word.word[0] == "@"):
            yield word.word, lost.line, _GONE.format(word.word)
        elif lost or (word.uses() and _is_undone(word)):
            undone[word.word] = word
        elif _is_new(word):
            new[word.word] = word
    asked = {*undone, *(form for each in new.values() for form in _forms(each))}
    held = around.holders(sorted(asked)) if asked else {}
    for name, word in undone.items():
        if not _is_declared(word, held[name], around):
            yield name, word.uses()[0].line, _GONE.format(name)
    for name, word in new.items():
        if not _is_given(word, held, around, then):
            yield name, word.now[0].line, _UNKNOWN.format(name)


def _words(before: Node, after: Node, changed: Sequence[Passage]) -> Iterator[RubyWord]:
    old, new = before.text or b"", after.text or b""
    found = {w for each in changed for w in _WORD.findall(f"{each.before}\n{each.after}")}
    pairs = [each for each in map(replaced_word, changed) if each[1]]
    became = {now: was for was, now in pairs}
    lines = {line for each in changed if replaced_word(each)[1] for line in each.before.split("\n")}
    for word in sorted(found - KERNEL)[:_MOST_WORDS]:
        now = places(after, new, word) if word.encode() in new else []
        if now:
            bare = word.lstrip("@").rstrip("?!")
            then = places(before, old, word)
            renamed = bare in became.values() and any(
                each.part in _BINDS and _line(old, each) in lines for each in then
            )
            yield RubyWord(word, then, now, became.get(bare, ""), renamed)


def _line(data: bytes, place: WordPlace) -> str:
    start = data.rfind(b"\n", 0, place.node.start_byte) + 1
    return data[start:].partition(b"\n")[0].decode("utf-8", "replace")


def _open(found: list[WordPlace]) -> list[WordPlace]:
    bound = [each.node for each in found if each.part is WordPart.LOCAL]
    bare = (each for each in found if each.part is WordPart.BARE)
    return [each for each in bare if not any(sees(each.node, other) for other in bound)]


# What is gone


def _lost_local(word: RubyWord, changed: Sequence[Passage]) -> WordPlace | None:
    """A read whose local is gone, and that is no call of a method of the file."""
    now = _open(word.now)
    if not now or any(each.part in _DECLARE for each in word.now):
        return None
    if word.word in GIVEN and not word.renamed:
        return None
    past = _open(word.then)
    bound = any(each.part is WordPart.LOCAL for each in word.then)
    answered = {e.line for e in word.then if e.part is WordPart.BARE} - {e.line for e in past}
    for each in now:
        line = _line_then(each.line, changed)
        if line in answered or (line is None and bound and not past):
            return each
    return None


def _line_then(line: int, changed: Sequence[Passage]) -> int | None:
    """Where a line stood before; None where it is new."""
    shift = 0
    for each in changed:
        here = each.after.count("\n") + 1 if each.after else 0
        if each.first <= line < each.first + here:
            return None
        if each.first > line:
            break
        shift += (each.before.count("\n") + 1 if each.before else 0) - here
    return line + shift


def _lost_variable(word: RubyWord, around: Around) -> WordPlace | None:
    """A variable of an object that the file set before and only reads now."""
    reads = [each for each in word.now if each.part is WordPart.READ]
    if word.word[:1] != "@" or not reads or len(reads) < len(word.now):
        return None
    if not any(each.part is WordPart.SET for each in word.then):
        return None
    if not word.renamed and has_parent(reads[0].node):
        return None
    bare = word.word.lstrip("@")
    sets = re.compile(
        rf"@{bare}\s*(?:[|&+*/-]{{1,2}})?=[^=~]|@{bare}\s*,|[:\"']@{bare}\b|attr_(?:writer|accessor)[^#]*:{bare}\b"
    )
    root = reads[0].node
    while root.parent is not None:
        root = root.parent
    return None if any(map(sets.search, (text_of(root), *around.held(bare)))) else reads[0]


def _is_undone(word: RubyWord) -> bool:
    """Whether the file declared a method of that name, and does not any more."""
    was = any(each.part in _DECLARE for each in word.then)
    still = any(each.part in _DECLARE for each in word.now)
    return was and not still and word.word not in GIVEN and word.word[0] != "@"


def _is_declared(word: RubyWord, holders: Sequence[str], around: Around) -> bool:
    if is_closed(word.uses()[0].node):
        return False
    others = [path for path in holders if is_reached(path, around.path)]
    texts = map(around.text, others[:_MOST_HOLDERS])
    return len(others) > _MOST_HOLDERS or any(declares(word.word, text) for text in texts)


# What is new


def _is_new(word: RubyWord) -> bool:
    """Whether the file did not hold it before, and holds it now only where it is used."""
    used = (WordPart.BARE, WordPart.OWN, WordPart.READ, WordPart.SCOPED)
    return word.word not in GIVEN and not word.then and all(e.part in used for e in word.now)


def new_words(after: Node) -> Iterator[tuple[str, int]]:
    """Of a new file: words that methods of a class which takes none from elsewhere call, or read, and nobody gives."""
    data = after.text or b""
    found = set(_WORD.findall(text_of(after))) - GIVEN
    for word in sorted(each for each in found if each[0].islower())[:_MOST_WORDS]:
        now = [] if is_framework(word) or built_of(word) else places(after, data, word)
        if now and all(each.part is WordPart.BARE and is_closed(each.node) for each in now):
            yield word, now[0].line


def _forms(word: RubyWord) -> list[str]:
    bare = word.word.lstrip("@").rstrip("?!")
    return [bare, word.instead, *forms_of(bare)] if word.instead else [bare, *forms_of(bare)]


def _is_given(word: RubyWord, held: Mapping[str, Sequence[str]], around: Around, then: str) -> bool:
    """Whether somebody may declare it after all."""
    bare = word.word.lstrip("@").rstrip("?!")
    if held.get(bare):
        return not is_out_of_reach(word.word, word.instead, word.now[0], held[bare], around)
    if bare[0].isupper():
        return not is_lost_constant(bare, word.now[0], word.instead, held, around, then)
    if word.word[0] == "@":
        return not re.search(rf"@{word.instead}\b" if word.instead else r"(?!)", then)
    if word.instead and is_inner_slip(bare, word.instead):
        return False
    if is_framework(word.word) or (not word.instead and _PATCHES.search(around.path)):
        return True
    stems = built_of(word.word)
    return bool(stems) and any(around.holders(stems).values())
