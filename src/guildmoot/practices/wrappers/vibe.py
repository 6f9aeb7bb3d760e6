"""``guild vibe``: is this change ready to ship?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.practices.wrappers.checks.complexity import check_complexity
from guildmoot.practices.wrappers.checks.links import check_links
from guildmoot.practices.wrappers.checks.model import Checked, Look
from guildmoot.practices.wrappers.checks.scope import check_changed, check_spec
from guildmoot.practices.wrappers.checks.tests import check_tests
from guildmoot.practices.wrappers.convening import Wrapper
from guildmoot.practices.wrappers.deciding import decide_vibe
from guildmoot.practices.wrappers.foretold import score_predictions
from guildmoot.practices.wrappers.suppressing import suppress
from guildmoot.records.predictions import read_predictions
from guildmoot.records.suppressions import read_suppressions
from guildmoot.reports.council.model import CouncilReport
from guildmoot.types import Packet


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
