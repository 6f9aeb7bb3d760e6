"""Cut a remedy into clauses of words, with its conditions, purposes and contrasts set apart."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.text.english import stem
from guildmoot.text.opposed import lexicon

_TOKEN = re.compile(
    r"`[^`]+`|(?<=[Ss]et )[\w.-]{1,60}: (?:\d[\w.]*|true\b|false\b)"
    r"|\"[^\"\n]{1,60}\"|(?<!\w)'[^'\n]{1,60}'(?!\w)|[^\s`]+"
)
_IDENTIFIER = re.compile(
    r"\w*_\w*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}\w*|\w+\(.*|[-@#$./~!<]\S+"
    r"|\w+[./=:]\w.*|[A-Za-z]+\d\w*|\d\S*"
)
_MOST_JOINERS = 8
_LONG = 200
"""Characters of a word that can be a name; a longer one is none, and no pattern is run on it."""


class Word(NamedTuple):
    """One word of a remedy."""

    text: str
    """In lower case, without its decoration."""
    ident: bool = False
    """It names a thing in the code: in backticks, quoted, or shaped like an identifier."""
    end: bool = False
    """Punctuation that ends or breaks a clause."""
    capital: bool = False
    """It begins with a capital letter, as the first word of a sentence does."""


class Clause(NamedTuple):
    """One instruction and what belongs to it."""

    words: tuple[Word, ...]
    condition: tuple[Word, ...] = ()
    """After "when", "if", "unless"...: the instruction holds only then."""
    contrast: tuple[Word, ...] = ()
    """After "instead of" and "rather than": what is not to be done."""
    joined: bool = False
    """It goes on from the clause before it with "and", "then" or "but"."""


@functools.lru_cache(maxsize=16384)
def _split_token(token: str) -> tuple[Word, ...]:
    """The word in a token and the punctuation after it."""
    if token[0] in '`"' or (token[0] == "'" and len(token) > 2):
        return (Word(token[1:-1].strip().lower(), ident=True),)
    bare = token.rstrip(".,;:?!)")
    body, tail = bare.strip("()[]\"'*"), token[len(bare) :].replace(")", "")
    name = _is_name(body) or ": " in body
    words = [Word(body.lower(), name, capital=body[:1].isupper())] if body else []
    return (*words, Word(tail[-1], end=True)) if tail else tuple(words)


def _is_name(word: str) -> bool:
    return len(word) <= _LONG and bool(_IDENTIFIER.fullmatch(word))


def _words(text: str) -> list[Word]:
    found = [word for token in _TOKEN.findall(text) for word in _split_token(token)]
    return list(_joined(found))


def _joined(words: list[Word]) -> Iterator[Word]:
    """Replace fixed phrases ("get rid of") by the one word that says the same."""
    i, starts = 0, lexicon.phrase_starts()
    while i < len(words):
        size = _phrase_length(words, i) if words[i].text in starts else 0
        if size:
            phrase = " ".join(word.text for word in words[i : i + size])
            yield from (Word(new) for new in lexicon.PHRASES[phrase].split())
        else:
            yield words[i]
        i += size or 1


def _phrase_length(words: list[Word], i: int) -> int:
    for size in range(min(4, len(words) - i), 0, -1):
        if " ".join(word.text for word in words[i : i + size]) in lexicon.PHRASES:
            return size
    return 0


@functools.cache
def known_verbs() -> frozenset[str]:
    """Stems that are read as verbs wherever a clause may begin."""
    words = (*lexicon.KEEPERS, *lexicon.CHANGERS, *lexicon.SETTERS, *lexicon.OTHER_VERBS)
    return frozenset(map(stem, words)) | frozenset(lexicon.verb_axes())


def _begins_clause(words: list[Word], i: int) -> bool:
    """Whether an instruction may begin at this word, rather than a list going on."""
    last = min(i + _MOST_JOINERS, len(words))
    while i < last and words[i].text in ("and", "then", "but", "please", "also", "or"):
        i += 1
    if i >= len(words) or words[i].ident:
        return False
    text = words[i].text
    if text in lexicon.NEGATIONS:
        return i + 1 < len(words) and stem(words[i + 1].text) in known_verbs()
    return stem(text) in known_verbs()


def _breaks(words: list[Word], i: int) -> bool:
    word = words[i]
    if word.end:
        banned = [w.text for w in words[i + 1 : i + 2]] == ["no"]
        return banned or word.text != "," or _begins_clause(words, i + 1) or _states(words, i + 1)
    return word.text in ("and", "then", "but") and _begins_clause(words, i)


def _states(words: list[Word], i: int) -> bool:
    """A statement of its own follows the comma ("..., callers must handle it", "..., it fails")."""
    if [w.text for w in words[i : i + 1]] in (["it"], ["they"], ["we"], ["that"], ["this"]):
        return True
    for word in words[i : i + 8]:
        if word.end:
            break
        if not word.ident and (word.text in lexicon.MODALS or word.text in lexicon.DESCRIBING):
            return True
    return any(map(_is_finite, words[i : i + 4], words[i + 1 : i + 5]))


def _is_finite(before: Word, word: Word) -> bool:
    """A verb of what somebody does: "the caller retries", and not "the retries"."""
    small = (
        before.text in lexicon.NO_VERBS or before.text in ("the", "a", "an", "its") or before.end
    )
    finite = word.text.endswith("s") and stem(word.text) in known_verbs()
    return finite and not small and not word.ident and not before.ident


def clauses(text: str) -> Iterator[Clause]:
    """The instructions in a remedy, in order."""
    words = _words(text)
    start, joined = 0, False
    case: tuple[Word, ...] = ()
    for i in range(len(words) + 1):
        if i < len(words) and not _breaks(words, i):
            continue
        if i > start:
            fronted, rest = _fronted(words[start:i])
            clause = _clause(rest)._replace(joined=joined)
            yield clause._replace(condition=clause.condition or fronted or case)
            case = fronted if not clause.words else ()
        joined = i < len(words) and not words[i].end
        start = i + 1


def _fronted(words: list[Word]) -> tuple[tuple[Word, ...], list[Word]]:
    """The condition that a clause begins with, and the rest: "when the row is missing return nothing"."""
    if words[0].text not in lexicon.CONDITIONS or words[0].ident:
        return (), words
    for i in range(2, len(words)):
        before, word = words[i - 1].text, words[i]
        small = before in lexicon.NO_VERBS or before in ("the", "a", "an", "is", "are", "be", "not")
        plain = not word.ident and not word.text.endswith(("s", "ed", "ing"))
        if word.end or (plain and not small and stem(word.text) in known_verbs()):
            return tuple(words[1:i]), words[i:] if not word.end else words[i + 1 :]
    return tuple(words[1:]), []


def _gives_reason(words: list[Word], i: int) -> bool:
    """A reason begins: "because", "so ...", "... or the upload is cancelled"."""
    text = words[i].text
    if text == "or":
        after = words[i + 1 : i + 6]
        starts = bool(after) and after[0].text in ("the", "it", "they", "we", "you", "this")
        return starts and any(w.text in lexicon.DESCRIBING or w.text == "will" for w in after)
    return text == "so" or text in lexicon.PURPOSES


def _clause(words: list[Word]) -> Clause:
    parts: dict[str, list[Word]] = {"words": [], "condition": [], "contrast": [], "purpose": []}
    into = "words"
    for i, word in enumerate(words):
        if _gives_reason(words, i) and (parts["words"] or word.text not in ("so", "or")):
            into = "purpose"
        elif word.text in ("not", "never") and i and words[i - 1].end:
            into = "contrast"
        elif word.text in lexicon.CONDITIONS and parts["words"]:
            into = "condition"
        elif word.text == "insteadof" and parts["words"]:
            into = "contrast"
        elif word.end:
            into = "purpose" if into == "contrast" else into
        elif word.text != "insteadof":
            parts[into].append(word)
    return Clause(tuple(parts["words"]), tuple(parts["condition"]), tuple(parts["contrast"]))
