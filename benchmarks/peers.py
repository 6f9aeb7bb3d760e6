"""A cold panel of three models, and the same three calls done with other tools, in one run.

    python benchmarks/peers.py --install    # once: puts the others into virtual environments
    python benchmarks/peers.py

Every row is a whole process, from its start to its end, against a scripted provider on loopback
that answers after 1 s. Bound: 1 s + 2.5 s for ``guild validate`` with seats of three vendors. The
others get a prompt of about the same length and only make the calls. All live in ``$GUILD_PEERS``
(else ``~/.cache/guildmoot/peers``), never in this repository and never in our process; each runs
with an empty home, dummy keys and an environment that holds nothing else. Exit code 1 when our
bound is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback import Provider, Rule, serving

ROOT = Path(__file__).parent.parent
LATENCY = 1.0
BOUND = LATENCY + 2.5
ROUNDS = 5
PEERS = Path(os.environ.get("GUILD_PEERS") or Path.home() / ".cache" / "guildmoot" / "peers")
ANSWER = "VERDICT: approved\nConfidence: high\n"
CODE = '"""Prices."""\n\nLIMIT = 3\n'
PROMPT = "Judge this file and say VERDICT: approved or flagged.\n" + CODE * 220
SEATS = (
    "evaluator-correctness@anthropic:claude-sonnet-4-5,"
    "evaluator-security@openai:gpt-5,evaluator-tests@google:gemini-2.5-pro"
)

LANGGRAPH = """
import operator, os, sys
from typing import Annotated, TypedDict
from langchain_anthropic import ChatAnthropic
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    prompt: str
    answers: Annotated[list[str], operator.add]

def node(model):
    return lambda state: {"answers": [model.invoke(state["prompt"]).text]}

env = os.environ
models = {
    "anthropic": ChatAnthropic(model="claude-sonnet-4-5", base_url=env["ANTHROPIC_BASE_URL"]),
    "openai": ChatOpenAI(model="gpt-5", base_url=env["OPENAI_BASE_URL"]),
    "google": ChatGoogleGenerativeAI(
        model="gemini-2.5-pro",
        base_url=env["GOOGLE_GEMINI_BASE_URL"],
        google_api_key=env["GEMINI_API_KEY"],
    ),
}
graph = StateGraph(State)
for name, model in models.items():
    graph.add_node(name, node(model))
    graph.add_edge(START, name)
    graph.add_edge(name, END)
done = graph.compile().invoke({"prompt": sys.stdin.read(), "answers": []})
print("\\n".join(done["answers"]))
"""

PYDANTIC_AI = """
import asyncio, os, sys
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

env = os.environ
anthropic = AnthropicProvider(
    api_key=env["ANTHROPIC_API_KEY"], base_url=env["ANTHROPIC_BASE_URL"]
)
openai = OpenAIProvider(api_key=env["OPENAI_API_KEY"], base_url=env["OPENAI_BASE_URL"])
google = GoogleProvider(api_key=env["GEMINI_API_KEY"], base_url=env["GOOGLE_GEMINI_BASE_URL"])
models = [
    AnthropicModel("claude-sonnet-4-5", provider=anthropic),
    OpenAIResponsesModel("gpt-5", provider=openai),
    GoogleModel("gemini-2.5-pro", provider=google),
]

async def main():
    prompt = sys.stdin.read()
    runs = await asyncio.gather(*(Agent(model).run(prompt) for model in models))
    print("\\n".join(run.output for run in runs))

asyncio.run(main())
"""

# Its settings have an address for OpenRouter, and a file that does not fit is passed over in
# silence, so the address is looked at before anything is sent. Only its first stage is run: the
# two that follow (each model ranks the answers, a chairman sums up) would be four more calls.
COUNCIL = """
import asyncio, os, pathlib, sys
pathlib.Path("llm_council.yaml").write_text(
    "council:\\n"
    "  models: [anthropic/claude-sonnet-4-5, openai/gpt-5, google/gemini-2.5-pro]\\n"
    "  gateways:\\n"
    "    default: openrouter\\n"
    "    providers:\\n"
    "      openrouter: {enabled: true, base_url: " + os.environ["OPENROUTER_BASE_URL"]
    + "/chat/completions}\\n"
)
from llm_council import stage1_collect_responses
from llm_council.gateway.resolver import resolve_endpoint
if not resolve_endpoint()[0].startswith("http://127.0.0.1:"):
    sys.exit("its settings lead away from loopback: " + resolve_endpoint()[0])
