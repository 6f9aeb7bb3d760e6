"""Whether a chair's sentence fits the issues it names: its words, numbers and names are theirs, or the verdict's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from guildmoot.text.english import ALL_STOP_WORDS, content_stems, stem, word_set

_VOCABULARY = frozenset(
    map(
        stem,
        word_set("""
        verdict outcome decision consensus result council panel chair judge judges vote view opinion
        pass warn fail disagree approve reject accept block advise incomplete support split
        finding issue problem bug defect fault risk concern remark reason cause evidence
        critical significant minor grave gravest serious severe important main major worst
        fix mend repair solve resolve address remedy correct work
        merge ship release deploy commit wait stop start begin continue
        first second third last next before after once until another further one two both
        wrong right true false good bad matter need want make mean say find found raise name see
        agree differ different against recommend propose suggest advise ask answer
        option theme question recommendation open alone three four five six way thing part
        people person team lead review must never lead leads get become come
        """),
    )
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        2,
    )
} | {"dozen": "12", "twenty": "20", "thirty": "30", "hundred": "100", "thousand": "1000"}
_NUMBER = re.compile(r"(?<![\w.-])(?:\d[\d.,]*\d|\d)(?![\w-])|\b[a-z]{3,8}\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s*(?:of\s+\w+\s+|of\s+the\s+)?(?:\w+\s+)?"
    r"(?:judges?|findings?|issues?|problems?|votes?|options?|themes?|questions?|views?|vendors?)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:seconds|minutes?|hours?|days?|weeks?|months?|quarters?|years?|sprints?)\b", re.IGNORECASE
)
_NAME = re.compile(
    r"`[^`\n]{1,80}`"
    r"|[\w@+-][\w./@+-]*\.[A-Za-z]\w{0,5}(?::\d+)?(?![\w/])"
    r"|\b[A-Za-z]\w*_\w+|\b\w+\(\)|\b[a-z]+[A-Z]\w*"
)
_CLAUSE = re.compile(
    r"[,;:](?=\s)|\s[–—-]\s|\s(?:and|but|yet|while|whereas|because|so that)\s", re.IGNORECASE
)
_KIND = re.compile(
    r"\b([\w-]{2,40})\s+(?:modules?|packages?|services?|class(?:es)?|functions?|methods?|files?|components?"
    r"|librar(?:y|ies)|tables?|endpoints?|workflows?)\b",
    re.IGNORECASE,
)


def misfit(sentence: str, words: str, known: str = "", counts: int = 0) -> str:
    """What of the sentence stands in none of its issues; empty where it fits.

    ``words`` are those of the issues it names, ``known`` what else the verdict names (its target, who sits),
    ``counts`` how many judges or issues there are at most.
    """
    all_words = f"{words}\n{known}"
    alien = list(
        dict.fromkeys(
            (*_alien_numbers(sentence, words, counts), *_alien_names(sentence, all_words))
        )
    )
    if alien:
        return f"names what is in none of its issues: {', '.join(alien)[:80]}"
    theirs, general = _stems(all_words), _VOCABULARY
    said = [each for each in content_stems(sentence) if not each.replace(".", "").isdigit()]
    own = [each for each in said if each not in general]
    held = sum(_in(each, theirs) for each in own)
    if own and (not held or 2 * (len(said) - len(own) + held) < len(said)):
        return "is not about the issues it names"
    return next(filter(None, (_invented(clause, theirs) for clause in _CLAUSE.split(sentence))), "")


def _invented(clause: str, theirs: frozenset[str]) -> str:
    """A part of the sentence with most of its words in no issue: two that none has, of three or more the half."""
    said = [each for each in content_stems(clause) if not each.replace(".", "").isdigit()]
    own = [each for each in said if each not in _VOCABULARY]
    held = sum(_in(each, theirs) for each in own)
    if len(own) > 1 and (not held or 2 * held < len(own)):
        return f"says what is in none of its issues: {clause.strip()!r}"
    return ""


def _alien_numbers(sentence: str, words: str, counts: int) -> Iterator[str]:
    """Numbers that no issue gives, other than a count of judges or issues; and spans of time."""
    given = {_value(each) for each in _NUMBER.findall(words)}
    given |= set(re.findall(r"\d+", words))
    for found in _NUMBER.finditer(sentence):
        value = _value(found[0])
        if not value or value in given:
            continue
        counted = _COUNTED.match(sentence, found.end()) or re.search(
            r"\bof\s+$", sentence[: found.start()]
        )
        if not (counted and value.isdigit() and int(value) <= counts):
            yield found[0]
    theirs = _stems(words)
    yield from (each for each in _TIMES.findall(sentence) if stem(each) not in theirs)


def _alien_names(sentence: str, words: str) -> Iterator[str]:
    """Files, modules and identifiers that no issue names."""
    plain, theirs = words.casefold(), _stems(words)
    for found in _NAME.findall(sentence):
        name = found.strip("`").strip(".").removesuffix("()").casefold()
        if name and name not in plain:
            yield found
    for name in _KIND.findall(sentence):
        small = name.casefold()
        if (
            small not in ALL_STOP_WORDS
            and stem(small) not in _VOCABULARY
            and not _in(stem(small), theirs)
        ):
            yield name


def _value(number: str) -> str:
    plain = number.casefold()
    return _NUMBERS.get(plain, "") if plain.isalpha() else plain.replace(",", "")


def _stems(text: str) -> frozenset[str]:
    """The stems of a text, of its names also part by part."""
    return content_stems(text) | content_stems(re.sub(r"[\W_]+", " ", text))


def _in(word: str, stems: Collection[str]) -> bool:
    """Whether the stem is among them, or begins as one of them does: "inject" and "injection" are one word."""
    return word in stems or (
        len(word) >= 4
        and any(
            len(each) >= 4 and (each.startswith(word) or word.startswith(each)) for each in stems
        )
    )
