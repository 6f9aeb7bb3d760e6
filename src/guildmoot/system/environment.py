"""The environment a judge's program sees: an allow-list, so that no secret can reach it.

What is not named here does not exist for the child. A name that looks like a secret is refused even
when it is named or asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from guildmoot.system.search import search_path
from guildmoot.text.patterns import lazy

# fmt: off
ALLOWED = frozenset(
    {
        "PATH", "HOME", "USER", "LOGNAME",
        "SHELL", "LANG", "LANGUAGE", "TZ",
        "TMPDIR", "TMP", "TEMP",
        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME",
        "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
        "JAVA_HOME", "GOROOT", "GOPATH", "GOCACHE",
        "GOMODCACHE", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "NVM_DIR", "NODE_PATH", "VOLTA_HOME", "PNPM_HOME",
        "GEM_HOME", "GEM_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    }
)
# fmt: on
ALLOWED_PREFIX = "LC_"
FIXED = {"TERM": "dumb", "NO_COLOR": "1"}
"""Judges write for a program, not for a screen."""

_FOLDER_LISTS = ("PYTHONPATH", "NODE_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_SECRET = lazy(r"(?:KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|CREDENTIAL|AUTH)S?$", re.IGNORECASE)


def child_environment(
    extra: Mapping[str, str] | None = None, base: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What of ``base`` (this process's environment) a child may see, then ``extra`` on top."""
    base = os.environ if base is None else base
    passed = {name: value for name, value in base.items() if _is_allowed(name)}
    if "PATH" in passed:
        passed["PATH"] = search_path(passed["PATH"])
    for name in _FOLDER_LISTS:
        if name in passed:
            passed[name] = _anchored(passed[name])
    wanted = {**passed, **FIXED, **(extra or {})}
    return {name: value for name, value in wanted.items() if not looks_secret(name)}


def looks_secret(name: str) -> bool:
    """Whether a variable of that name usually holds a credential."""
    return _SECRET.search(name) is not None


def _is_allowed(name: str) -> bool:
    return name in ALLOWED or name.startswith(ALLOWED_PREFIX)


def _anchored(folders: str) -> str:
    """Relative entries made absolute: where a child runs, they would name work under review."""
    return os.pathsep.join(os.path.abspath(each) for each in folders.split(os.pathsep) if each)


_STEERING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
"""A hook's variables would lead every command into another repository."""


def git_environment(folder: Path) -> dict[str, str]:
    """What git is told in its environment: nothing that leads it elsewhere, and nobody is asked."""
    kept = {name: value for name, value in os.environ.items() if name not in _STEERING}
    steady = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
    return {**kept, **steady, **stay_in(folder)}


def stay_in(folder: Path) -> dict[str, str]:
    """A clone lies inside the user's checkout: without its own ``.git``, git would find theirs."""
    return {"GIT_CEILING_DIRECTORIES": os.pathsep.join(map(str, folder.resolve().parents))}
