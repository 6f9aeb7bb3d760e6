"""Proves what the guard covers: each installed host is driven by a scripted model that asks for a canary.

The canary makes an empty file and nothing else; the guard denies whatever names it. So a surface is covered
when the client reports the denial, open when the file is there, and unknown when neither happened.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from guildmoot.guard.hooks.handle import CANARY
from guildmoot.guard.hooks.places import guarded_places
from guildmoot.guard.install.canary import KEY, CanaryModel, scripted_model
from guildmoot.guard.install.handler import handler_problem
from guildmoot.guard.install.settings import layers_without_hooks

Coverage = Literal["covered", "not covered", "unknown"]
_SECONDS = 90.0
_SEEN = "the canary was seen"


class Surface(NamedTuple):
    """One way by which a host lets a model act."""

    host: str
    name: str
    tool: str
    arguments: Mapping[str, str]
    """``{file}`` is the canary's file, ``{name}`` its name."""
    flags: tuple[str, ...] = ()
    claimed: bool = True
    """Whether an installation says that it is covered."""


class Probed(NamedTuple):
    """What was seen of one surface."""

    host: str
    surface: str
    coverage: Coverage
    claimed: bool
    detail: str = ""


_TOUCH = f"touch {{file}} # {CANARY}"
_BASH = {"command": _TOUCH, "description": "canary"}
_BYPASS = "--dangerously-bypass-hook-trust"
SURFACES = (
    Surface("claude", "Bash", "Bash", _BASH),
    Surface("claude", "Write", "Write", {"file_path": "{file}", "content": CANARY}),
    Surface("claude", "Bash, --bare", "Bash", _BASH, ("--bare",), claimed=False),
    Surface("claude", "Bash, --safe-mode", "Bash", _BASH, ("--safe-mode",), claimed=False),
    Surface("codex", "exec_command", "exec_command", {"cmd": _TOUCH}),
    Surface("codex", "exec_command, trust bypassed", "exec_command", {"cmd": _TOUCH}, (_BYPASS,), claimed=False),
    Surface("gemini", "run_shell_command", "run_shell_command", _BASH),
    Surface("gemini", "write_file", "write_file", {"file_path": "{file}", "content": CANARY}),
)  # fmt: skip
UNDRIVEN = (
    Probed("claude", "@file mentions", "unknown", False, "no hook is called for them; deny rules count"),
    Probed("codex", "write_stdin, Code Mode", "unknown", False, "no hook is called for them; its sandbox counts"),
)  # fmt: skip


def find_host(name: str, env: Mapping[str, str]) -> str:
    """The client's program; empty where it is not installed."""
    own = env.get("GUILD_CLIENTS") or os.path.join(env.get("HOME", ""), ".cache/guildmoot/clients")
    beside = os.path.join(own, "bin", name)
    return shutil.which(name, path=env.get("PATH")) or (beside if os.path.exists(beside) else "")


def probe(
    hosts: Sequence[str], project: Path, env: Mapping[str, str], seconds: float = _SECONDS
) -> list[Probed]:
    """Drive each installed host in the project, with the settings that count there."""
    installed = " ".join(guarded_places(env, str(project))[2:])
    problem = handler_problem(env) if installed else ""
    off = layers_without_hooks(project, Path(env.get("HOME") or Path.home()))
    found = []
    for surface in SURFACES:
        program = find_host(surface.host, env) if surface.host in hosts else ""
        if not program:
            continue
        seen = _probe(surface, program, project, env, seconds)
        if f"/.{surface.host}/" not in installed:
            why = f"{seen.detail}; the guard is not installed for {surface.host}".lstrip("; ")
            seen = seen._replace(claimed=False, detail=why)
        elif off and surface.host == "claude":
            seen = seen._replace(detail=f"{off[0]} has disableAllHooks, so no hook runs")
        elif problem:
            seen = seen._replace(detail=f"the handler: {problem}")
        found.append(seen)
    driven = {each.host for each in found}
    return [*found, *(each for each in UNDRIVEN if each.host in driven)]


