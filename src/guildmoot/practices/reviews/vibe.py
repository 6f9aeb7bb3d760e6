"""``guild vibe``: is this change ready to ship?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.memory.predictions import read_predictions
from guildmoot.memory.suppressions import read_suppressions
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet
from guildmoot.practices.reviews.checks.complexity import check_complexity
from guildmoot.practices.reviews.checks.links import check_links
from guildmoot.practices.reviews.checks.model import Checked, Look
from guildmoot.practices.reviews.checks.scope import check_changed, check_spec
from guildmoot.practices.reviews.checks.tests import check_tests
from guildmoot.practices.reviews.convene import Wrapper
from guildmoot.practices.reviews.decision import decide_vibe
from guildmoot.practices.reviews.predictions import score_predictions
from guildmoot.practices.reviews.suppressions import suppress


def check(packet: Packet, look: Look, left: Sequence[str]) -> tuple[Checked, ...]:
    """What programs can tell of a change."""
    return (
        check_changed(packet, left),
        check_spec(packet),
        check_complexity(packet.files, dict(packet.changed)),
        check_tests(packet.files, look),
        check_links(packet.files, look),
    )


def dress(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the hot spots, what was foretold, and the decision; suppressions come last."""
    here = Path(packet.root)
    hot = check_complexity(packet.files, dict(packet.changed)).table
    hits = score_predictions(read_predictions(here), report.issues).hits
    foretold = tuple((each.id, issue.representative.title) for each, issue in hits)
    tables = [hot] if hot else []
    if foretold:
        tables.append(("Predicted by a pre-mortem", ("Id", "Finding"), foretold))
    decided = report._replace(decision=decide_vibe(report), tables=(*report.tables, *tables))
    return suppress(decided, read_suppressions(here))


VIBE = Wrapper("vibe", check, dress)
