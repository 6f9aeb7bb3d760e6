"""What the silence of the judges is worth, file by file, in words: checked, parsed, scanned or unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from guildmoot.consensus.floors import UNSEEN, VerdictFloor
from guildmoot.model.packet import Omission
from guildmoot.model.report import FileCoverage
from guildmoot.text.languages import PAGES, language_of

_ONLY = {
    "parsed": "syntax and secrets only for {}",
    "scanned": "secrets and conflicts only for {}",
    "unread": "nobody read {}",
}
_MOST_LANGUAGES = 3


def coverage_words(coverage: Sequence[FileCoverage], omitted: Sequence[Omission] = ()) -> str:
    """``syntax and secrets only for 3 Go files``; empty when all code was checked by who knows its language.

    ``omitted`` is what no judge was given: what should have been judged of it counts as read by nobody.
    """
    code = [
        each
        for each in (*coverage, *_unread(coverage, omitted))
        if each.is_code or (each.language in PAGES and each.depth not in ("checked", "parsed"))
    ]
    told = []
    for depth, words in _ONLY.items():
        languages = Counter(each.language for each in code if each.depth == depth)
        if languages:
            told.append(words.format(_files(languages)))
    return ", ".join(told)


def _unread(
    coverage: Sequence[FileCoverage], omitted: Sequence[Omission]
) -> Iterator[FileCoverage]:
    """What was meant to be judged and did not fit or could not be read."""
    shown = {each.path for each in coverage}
    for path in sorted({item.path for item in omitted if item.reason in UNSEEN} - shown):
        language = language_of(path)
        yield FileCoverage(path, "unread", language.name, language.kind)


def unjudged_floor(
    coverage: Sequence[FileCoverage], *, accepted: bool, silent: Sequence[str] = ()
) -> list[VerdictFloor]:
    """There is code, and nobody who knows its language gave a verdict on any of it: that is no approval.

    ``silent`` are the judges that read any language, and of which no verdict was heard.
    """
    code = [each for each in coverage if each.is_code]
    if accepted or not code or any(each.depth == "checked" for each in code):
        return []
    why = (
        f"no judge here knows the language of the code ({coverage_words(coverage)}), so a person must"
        " look; `--model claude` (or codex, gemini, PROVIDER:MODEL) asks one that does, and"
        ' panel.unjudged = "approve" in your own settings accepts it'
    )
    if silent:
        why = (
            f"nobody who knows the language of the code gave a verdict ({', '.join(silent)} could have;"
            f" {coverage_words(coverage)}), so a person must look, or ask again"
        )
    return [VerdictFloor("unjudged", "undecided", why)]


def _files(languages: Counter[str]) -> str:
    if len(languages) > _MOST_LANGUAGES:
        return f"{languages.total():,} files in {len(languages)} languages"
    return ", ".join(
        f"{number:,} {f'{name} ' if name else ''}{'file' if number == 1 else 'files'}"
        for name, number in languages.most_common()
    )
