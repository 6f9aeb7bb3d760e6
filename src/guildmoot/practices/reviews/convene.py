"""One sitting of a wrapper: programs check first, the judges see what they found, then the word.

``dress_for`` gives what is added to a report once the verdict is there; a resumed run needs it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls import Watch
from guildmoot.config import Config
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet, Section
from guildmoot.model.report import RunHeader
from guildmoot.packet import Request, build_packet
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.run import ReportHook, convene, with_sections
from guildmoot.practices.reviews.checks.model import Checked, Look
from guildmoot.practices.reviews.repository import look_at
from guildmoot.runs.council_record import stem_for
from guildmoot.version import __version__

ReportHookMaker = Callable[[CouncilReport, Packet, Path | None], CouncilReport]


class Wrapper(NamedTuple):
    """A council with a purpose."""

    name: str
    check: Callable[[Packet, Look, Sequence[str]], tuple[Checked, ...]]
    """The mechanical checks; the last argument is what changed but is not judged."""
    dress: ReportHookMaker
    """The report with tables and decision; the path is where records are kept, or None."""


class Prepared(NamedTuple):
    """A sitting before anyone is asked."""

    request: Request
    packet: Packet
    checks: tuple[Checked, ...]


def prepare(
    wrapper: Wrapper, plan: CouncilPlan, request: Request, left: Sequence[str] = ()
) -> Prepared:
    """Let the programs look, and put what they found before the judges."""
    packet = build_packet(with_sections(request, plan))
    checks = wrapper.check(packet, look_at(Path(packet.root)), left)
    section = Section("evidence", "mechanical checks", told(checks))
    return Prepared(request._replace(sections=(*request.sections, section)), packet, checks)


async def sit_as(
    wrapper: Wrapper,
    plan: CouncilPlan,
    ready: Prepared,
    config: Config,
    watch: Watch,
    *,
    root: Path | None,
    previous: str = "",
    fresh: bool = False,
    parent: str = "",
) -> CouncilReport:
    """Convene the council, and give its verdict the wrapper's word."""
    return await convene(
        plan,
        ready.request,
        config,
        watch,
        root=root,
        previous=previous,
        checks=[(each.name, each.result, each.detail) for each in ready.checks],
        wrapper=wrapper.name,
        hook=dress_with(wrapper, ready.packet, root),
        fresh=fresh,
        parent=parent,
    )


def dress_with(wrapper: Wrapper, packet: Packet, root: Path | None) -> ReportHook:
    """What the wrapper adds to the report before it is written."""
    return lambda report: wrapper.dress(report, packet, root)


def told(checks: Sequence[Checked]) -> str:
    """The checks as the judges read them."""
    lines = []
    for each in checks:
        lines.append(f"{each.name}: {each.result}: {each.detail}")
        lines += [f"  {line}" for line in each.more]
    return "\n".join(lines)


def nothing_to_judge(wrapper: str, target: str, why: str) -> CouncilReport:
    """A PASS without judges, because there is nothing to be judged; it says so."""
    now = datetime.now(UTC)
    return CouncilReport(
        header=RunHeader(
            "", target, __version__, policy="council", reasons=(f"{why}, so nobody was asked",)
        ),
        stem=stem_for(now, wrapper, target),
        date=f"{now:%Y-%m-%d}",
        task="validate",
        modes=("default",),
        judges=(),
        outcome="PASS",
        verdict="PASS",
        checks=(("changed files", "ok", why),),
        wrapper=wrapper,
        decision="SHIP" if wrapper == "vibe" else "CLOSE",
    )
