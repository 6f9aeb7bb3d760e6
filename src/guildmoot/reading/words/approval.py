"""The verdict's word and what may stand around it on its line: an allow-list, since only a plain yes is one.

A flag is read generously, an approval is not: before the word signs of type and of assent, after it nothing but
those, a short phrase that lists know, or a sentence that neither qualifies it nor speaks against it.
"""

from __future__ import annotations

from guildmoot.reading.words.lexicon import folded, phrases, word_set, words_of

VALUES = ("approved", "flagged", "flagged-conflict", "recused", "operator-judgment-required")
UNREADABLE = "?"
"""A verdict line whose word is none that we know."""
_NAMES = word_set("""approved approve flagged recused operator rejected fail failed pass warn""")
_TYPE = "*_`\"'“”‘’«»"
_ASSENT = "✅✔☑👍🟢✓🎉🚀👌🙌💚️"
_BEFORE = _TYPE + "([ \t\u00a0" + _ASSENT
_AFTER = _TYPE + ")].! \t\u00a0" + _ASSENT
_BULLETS = ("- ", "* ", "• ", "[x] ", "[X] ", "→ ", "-> ")
_BREAKS = (". ", "! ", "- ", "– ", "— ", "—", "–", ", ", "; ", ": ", "(", "[")
_LONGEST = 300

_SOFT = word_set("""minor small tiny optional trivial cosmetic advisory stylistic low nits nit nitpicks
    suggestions suggestion confidence praise nonblocking style""")
_WITH = _SOFT | word_set("""a few some couple of non severity priority comments comment notes note remarks remark
    observations feedback high full very good strong medium moderate no changes and or only one two
    three below listed the my advice polish points""")
_BARE = phrases("""as is|as it is|without changes|without reservation|without reservations|unconditionally|final
    with flying colours|with flying colors""")
_NOTHING = word_set("""no nothing none zero not changes change issues issue blocking blockers blocker concerns problems
    findings finding further action actions needed required requested found necessary to add fix
    report flag critical or and remaining open outstanding detected identified of note severity high
    any kind comments objections were was at all more else other major serious defects bugs
    regressions i for the this significant""")
_QUALIFIERS = word_set("""but unless if except once provided providing after pending subject conditional conditionally
    contingent however although though assuming until when whenever not never needs need requires
    require required only must should first later before or false tbd mostly partially partly
    temporarily yet still cannot cant wont dont doesnt isnt would could might may maybe perhaps
    probably nearly almost otherwise instead against despite while nonetheless nevertheless pretend
    allegedly supposedly claims claimed says said wrote asked told example sample template previous
    earlier other sobald wenn falls nachdem aber nicht erst mais sous après dès pas si pero cuando
    después tras siempre mas quando depois desde dopo solo quindi se salvo sofern vorbehaltlich sauf
    jedoch sin sem senza если но после когда""")


def read_value(text: str) -> str:
    """One of the five verdicts; ``?`` when it is another word; nothing for an unfilled template."""
    words = words_of(folded(text[:_LONGEST]).replace("judgement", "judgment"))
    named = sum(word in _NAMES for word in words)
    if (named > 1 and any(mark in text for mark in "|/")) or (
        text[:1] in "<{" and text[-1:] in ">}"
    ):
        return ""
    value = "-".join(words)
    value = "operator-judgment-required" if value == "operator-judgment" else value
    if value in VALUES[1:] and "?" not in text:
        return value
    if words[:1] == ["flagged"] and named == 1:
        return "flagged"
    return "approved" if approves(text) else UNREADABLE


def approves(text: str, word: str = "approved") -> bool:
    """Whether a text is the word for an approval, with nothing around it that could change it."""
    said = text.strip()
    for bullet in _BULLETS:
        said = said.removeprefix(bullet)
    said = said.lstrip(_BEFORE)
    after = said[len(word) :]
    if (
        said[: len(word)].lower() != word
        or len(after) > _LONGEST
        or after[:1].isalnum()
        or (after[:1] in ("-", "_") and after[1:2].isalnum())
    ):
        return False
    rest = after.strip(_AFTER)
    return not rest or _is_harmless(after.lstrip(_TYPE + " ])\t" + _ASSENT))


