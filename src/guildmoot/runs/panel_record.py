"""What a panel leaves behind: each stage is written as it ends, so a stopped run stays readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from guildmoot.config import Config, Value
from guildmoot.errors import UsageError
from guildmoot.guard.secrets import mask
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Reply
from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Judgement
from guildmoot.reports.json import to_json
from guildmoot.runs.record import RunRecord, new_run

_PASSWORD = re.compile(
    r"((?<=postgresql)://[^/@:\s]*:)\S+(?=@)"  # any sign may stand in one, as the engine reads it
    r"|(://[^/@:\s]*:)[^/@\s]+(?=@)"
    r"|([?&](?:ssl)?password=)[^&\s]*",
    re.IGNORECASE,
)


class PanelRecord:
    """Writes one panel's run; without a folder it keeps nothing and says so in no file."""

    def __init__(self, run: RunRecord | None, read_from: RunRecord | None = None) -> None:
        self._run = run
        self._problem = ""
        about = run or read_from
        self.run_id = about.run_id if about else ""
        self._folder = about.folder if about else None
        self.root = about.root if about else None
        """The repository that keeps the run; None when nothing is kept."""

    @classmethod
    def begin(cls, root: Path | None, now: datetime) -> PanelRecord:
        """Open a record under ``root``, or none at all."""
        return cls(new_run(root, now) if root else None)

    @classmethod
    def again(cls, folder: Path) -> PanelRecord:
        """Go on with a run's own record; UsageError when another process is at work on it."""
        run = RunRecord(folder)
        if not run.hold():
            raise UsageError(
                f"the run {run.run_id} is still going on", "Wait for it, or stop its process first."
            )
        return cls(run)

    @classmethod
    def untouched(cls, folder: Path) -> PanelRecord:
        """A run that is only read: nothing is written to its record."""
        return cls(None, RunRecord(folder))

    def asked(
        self,
        request: dict[str, object],
        config: Config,
        manifest: dict[str, object],
        seats: Sequence[Seat],
        agents: Mapping[str, Agent],
        passed_over: Sequence[tuple[str, str]],
    ) -> None:
        """What was asked of whom, before anyone answers."""
        if not self._run:
            return
        sources = {
            key: {"value": shown(origin.value), "source": origin.source}
            for key, origin in config.values.items()
        }
        self._run.put("config", {"schema_version": 1, "settings": sources})
        self._run.put("packet", {"schema_version": 1, **manifest})
        roster = {"asked": [seat._asdict() for seat in seats], "passed_over": list(passed_over)}
        who = {name: plain_agent(agent) for name, agent in agents.items()}
        self._run.put("roster", {"schema_version": 1, **roster, "agents": who})
        # Last: a run with a request is whole enough to be gone on with.
        self._run.put("request", {"schema_version": 1, **request})

    def answered(self, replies: Sequence[Reply]) -> None:
        """Each raw reply, and who really answered."""
        if self._run:
            self._keep(lambda run: run.put_replies(replies))

    def finish(
        self,
        judgements: Sequence[Judgement],
        report: RunReport,
        *,
        interrupted: bool,
        whole: bool = True,
    ) -> None:
        """Write the result; the state comes last. One that is not ``whole`` can be gone on with."""
        state = "interrupted" if interrupted else "complete" if whole else "incomplete"
        self._keep(lambda run: run.put("judgements", _plain(judgements)))
        self._keep(lambda run: run.put("result", to_json(report)))
        self._keep(lambda run: run.put("state", {"schema_version": 1, "state": state}))
        if self._run:
            self._run.let_go()

    @property
    def keeps(self) -> bool:
        """Whether anything is written at all."""
        return self._run is not None

    @property
    def problem(self) -> str:
        """What could not be kept, and why; empty when the record is whole."""
        return self._problem

    def _keep(self, write: Callable[[RunRecord], None]) -> None:
        """The judges have answered by now, so a full disk must not lose the verdict."""
        if not self._run or self._problem:
            return
        try:
            write(self._run)
        except OSError as error:
            self._problem = f"the record of this run is incomplete: {error.strerror}"


def shown(value: Value) -> Value:
    """A setting as it may be kept: a command line or an address may hold a secret."""
    if not isinstance(value, str):
        return value
    return _PASSWORD.sub(r"\1\2\3***", mask(value, "setting")[0])


def plain_agent(agent: Agent) -> dict[str, object]:
    """An agent as a record keeps it; ``masked`` tells when what it runs is not whole."""
    command = [mask(word, "command")[0] for word in agent.command]
    said = {name: mask(getattr(agent, name), "agent")[0] for name in ("description", "body")}
    masked = command != list(agent.command) or said["body"] != agent.body
    return {**agent._asdict(), **said, "command": command, "masked": masked}


def _plain(judgements: Sequence[Judgement]) -> dict[str, object]:
    plain = [
        {
            **judgement._asdict(),
            "findings": [finding._asdict() for finding in judgement.findings],
            "cli_runs": [run._asdict() for run in judgement.cli_runs],
        }
        for judgement in judgements
    ]
    for entry in plain:
        del entry["council"]  # the reply is kept whole, and can be read again
    return {"schema_version": 1, "judgements": plain}
