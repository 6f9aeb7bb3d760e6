"""A repository with a council of its own, as a user has it: real git, real commands, scripted judges."""

import json
import re

import pytest

CODE = "def total(items):\n    return sum(items) / 2\n"
HALVED = "totals are halved, so every invoice is wrong"


def finding(description=HALVED, place="prices.py:2", severity="critical", **more):
    """One finding in the council's form."""
    return {
        "severity": severity,
        "category": "correctness",
        "description": description,
        "location": place,
        "recommendation": "drop the division",
        "fix": "return sum(items)",
        "why": "customers pay half",
        "ref": place,
        **more,
    }


def verdict(word, *findings, **more):
    """What a judge answers."""
    return json.dumps(
        {
            "verdict": word,
            "confidence": "HIGH",
            "key_insight": f"it is a {word}",
            "findings": list(findings),
            "recommendation": "mend it",
            "schema_version": 4,
            **more,
        }
    )


class Council:
    """A shop whose judges say what they are told, and what their councils left behind."""

    def __init__(self, shop):
        self.shop = shop
        self.root = shop.root
        self.folder = shop.root / ".agents" / "council"
        shop.write("prices.py", CODE)
        shop.commit("prices")

    def judge(self, name, *steps, seats=None, **front):
        """A scripted agent of the project; ``seats`` are steps for one label alone."""
        script = {"*": list(steps), **(seats or {})}
        self.shop.write(f".guild/agents/{name}.json", json.dumps({"replies": script}))
        fields = {"name": name, "description": "d", "backend": "scripted"}
        fields |= {"replies": f"{name}.json", "reply": "council", "family": name, **front}
        lines = [f"{key}: {value}" for key, value in fields.items()]
        text = "---\n" + "\n".join(lines) + "\n---\nJudge it.\n"
        self.shop.write(f".guild/agents/{name}.md", text)

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
