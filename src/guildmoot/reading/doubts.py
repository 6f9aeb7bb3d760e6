"""What makes an approval doubtful: words elsewhere in the reply that say the opposite.

An approval is the one reading that lets work pass, so it must be the only thing that the judge says.
Everything here costs time only for replies that hold the suspicious words at all.
"""

from __future__ import annotations

from guildmoot.reading.blocks import OWN
from guildmoot.reading.labels import ADVISORY
from guildmoot.reading.scan import Scan

_REGIONS = ("<!--", "<pre", "<code", "<artifact", "<blockquote")


def without_markup(text: str) -> str:
    """The text without what stands in HTML comments and in elements that quote; lines keep their number."""
    small = text.lower()
    if not any(region in small for region in _REGIONS):
        return text
    import re

    pattern = r"<!--.*?(?:-->|\Z)|<(pre|code|artifact|blockquote)\b[^>]*>.*?(?:</\1\s*>|\Z)"
    quoted = re.compile(pattern, re.DOTALL | re.IGNORECASE)
    return quoted.sub(lambda region: "\n" * region[0].count("\n"), text)


def contradiction(scan: Scan) -> str:
    """Why an approval cannot be taken at its word, or nothing."""
    rows = [
        row for section in scan.sections if section.kind != ADVISORY for row in _own(section.lines)
    ]
    said = "\n".join(rows)
    small = said.lower()
    if any(value.startswith(("flagged", "operator")) for value in scan.listed):
        return "contradicting verdicts: approved, and in a list flagged"
    if "verdict" in small and _other_verdict(said):
        return "contradicting verdicts: approved, and elsewhere flagged"
    if any(word in small for word in ("blocking", "critical", "blocker", "severity")) and _grave(
        said
    ):
        return "the verdict is approved, yet a finding is marked as blocking or critical"
    return ""


def _own(lines: list[tuple[str, str]]) -> list[str]:
    """What the judge says in its own name; a deep indentation is how Markdown quotes code."""
    return [row for kind, row in lines if kind == OWN and not row.startswith(("    ", "\t"))]


def _other_verdict(said: str) -> bool:
    import re

    plain = re.sub(r"`[^`\n]*`|[\u200b-\u200d\ufeff]", "", said)
    return bool(
        re.search(
            r"(?<!['\"“‘«])\bverdict\W{1,6}(?:is\W+)?(?:flagged|operator-judgment)",
            plain,
            re.IGNORECASE,
        )
    )


def _grave(said: str) -> bool:
    import re

    marks = r"blocking|critical|blocker"
    found = re.search(
        rf"^\W*(?:BLOCKING\s*:|\[(?:{marks})\]|\*\*(?:{marks})\*\*\s*:?|\*\*(?:{marks}):\*\*)\s*(\S.*)$"
        r"|^\W*severity\W{1,4}(?:critical|blocker|high)\b",
        said,
        re.MULTILINE | re.IGNORECASE,
    )
    if not found:
        return False
    from guildmoot.reading.items import says_none

    return not (found[1] and says_none(found[1]))
