"""Word stems: English by Porter's rules (1980), so that "caching", "cached" and "caches" are one word, and Cyrillic
words without their commonest endings.

Words of other scripts, with digits or of fewer than three letters are left as they are.
"""

from __future__ import annotations

from functools import lru_cache

from guildmoot.text.english import word_set

_CYRILLIC = sorted(
    word_set("""
иями ями ами иях ях ах иям ям ам ием ем ом ов ев ей ой ий ый ій ые ие ії ая яя ое ее ого его ому ему ых их ую юю ою
ею ыми ими ия ии ию ить ать ять еть ет ут ют ит ат ят ешь ишь ал ил ала ила али или ка ки ку кой ок
у ю ы и і ї а я о е ь й
"""),
    key=lambda ending: (-len(ending), ending),
)
_VOWELS = frozenset("aeiou")
_STEP2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize")),
    *(("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    *(("ization", "ize"), ("isation", "ise"), ("ation", "ate"), ("ator", "ate"), ("alism", "al")),
    *(
        ("iveness", "ive"),
        ("fulness", "ful"),
        ("ousness", "ous"),
        ("aliti", "al"),
        ("iviti", "ive"),
    ),
    *(("biliti", "ble"), ("logi", "log")),
)
_STEP3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic")),
    *(("ful", ""), ("ness", "")),
)
_STEP4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous"),
    *("ive", "ize", "ion", "al", "er", "ic", "ou"),
)


@lru_cache(maxsize=1 << 17)
def porter(word: str) -> str:
    """The stem of a lower-case word."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP2)
    word = _replaced(word, _STEP3)
    return _tidy(_cut(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and _has_vowel(stem):
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if _ends_double(stem) and stem[-1] not in "lsz":
                return stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem
    return word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for ending, put in rules:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + put if _measure(stem) > 0 else word
    return word


def _cut(word: str) -> str:
    for ending in _STEP4:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            fits = ending != "ion" or stem.endswith(("s", "t"))
            return stem if fits and _measure(stem) > 1 else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _is_consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter in _VOWELS:
        return False
    return letter != "y" or at == 0 or not _is_consonant(word, at - 1)


def _measure(stem: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, vowel = 0, False
    for at in range(len(stem)):
        if _is_consonant(stem, at):
            count += vowel
            vowel = False
        else:
            vowel = True
    return count


def _has_vowel(stem: str) -> bool:
    return any(not _is_consonant(stem, at) for at in range(len(stem)))


def _ends_double(stem: str) -> bool:
    return len(stem) > 1 and stem[-1] == stem[-2] and _is_consonant(stem, len(stem) - 1)


def _ends_short(stem: str) -> bool:
    """Consonant, vowel, consonant that is none of w, x, y."""
    last = len(stem) - 1
    return (
        last >= 2
        and _is_consonant(stem, last)
        and not _is_consonant(stem, last - 1)
        and _is_consonant(stem, last - 2)
        and stem[last] not in "wxy"
    )


def stem(word: str) -> str:
    """What a word in small letters is found by."""
    return _without_ending(word) if "\u0400" <= word[:1] <= "\u04ff" else porter(word)


@lru_cache(maxsize=100_000)
def _without_ending(word: str) -> str:
    plain = word.removesuffix("ся").removesuffix("сь").replace("ё", "е")
    for ending in _CYRILLIC:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            return plain[: -len(ending)]
    return plain
