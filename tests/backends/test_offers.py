"""Models that are offered: what lies at hand, found without loading what only a call needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ASK = """
import sys
from guildmoot.backends.offers import find_offers
print([offer.model for offer in find_offers()], "keyring" in sys.modules)
"""


def test_a_client_that_is_logged_in_or_has_a_key_is_offered_and_no_keyring_is_loaded(
    tmp_path: Path,
) -> None:
    client = tmp_path / "claude"
    client.write_text("#!/bin/sh\nexit 1\n")
    client.chmod(0o755)
    plain = {"PATH": str(tmp_path), "HOME": str(tmp_path / "home")}
    keyed = {**plain, "ANTHROPIC_API_KEY": "a-key-of-nobody"}
    for environ, offered in ((plain, "[]"), (keyed, "['claude', 'anthropic:claude-sonnet-4-5']")):
        asked = subprocess.run(
            [sys.executable, "-c", _ASK], env=environ, capture_output=True, text=True, check=True
        )
        assert asked.stdout.strip() == f"{offered} False"
