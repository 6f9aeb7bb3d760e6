"""``guild pre-mortem``: is this plan good enough to be carried out?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import GuildmootError
from guildmoot.memory.predictions import FILE, predict
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet
from guildmoot.practices.reviews.checks.claims import check_claims, check_verified
from guildmoot.practices.reviews.checks.links import check_links
from guildmoot.practices.reviews.checks.model import Checked, Look
from guildmoot.practices.reviews.convene import Wrapper
from guildmoot.practices.reviews.decision import decide_pre_mortem
from guildmoot.practices.reviews.predictions import foretellings


def check(packet: Packet, look: Look, left: Sequence[str]) -> tuple[Checked, ...]:
    """What programs can tell of a plan."""
    plan = "\n".join(file.text for file in packet.files)
    return (check_claims(plan, look), check_verified(plan), check_links(packet.files, look))


def dress(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the decision; each issue is put on file as a prediction with an id."""
    report = report._replace(decision=decide_pre_mortem(report))
    if root is None or not report.decision or not report.issues:
        return report
    plan = packet.files[0].path if packet.files else report.header.target
    try:
        kept = predict(root, report.header.run_id, report.date, plan, foretellings(report.issues))
    except (OSError, GuildmootError) as error:
        note = f"the predictions could not be written to {FILE}: {error}"
        return report._replace(notes=(*report.notes, note))
    return report._replace(predictions=tuple((each.id, each.foretold) for each in kept))


PRE_MORTEM = Wrapper("pre-mortem", check, dress)
