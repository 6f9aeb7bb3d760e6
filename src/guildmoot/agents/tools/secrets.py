"""Reports the secrets that the egress filter held back: in the files, and as whole key files.

    python -m guildmoot.agents.tools.secrets MANIFEST

The filter has already looked; this only turns its record, the packet's manifest, into findings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy

_TRACKED = lazy(r"(?<!not )\btracked\b")

# Key files by name whose only use is to hold a secret; others, such as a *.pem with a public
# certificate or an .npmrc with a registry's address, are often committed on purpose.
_ALWAYS_SECRET = (
    *(".env", ".env.local", ".env.prod", ".env.production", ".env.staging", "*.tfstate"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk"),
    *("*.kdbx", "*.keystore", "*.jks", ".netrc", "_netrc", ".pgpass", ".git-credentials"),
    *(".vault-token", ".aws/", ".ssh/", ".gnupg/", "service-account*.json"),
    *("service_account*.json", "application_default_credentials.json", "client_secret*.json"),
)
# Where examples live: what stands there is told, but holds nothing up.
_EXAMPLES = (
    *(
        "test/",
        "tests/",
        "testdata/",
        "fixtures/",
        "testing/",
        "examples/",
        "example/",
        "spec/",
        "specs/",
        "mocks/",
    ),
    *(
        "__tests__/",
        "t/",
        "unit/",
        "__mocks__/",
        "e2e/",
        "docs/",
        "doc/",
        "samples/",
        "demo/",
        "benchmarks/",
        "test_*",
        "*_test.*",
    ),
    *(
        "*_spec.*",
        "*.test.*",
        "*.spec.*",
        "conftest.py",
        "*.md",
        "*.rst",
        "*.adoc",
        "*.example",
        "*.sample",
        "test_files/",
        "test-files/",
        "fixture/",
        "test_data/",
        "test-data/",
    ),
)
# Masked because of the name beside it. What only has a token's shape, or is an example, is not told.
_TELLING = ("secret", "url-password", "auth-header", "seed-phrase", "basic-auth")


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the manifest tells, whichever folder it is run in."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.secrets MANIFEST")
    try:
        manifest = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        return list(secrets(manifest))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise NoJudgementError(f"{arguments[0]} is no manifest of a packet: {wrong!r}") from None


def secrets(manifest: Mapping[str, list[dict[str, object]]]) -> Iterator[ToolFinding]:
    """One finding for each masked secret and each key file that the repository tracks."""
    files = {str(file["path"]) for file in manifest["files"]}
    told = {masked["kind"] for masked in manifest["masked"] if masked["path"] in files}
    before: object = None
    for masked in manifest["masked"]:
        again, before = _goes_on(before, masked), masked
        if again:
            continue
        if masked["path"] in files:
            yield from _masked(str(masked["path"]), str(masked["kind"]), masked)
        elif masked["certain"] and masked["kind"] not in told:
            # In a diff it may be the line that takes the secret away, so it cannot block.
            message = f"a secret ({masked['kind']}) was held back from the {masked['path']}"
            yield ToolFinding(message, "secret-beside", "WARNING")
    for omitted in manifest["omitted"]:
        # An untracked key file stays on this machine, which is where it belongs.
        if omitted["reason"] == "key-file" and _TRACKED.search(str(omitted.get("detail", ""))):
            yield _key_file(str(omitted["path"]), str(omitted["detail"]))


def _goes_on(before: object, masked: Mapping[str, object]) -> bool:
    """Whether it is one more line of the key block that the line before belongs to."""
    if not isinstance(before, dict) or masked["kind"] != "private-key":
        return False
    same = (before["path"], before["kind"]) == (masked["path"], masked["kind"])
    return same and masked["line"] in (before["line"], int(str(before["line"])) + 1)


def _masked(path: str, kind: str, masked: Mapping[str, object]) -> Iterator[ToolFinding]:
    line, certain = masked["line"], masked["certain"]
    number = line if isinstance(line, int) else 0
    is_example = matches(path.lower(), _EXAMPLES)
    if certain is True and not is_example:
        message = f"a secret ({kind}) is in the file; revoke it and read it from the environment"
        yield ToolFinding(message, "secret", "ERROR", path, number)
    elif masked.get("random") is True and not is_example:
        message = f"this is most likely a secret ({kind}): its name says so and its value is random"
        yield ToolFinding(message, "likely-secret", "WARNING", path, number)
    elif certain is True or (kind in _TELLING and not is_example):
        message = f"this looks like a secret ({kind})"
        yield ToolFinding(message, "possible-secret", "WARNING", path, number)


def _key_file(path: str, detail: str) -> ToolFinding:
    """``detail`` tells what it holds; a public key alone, or settings alone, may be seen."""
    low = path.lower()
    plain = "holds a public key" in detail or "holds plain settings" in detail
    named = matches(low, _ALWAYS_SECRET) and not plain
    if ("holds a private key" in detail or named) and not matches(low, _EXAMPLES):
        message = "a key file is committed; remove it from the repository and replace what it holds"
        return ToolFinding(message, "key-file", "ERROR", path)
    message = "a file that may hold keys is committed; make sure that it holds none"
    return ToolFinding(message, "possible-key-file", "WARNING", path)


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