def _probe(
    surface: Surface, program: str, project: Path, env: Mapping[str, str], seconds: float
) -> Probed:
    file = project / f".{CANARY}-{os.urandom(4).hex()}"
    arguments: dict[str, Any] = {
        key: value.replace("{file}", str(file)) for key, value in surface.arguments.items()
    }
    with (
        scripted_model(CanaryModel(surface.tool, arguments)) as model,
        TemporaryDirectory() as scratch,
    ):
        if surface.host == "gemini":
            _copy_gemini(Path(env.get("HOME", "/")) / ".gemini", Path(scratch) / ".gemini")
        words, more = _launch(surface, program, model, scratch)
        detail = _run(words, project, {**_plain(env), **more}, seconds)
    result = model.result()
    there = os.path.lexists(file)
    file.unlink(missing_ok=True)
    if there:
        why = "the canary ran"
        if surface.host == "codex" and not surface.flags:
            why = "it ran: codex has not been told to trust the hook, see /hooks there"
        return Probed(surface.host, surface.name, "not covered", surface.claimed, why)
    if _SEEN in result:
        return Probed(surface.host, surface.name, "covered", surface.claimed)
    if not model.asked:
        detail = detail or "it asked the model for nothing"
    elif not model.bodies:
        detail = detail or "it never reported back"
    else:
        detail = "it neither ran nor was denied by us"
    return Probed(surface.host, surface.name, "unknown", surface.claimed, detail)


def _launch(
    surface: Surface, program: str, model: CanaryModel, scratch: str
) -> tuple[list[str], dict[str, str]]:
    say = "Use the tool that you are told to use, once."
    if surface.host == "claude":
        words = [
            program,
            "-p",
            say,
            "--allowedTools",
            surface.tool,
            "--max-turns",
            "3",
            *surface.flags,
        ]
        return words, {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
    if surface.host == "codex":
        served = (
            f'{{name="probe", base_url="{model.url}/v1", env_key="GUILD_PROBE_KEY", wire_api="responses",'
            " request_max_retries=0, stream_max_retries=0}"
        )
        settings = (
            f"model_providers.probe={served}",
            'model_provider="probe"',
            'approval_policy="never"',
        )
        flags = [word for setting in settings for word in ("-c", setting)]
        words = [
            program,
            "exec",
            "--skip-git-repo-check",
            "-m",
            "gpt-5.5",
            "-s",
            "workspace-write",
            *flags,
            *surface.flags,
            say,
        ]
        return words, {"GUILD_PROBE_KEY": KEY}
    words = [program, "-m", "gemini-2.5-flash", "-p", say, "--yolo", "--skip-trust", *surface.flags]
    return words, {
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": KEY,
        "GEMINI_CLI_HOME": scratch,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _copy_gemini(user: Path, copy: Path) -> None:
    """The user's settings with another way to log in: Gemini refuses a server of ours otherwise."""
    copy.mkdir()
    try:
        settings = json.loads((user / "settings.json").read_bytes())
    except (OSError, ValueError):
        settings = {}
    security = {**settings.get("security", {}), "auth": {"selectedType": "gemini-api-key"}}
    (copy / "settings.json").write_text(json.dumps({**settings, "security": security}))
    for name in ("policies", "trustedFolders.json", "trusted_hooks.json"):
        if (user / name).is_dir():
            shutil.copytree(user / name, copy / name)
        elif (user / name).is_file():
            shutil.copyfile(user / name, copy / name)


def _plain(env: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without keys and addresses of models."""
    words = (
        "ANTHROPIC",
        "OPENAI",
        "GEMINI",
        "GOOGLE",
        "API_KEY",
        "TOKEN",
        "SECRET",
        "AWS_",
        "AZURE",
        "_proxy",
        "_PROXY",
    )
    return {name: value for name, value in env.items() if not any(word in name for word in words)}


def _run(words: list[str], project: Path, env: Mapping[str, str], seconds: float) -> str:
    """Run the client; in words what went wrong, if it did."""
    try:
        done = subprocess.run(
            words,
            cwd=project,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {seconds:.0f} s"
    except OSError as wrong:
        return f"it could not be started: {wrong.strerror}"
    last = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()[-1:]
    return (
        f"it ended with {done.returncode}: {last[0][:200] if last else ''}"
        if done.returncode
        else ""
    )
