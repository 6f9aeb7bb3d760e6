"""Council verdicts: reads a judge's JSON verdict (schema v0 to v4), writes it, and asks for it.

Reading replies in the panel's own grammar is left to ``guildmoot.reading.grammar``.
"""

from guildmoot.model.council_verdict import (
    Acknowledgment,
    Assertion,
    Challenge,
    CouncilFinding,
    CouncilReading,
    CouncilVerdict,
    DebateNotes,
)
from guildmoot.reading.council.judgement import read_judgement, to_judgement
from guildmoot.reading.council.read import read_council
from guildmoot.reading.council.schema import SCHEMA
from guildmoot.reading.council.strict import VENDORS, from_strict, strict_schema
from guildmoot.reading.council.write import to_json

__all__ = [
    "SCHEMA",
    "VENDORS",
    "Acknowledgment",
    "Assertion",
    "Challenge",
    "CouncilFinding",
    "CouncilReading",
    "CouncilVerdict",
    "DebateNotes",
    "from_strict",
    "read_council",
    "read_judgement",
    "strict_schema",
    "to_json",
    "to_judgement",
]