answers, usage = asyncio.run(stage1_collect_responses(sys.stdin.read()))
print("\\n".join(answer["response"] for answer in answers))
"""

QUIET = {
    "LANGCHAIN_TRACING_V2": "false", "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1",
    "OTEL_SDK_DISABLED": "true", "ANONYMIZED_TELEMETRY": "false", "LOGFIRE_SEND_TO_LOGFIRE": "false",
    "LLM_COUNCIL_TELEMETRY": "off", "LLM_COUNCIL_OFFLINE": "true",
}  # fmt: skip


class Tool(NamedTuple):
    """One row: what is installed by name, and what is run; without a script it is ours."""

    name: str
    packages: tuple[str, ...]
    package: str
    """Whose version is shown."""
    script: str = ""

    @property
    def folder(self) -> Path:
        return PEERS / self.name

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def argv(self) -> list[str]:
        if self.script:
            return [str(self.python), "-c", self.script]
        return [str(self.python.with_name("guild")), "validate", "prices.py", "--agents", SEATS]


class Here(Tool):
    """Ours as it stands in the environment that runs this file."""

    @property
    def python(self) -> Path:
        return Path(sys.executable)


OURS = (
    Tool("guildmoot", ("--editable", str(ROOT)), "guildmoot"),
    Tool("guildmoot[models]", ("--editable", f"{ROOT}[models]"), "guildmoot"),
)
THEIRS = (
    Tool(
        "langgraph",
        ("langgraph", "langchain-anthropic", "langchain-openai", "langchain-google-genai"),
        "langgraph",
        LANGGRAPH,
    ),
    Tool(
        "pydantic-ai",
        ("pydantic-ai-slim[anthropic,openai,google]",),
        "pydantic-ai-slim",
        PYDANTIC_AI,
    ),
    Tool("llm-council-core", ("llm-council-core",), "llm-council-core", COUNCIL),
)


class Ran(NamedTuple):
    """One whole process."""

    seconds: float
    megabytes: float
    cpu: float
    """Seconds of work; a busy machine stretches the wall, and this hardly."""
    why_not: str = ""
    """Why the run does not count."""


class Row(NamedTuple):
    """What one tool took."""

    tool: Tool
    runs: list[Ran]

    @property
    def why_not(self) -> str:
        return next((run.why_not for run in self.runs if run.why_not), "")

    @property
    def seconds(self) -> float:
        return median(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        return median(run.cpu for run in self.runs)

    @property
    def megabytes(self) -> float:
        return max(run.megabytes for run in self.runs)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install the others, then measure")
    if parser.parse_args().install:
        for tool in (*OURS, *THEIRS):
            install(tool)
    ours = [tool for tool in OURS if tool.python.exists()] or [Here("guildmoot", (), "guildmoot")]
    theirs = [tool for tool in THEIRS if tool.python.exists()]
    rows = measure([*ours, *theirs])
    mine, others = rows[: len(ours)], rows[len(ours) :]
    show(mine, others)
    for tool in THEIRS:
        if tool not in theirs:
            print(f"{tool.name} is not installed: python benchmarks/peers.py --install")
    kept = all(not row.why_not and row.seconds <= BOUND for row in mine)
    return 0 if kept else 1


def install(tool: Tool) -> None:
    """Into an environment that holds the tool and nothing else, not even pip."""
    print(f"installing {tool.name} into {tool.folder}", flush=True)
    venv.create(tool.folder, with_pip=False, clear=True)
    argv = [sys.executable, "-m", "pip", "--python", str(tool.python), "install", "--quiet"]
    done = subprocess.run([*argv, *tool.packages], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tool.name} could not be installed:\n{done.stderr}")


def measure(tools: list[Tool]) -> list[Row]:
    """All tools in turn, round by round, so that a busy moment hits all of them alike."""
    rows = [Row(tool, []) for tool in tools]
    for number in range(ROUNDS + 1):
        for row in rows:
            ran = run_once(row.tool)
            if number or ran.why_not:  # the first run only compiles and fills the disk's cache
                row.runs.append(ran)
    return rows


def run_once(tool: Tool) -> Ran:
    """One process in a folder of its own, before a provider that has seen nothing yet."""
    with (
        serving([Rule(text=ANSWER, delay=LATENCY)]) as provider,
        tempfile.TemporaryDirectory() as folder,
    ):
        home, shop = Path(folder, "home"), Path(folder, "shop")
        home.mkdir()
        shop.mkdir()
        Path(shop, "prices.py").write_text(CODE)
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        env |= {**QUIET, **provider.environment()}
        subprocess.run(["git", "init", "-q"], cwd=shop, env=env, check=True)
        Path(folder, "prompt").write_text(PROMPT)
        with (
            Path(folder, "prompt").open() as prompt,
            Path(folder, "said").open("w+") as said,
        ):
            began = time.perf_counter()
            child = subprocess.Popen(
                tool.argv, cwd=shop, env=env, stdin=prompt, stdout=said, stderr=said
            )
            _, status, used = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - began
            child.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            problem = objection(child.returncode, said.read(), provider)
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts in bytes, Linux in kilobytes
    return Ran(seconds, used.ru_maxrss * unit / 1e6, used.ru_utime + used.ru_stime, problem)


def objection(code: int, said: str, provider: Provider) -> str:
    """Why a run does not count; empty when three models were asked once each and answered."""
    models = sorted(request.model.rpartition("/")[2] for request in provider.requests)
    if code or said.count("approved") < 3:
        return f"exit code {code}: {' '.join(said.split()[-25:])}"
    if models != ["claude-sonnet-4-5", "gemini-2.5-pro", "gpt-5"]:
        return f"asked {', '.join(models) or 'nobody'}"
    return ""


def show(ours: list[Row], theirs: list[Row]) -> None:
    """The table, and how we stand to each."""
    print(
        f"three calls of {LATENCY:g} s, each a cold whole process, median of {ROUNDS}; "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    print(
        f"{'tool':<18} {'version':<9} {'cold s':>7} {'over 1 s':>9} {'CPU s':>6} {'peak MB':>8}  "
        "installed"
    )
    for row in (*ours, *theirs):
        figures = (
            f"{row.seconds:>7.2f} {row.seconds - LATENCY:>+9.2f} {row.cpu:>6.2f} "
            f"{row.megabytes:>8.0f}  {weight(row.tool)}"
        )
        why_not = f"no number: {row.why_not}"
        print(f"{row.tool.name:<18} {version(row.tool):<9} {why_not if row.why_not else figures}")
    numbers = [row for row in theirs if not row.why_not]
    mine = [row for row in ours if not row.why_not]
    if numbers and mine:
        print("ours to theirs, in times theirs:")
        print("\n".join(comparison(own, other) for other in numbers for own in mine))
    print(f"bound: {BOUND:g} s for guildmoot")


def comparison(mine: Row, other: Row) -> str:
    over = (mine.seconds - LATENCY) / (other.seconds - LATENCY)
    return (
        f"  {mine.tool.name:<17} to {other.tool.name:<16} {mine.seconds / other.seconds:.2f} time, "
        f"{over:.2f} on top of the latency, {mine.cpu / other.cpu:.2f} CPU, "
        f"{mine.megabytes / other.megabytes:.2f} memory"
    )


def version(tool: Tool) -> str:
    code = f"from importlib.metadata import version; print(version({tool.package!r}))"
    return subprocess.check_output([tool.python, "-c", code], text=True).strip()


def weight(tool: Tool) -> str:
    """How many packages, and megabytes of them; unknown where others live there too."""
    if isinstance(tool, Here):
        return "not measured: it shares its environment"
    [site] = tool.folder.glob("lib/python*/site-packages")
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    if not tool.script:  # an editable install leaves our code where it is
        size += sum(file.stat().st_size for file in (ROOT / "src").rglob("*") if file.is_file())
    return f"{len(list(site.glob('*.dist-info')))} packages, {size / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
