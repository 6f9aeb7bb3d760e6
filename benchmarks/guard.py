"""How many dangerous commands the guard catches, how much ordinary work it holds up, and how long it takes.

    python benchmarks/guard.py                        the corpus in tests/data/guard
    python benchmarks/guard.py --repositories A B     also the commands of these git folders: workflows, package
                                                      scripts, console blocks, which nobody here wrote

Beside it stands a guard of ten common regular expressions, as people write them into a hook.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from guildmoot.guard.commands.cases import GuardCase, passes, read_cases
from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.site import Site

DATA = Path(__file__).parents[1] / "tests" / "data" / "guard"
SITE = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True, holds=lambda _path: True)
"""Every file that a command names is there and may be overwritten."""
PLAIN = [
    re.compile(pattern)
    for pattern in (
        r"\brm\s+-[a-z]*[rf]",
        r"\bgit\s+reset\s+--hard",
        r"\bgit\s+push\b.*(--force|-f\b)",
        r"\bgit\s+clean\s+-[a-z]*f",
        r"\bgit\s+checkout\s+(--\s+)?\.",
        r"\bdd\s+if=|\bmkfs|>\s*/dev/sd",
        r"(?i)\bdrop\s+(table|database)|\btruncate\b",
        r"\b(curl|wget)\b.*\|\s*(sudo\s+)?(ba)?sh",
        r"\.env\b|id_rsa|\.aws/credentials",
        r"\bterraform\s+destroy|\bkubectl\s+delete|\bchmod\s+-R\s+777",
    )
]


def rules(command: str) -> str:
    """What our guard does: ``pass``, ``caught`` or ``deny``."""
    decision = judge_command(command, SITE)
    return "pass" if passes(decision) else "deny" if decision.action == "deny" else "caught"


def expressions(command: str) -> str:
    """What ten regular expressions do: they can only deny."""
    return "deny" if any(one.search(command) for one in PLAIN) else "pass"


def spread(text: str) -> list[str]:
    """Every choice of ``⟦a|b⟧``."""
    parts = re.split("⟦(.*?)⟧", text)
    choices = [[p] if n % 2 == 0 else re.split(r"(?<!\\)\|", p) for n, p in enumerate(parts)]
    return ["".join(one).replace("\\|", "|") for one in itertools.product(*choices)]


def danger(name: str, cases: list[GuardCase], guard: Callable[[str], str]) -> None:
    found = {}
    for case in cases:
        held = guard(case.command)
        snapshot = guard is rules and judge_command(case.command, SITE).action == "snapshot"
        caught, needed = held != "pass" or snapshot, case.expected == "deny"
        row = found.setdefault(case.labels.get("class", "all"), [0, 0, 0, 0])
        row[0] += 1
        row[1] += caught
        row[2] += needed
        row[3] += needed and held == "deny"
    total = [sum(row[n] for row in found.values()) for n in range(4)]
    print(f"  {name}: caught {total[1]} of {total[0]} ({total[1] / total[0]:.1%})")
    for kind, row in sorted(found.items()):
        denied = f", denied {row[3]} of {row[2]} that have to be" if guard is rules else ""
        print(f"    {kind:<13} caught {row[1]} of {row[0]}{denied}")


def benign(name: str, commands: list[str], guard: Callable[[str], str]) -> None:
    held_up = [command for command in commands if guard(command) != "pass"]
    print(
        f"  {name}: held up {len(held_up)} of {len(commands)} ({len(held_up) / len(commands):.2%})"
    )


def of_repository(folder: str) -> Iterator[str]:
    """Commands in a repository's workflows, package scripts and console blocks."""
    import yaml

    def git(*words: str) -> bytes:
        return subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, check=False
        ).stdout

    for name in git("ls-tree", "-r", "--name-only", "HEAD").decode().splitlines():
        low = name.lower()
        if low.startswith(".github/") and low.endswith((".yml", ".yaml")):
            try:
                yield from _run_steps(yaml.safe_load(git("show", f"HEAD:{name}")))
            except yaml.YAMLError:
                continue
        elif low.endswith("package.json"):
            try:
                found = json.loads(git("show", f"HEAD:{name}"))
            except ValueError:
                continue
            scripts = found.get("scripts") if isinstance(found, dict) else None
            yield from (text for text in (scripts or {}).values() if isinstance(text, str))
        elif low.endswith(".md"):
            text = git("show", f"HEAD:{name}").decode("utf-8", "replace")
            for body in re.findall(
                r"```(?:console|bash|sh|shell)[^\n]*\n(.*?)```", text, re.DOTALL
            ):
                joined = body.replace("\\\n", " ")
                prompts = [
                    line.strip()[2:]
                    for line in joined.splitlines()
                    if line.strip().startswith("$ ")
                ]
                yield from prompts or [body]


def is_shell(text: str) -> bool:
    """Whether bash itself reads it as commands; nothing is run. Blocks with <placeholders> or output are none."""
    if re.search(r"<[A-Za-z][^<>\n]*>|^\s*>|\$env:", text, re.MULTILINE):
        return False
    checked = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)
    return checked.returncode == 0


def _run_steps(found: object) -> Iterator[str]:
    if isinstance(found, dict):
        text = found.get("run")
        if isinstance(text, str) and found.get("shell", "bash") in ("bash", "sh"):
            yield re.sub(r"\$\{\{.*?\}\}", "value", text, flags=re.DOTALL)
        for value in found.values():
            yield from _run_steps(value)
    elif isinstance(found, list):
        for value in found:
            yield from _run_steps(value)


def times(commands: list[str]) -> None:
    judge_command("true && true", SITE)
    spent = []
    for command in commands:
        start = time.perf_counter()
        judge_command(command, SITE)
        spent.append(time.perf_counter() - start)
    spent.sort()
    print(
        f"time a command: median {statistics.median(spent) * 1e3:.2f} ms,"
        f" p95 {spent[int(len(spent) * 0.95)] * 1e3:.2f} ms, longest {spent[-1] * 1e3:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repositories", nargs="*", default=[])
    parser.add_argument("--show", action="store_true", help="print what is held up there")
    options = parser.parse_args()
    tables = {
        path.stem: read_cases(path.read_text(), path.name)
        for path in sorted(DATA.glob("danger-*.txt"))
    }
    days = {
        path.stem: [one for case in read_cases(path.read_text()) for one in spread(case.command)]
        for path in sorted(DATA.glob("benign*.txt"))
    }
    ordinary = [one for commands in days.values() for one in commands]
    strange = list(
        dict.fromkeys(
            one.strip()
            for path in options.repositories
            for one in of_repository(path)
            if one.strip()
        )
    )
    strange = [one for one in strange if is_shell(one)]
    for title, guard in (("the guard", rules), ("ten regular expressions", expressions)):
        print(title)
        for name, cases in tables.items():
            danger(name, cases, guard)
        for name, commands in days.items():
            benign(name, commands, guard)
        if strange:
            benign(f"commands of {len(options.repositories)} repositories", strange, guard)
    if options.show:
        for command in strange:
            decision = judge_command(command, SITE)
            if not passes(decision):
                print(f"{decision.action:5} {decision.code:18} {decision.part[:90]!r}")
    times([*ordinary, *(case.command for cases in tables.values() for case in cases), *strange])


if __name__ == "__main__":
    main()