def _is_harmless(after: str) -> bool:
    """What stands behind the word takes nothing from it."""
    if "?" in after or "？" in after or "~~" in after:
        return False
    small = folded(after)
    words = words_of(
        small.replace("non-blocking", "nonblocking").replace("non blocking", "nonblocking")
    )
    if f" {' '.join(words)} " in _BARE or _is_confidence(after, words):
        return True
    lead, colon, sentence = after.partition(": ")
    if words[:1] == ["with"] and colon:
        return _is_harmless(lead) and _is_harmless(f": {sentence}")
    if words[:2] in (["with", "no"], ["with", "zero"]):
        return len(words) > 2 and _NOTHING.issuperset(words[1:])
    if words[:1] == ["with"]:
        return _WITH.issuperset(words[1:]) and not _SOFT.isdisjoint(words)
    if not after.startswith(_BREAKS):
        return False
    if (
        words[:1] in (["no"], ["nothing"], ["none"], ["zero"])
        and len(words) > 1
        and _NOTHING.issuperset(words)
    ):
        return True
    if words[:1] == ["with"] or (words[:1] == ["confidence"] and len(words) < 4):
        return _is_harmless(" ".join(words)) or words[:1] == ["confidence"]
    first, _, more = small.partition(", ")
    if (
        words_of(first)[:1] in (["no"], ["nothing"])
        and _NOTHING.issuperset(words_of(first))
        and more
    ):
        return _is_harmless(f", {more}")
    return _is_sentence(after, words)


def _is_confidence(after: str, words: list[str]) -> bool:
    """``with high confidence``, ``(confidence: high)``, or its degree alone in brackets."""
    bracketed = after[:1] in ("(", "[") and words in (["high"], ["medium"])
    return bracketed or ("confidence" in words and _WITH.issuperset({*words} - {"with"}))


def _is_sentence(after: str, words: list[str]) -> bool:
    """A sentence of plain praise or summary, in letters that we can read."""
    from guildmoot.reading.words.wording import objection

    letters = [mark for mark in after if mark.isalpha()]
    return (
        bool(letters)
        and all(mark.isascii() for mark in letters)
        and len(words) > (2 if after[0] in "([" else 1)
        and words[0] != "by"
        and _QUALIFIERS.isdisjoint(words)
        and _NAMES.isdisjoint(words)
        and not objection(after)
    )


_OWN_WORDS = word_set("""my final overall verdict conclusion decision conclude assessment judgement judgment result
    therefore thus hence so summary review short sum down stand recommendation fazit urteil
    ergebnis verdict conclusión veredicto conclusion итог вердикт 结论 結論 reviewed checked looking
    considering based given""")
_STRANGERS = word_set("""example sample template expected format form readme file comment comments author description
    docs document issue ticket says say said writes wrote write written reads read asks asked wants
    told claims contains contain ends text previous old other another judge reviewer bot peer
    colleague yesterday earlier last prompt instruction instructions told with would should his her their your have
    like quote quoted fixture test output log tool injected string commit message pr e g autor
    escriba""")
_SHOWN = word_set("example examples sample template format")
_ANNOUNCING = word_set("""with written write writes wrote said says say answer answers reads read is be was as like
    contains holds has states to a the output of line text follows following that quote quoting
    example contain hold have include includes print prints returns reply replied replies add adds
    wants""")
_GOING_ON = word_set("""and is which but was would in because if or as from unless only once when provided that though
    not except would, could should says said they he she it's its unlike until pending after subject""")
_FRAMES = (
    '"""',
    "'''",
    "“",
    "[quote",
    "[/quote",
    "[code",
    "[/code",
    "-----BEGIN",
    "-----END",
    "$",
    "%%",
    ":::",
    "\\begin",
    "\\end",
    "@@",
    "+++",
    "<<<",
    ">>>",
    "===",
)


def announces(line: str) -> bool:
    """Whether a line says that what follows are not the judge's own words now."""
    if not line:
        return False
    if line.startswith(_FRAMES):
        return True
    words = words_of(folded(line[-_LONGEST:]))
    if line[0] == "#" and len(words) <= 4 and not _SHOWN.isdisjoint(words):
        return True
    if line[-1] in ":：":
        title = line[:1] in "#*" and len(words) <= 4
        own = not _OWN_WORDS.isdisjoint(words) or title
        return not own or not _STRANGERS.isdisjoint(words)
    return line[-1].isalnum() and len(words) > 2 and words[-1] in _ANNOUNCING


def goes_on(line: str) -> bool:
    """Whether a line continues a sentence of which the verdict was the object, or is its footnote."""
    line = line.lstrip("*†- ")
    return line.startswith(_FRAMES) or (
        line[:1].islower() and line.split(None, 1)[0].strip(",") in _GOING_ON
    )
