"""Scripted councils before a real repository: called as functions, and through the command line."""

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from guildmoot.calls import Watch
from guildmoot.calls.session import keep_packet
from guildmoot.config import load_config
from guildmoot.model.agent import Agent, Seat
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.run import begin, run_seated
from guildmoot.practices.council.seats import CouncilSeat
from guildmoot.practices.council.selection import Vendor
from guildmoot.practices.council.stages import PlannedCouncil, SeatedCouncil
from guildmoot.runs.record import PracticeRecord
from judges import PRICES, add_council_judge, finding, verdict

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
CODE = (
    "def total(items):\n    return sum(items) / 2\n\n\ndef half(number):\n    return number / 2\n"
)


class ListeningSession:
    """A real session, and every call that was made in it."""

    def __init__(self, session):
        self.session, self.calls, self.run_id = session, [], session.run_id
        self.clerk_model = session.clerk_model

    async def ask(self, calls, **options):
        self.calls += calls
        return await self.session.ask(calls, **options)


class Moot:
    """A repository, and judges that say what they are told."""

    finding = staticmethod(finding)
    listening = ListeningSession
    verdict = staticmethod(verdict)

    def __init__(self, shop):
        self.shop = shop
        self.root = shop.root
        self.folder = shop.root / ".agents" / "council"
        self.seats = []
        self.files = {}
        shop.write("prices.py", CODE)
        shop.commit()

    def judge(self, label, *replies, family="", angle=None, reply="council", **agent):
        """Seat a judge; a reply is a text or a step of a script."""
        self.files[label] = self.shop.home / f"{label}.json"
        self.say(label, *replies)
        who = Agent(
            name=label,
            description="d",
            body="",
            source="test",
            backend="scripted",
            family=family or label,
            replies=str(self.files[label]),
            reply=reply,
            **agent,
        )
        seat = Seat(label, label, who.backend, who.family, perspective=angle.name if angle else "")
        self.seats.append(CouncilSeat(seat, who, angle))

    def say(self, label, *replies, **others):
        """What a judge answers from now on; ``others`` are further seats, e.g. its explorers."""
        script = {"*": list(replies), **{k.replace("__", "~"): v for k, v in others.items()}}
        self.files[label].write_text(json.dumps({"replies": script}))

    def plan(self, **more):
        return CouncilPlan(
            **{
                "task": "validate",
                "target": "the prices",
                "targets": ("prices.py",),
                "vendors": (Vendor("scripted", "scripted"),),
                "judges": len(self.seats),
                "timeout": 5.0,
                **more,
            }
        )

    def config(self, **flags):
        given = {key.replace("__", "."): value for key, value in flags.items()}
        return load_config(None, Path("/nowhere"), {}, given)

    def packet(self, plan, **more):
        request = PacketRequest(targets=plan.targets, cwd=self.root, **more)
        return build_packet(request)

    def council(self, plan, packet=None, **flags):
        """The council as it is before anyone is asked."""
        angles = tuple(each.perspective for each in self.seats if each.perspective)
        planned = PlannedCouncil(plan, f"{DAY:%Y-%m-%d}", angles=angles)
        packet = packet or self.packet(plan)
        return SeatedCouncil(planned, packet, tuple(self.seats), self.config(**flags))

    async def holding(self, plan=None, *, keep=True, flags=None, watch=None, **more):
        """The council as a coroutine, for tests that stop it."""
        plan = plan or self.plan()
        packet = self.packet(plan, **more)
        council = self.council(plan, packet, **(flags or {}))
        record = PracticeRecord.begin(self.root if keep else None, DAY)
        if keep:
            keep_packet(self.root, packet)
        begin(record, council, {})
        return await run_seated(council, record, watch or Watch())

    def sit(self, plan=None, **more):
        return asyncio.run(self.holding(plan, **more))

    def written(self, ending=".md"):
        """The one report of that kind."""
        [file] = [path for path in self.folder.iterdir() if path.name.endswith(ending)]
        return file.read_text()


@pytest.fixture
def moot(shop):
    return Moot(shop)


class Council:
    """A shop whose judges say what they are told, and what their councils left behind."""

    def __init__(self, shop):
        self.shop = shop
        self.root = shop.root
        self.folder = shop.root / ".agents" / "council"
        shop.write("prices.py", PRICES)
        shop.commit("prices")

    def judge(self, name, *steps, seats=None, **front):
        """A scripted agent of the project; ``seats`` are steps for one label alone."""
        add_council_judge(self.shop, name, list(steps), seats=seats, **front)

    def run(self, *argv, **more):
        """``guild council``."""
        return self.shop.guild("council", *argv, **more)

    def validate(self, agents, *argv, **more):
        """A verdict on the prices by these agents, as JSON."""
        more_words = ("--agents", agents, f"--count={agents.count(',') + 1}", *argv)
        return self.run("validate", "prices.py", *more_words, "--json", **more)

    @property
    def reports(self):
        """The Markdown reports so far, by name."""
        return sorted(self.folder.glob("*.md")) if self.folder.is_dir() else []

    @property
    def text(self):
        """The one report."""
        [file] = self.reports
        return file.read_text()

    @property
    def ran(self):
        """Whether anybody was asked: a run was begun."""
        return (self.root / ".guild" / "runs").exists()


def headings(text):
    """The headings of a report, outside fences and quotations."""
    outside = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return [line.strip("# ") for line in outside.splitlines() if line.startswith("#")]


@pytest.fixture
def council(shop):
    return Council(shop)
