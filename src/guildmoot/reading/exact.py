"""Whether a reply is nothing but the form that was asked for: nothing in such a reply can be a quotation."""

from __future__ import annotations

from guildmoot.reading.words.approval import VALUES

_LABELS = (
    "Reasons:",
    "Advisory:",
    "Advisory notes:",
    "Suggested remedies:",
    "CLI runs:",
    "## CLI runs",
)
_LINES = ("Escalation: none", "Confidence: high", "Confidence: medium", "Confidence: low")


def is_plain_form(text: str) -> bool:
    """The line ``VERDICT: word``, then at most confidence, and lists under the labels of the grammar."""
    rows = [row.rstrip() for row in text.replace("\r\n", "\n").strip("\n\ufeff").split("\n")]
    if rows[0] not in [f"VERDICT: {value}" for value in VALUES]:
        return False
    listing = False
    for row in filter(None, rows[1:]):
        item = listing and row[:2] == "- " and "<" not in row
        recusal = rows[0].endswith("recused") and row.startswith("Reason: ")
        if not (item or recusal or row in _LABELS or row in _LINES):
            return False
        listing = item or row in _LABELS
    return True
