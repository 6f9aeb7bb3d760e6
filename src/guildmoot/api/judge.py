"""The verbs that judge work and give one verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guildmoot.calls import Watch
from guildmoot.calls.estimate import DryRun
from guildmoot.config import Config, Flags
from guildmoot.errors import NothingJudgedError, NothingToJudgeError, UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest, base_revision, complete, resolve_change
from guildmoot.practices import panel
from guildmoot.practices.panel import PanelRequest
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop, relayed


async def validate(request: PanelRequest, watch: Watch | None = None) -> RunReport:
    """Put files, a diff or commits before a panel of judges; one verdict."""
    return await off_loop(_validate(request, relay(watch)))


async def dry_run(request: PanelRequest) -> DryRun:
    """Who would be asked, what it may cost and what would leave; nothing is called or recorded."""
    return await off_loop(_dry_run(request))


def relay(watch: Watch | None) -> Watch:
    """The watch, told on the running loop whatever thread its run is on."""
    told = watch or Watch()
    return Watch(relayed(told.on_begin), relayed(told.on_event), relayed(told.on_note))


def check_texts(**given: object) -> None:
    """UsageError for a text where several belong: its letters would be taken one by one."""
    for name, value in given.items():
        if isinstance(value, str):
            raise UsageError(
                f"{name} is one text, and several belong there", f"Write {name}=({value!r},)."
            )


def tell_notices(config: Config, watch: Watch) -> None:
    """What of the repository is not used, before anything else is told."""
    for notice in config.notices:
        watch.on_note(notice)


def with_road(config: Config, seats: str = "the judges") -> Config:
    """The settings, with a word for the report where those who are asked are the host's own agents."""
    words = (config.text("panel.model"), *config.strings("council.vendors"))
    host = next((word for word in words if word.partition(":")[0] == "host"), "")
    if not host:
        return config
    who = host.partition(":")[2] or "the coding agent that runs guild"
    told = (
        f"handed out: {seats} are agents of {who}, one family; their agreement is coverage,"
        " not independent votes"
    )
    return config._replace(notices=(*config.notices, told))


def judging_base(packet: PacketRequest, flags: Flags, recent: int = 0) -> str:
    """The commit before the change that is judged: what the project says is taken from there.

    ``recent`` is how many commits were asked for; 0 is as the settings say.
    """
    recent = recent or int(settings_for(None, flags).number("packet.recent"))
    return base_revision(packet._replace(recent=recent))


async def _validate(request: PanelRequest, watch: Watch) -> RunReport:
    request, config = await _prepare(request)
    tell_notices(config, watch)
    try:
        return await panel.validate(request, config, watch)
    except NothingToJudgeError as nothing:
        return RunReport.of_nothing(nothing.message, nothing.hint)
    except NothingJudgedError as unjudged:
        return RunReport.of_undecided(unjudged.message.removeprefix("Undecided: "), unjudged.hint)


async def _dry_run(request: PanelRequest) -> DryRun:
    return panel.dry_run(*await _prepare(request))


async def _prepare(request: PanelRequest) -> tuple[PanelRequest, Config]:
    """The request with its packet complete, and the settings that hold for it."""
    check_texts(targets=request.packet.targets, agents=request.agents)
    packet = _as_change(request.packet)
    if not packet.targets and packet.diff is None and not packet.staged:
        packet = packet._replace(branch=True)
    packet = resolve_change(packet)
    base = judging_base(packet, request.settings)
    root = project_root(packet.cwd)
    config = with_road(settings_for(root, request.settings, base))
    if packet.change is None:  # whole files, of which the packet may not hold all
        packet = packet._replace(weights=_weights(root))
    record = request.record and config.flag("runs.keep")
    return request._replace(packet=await complete(packet, config), record=record), config


def _weights(root: Path) -> Mapping[str, float]:
    """What the map of the code calls risky is shown first, where ``guild learn`` made one."""
    if not (root / ".guild" / "indexes").is_dir():
        return {}
    from guildmoot.memory.codebase.codebase import known_risks

    return known_risks(root)


def _as_change(packet: PacketRequest) -> PacketRequest:
    """A diff called ``src`` is the change in src where there is such a path, not a range."""
    named = packet.diff or ""
    if named and ".." not in named and (packet.cwd / named).exists():
        return packet._replace(diff="", targets=(named, *packet.targets))
    return packet
