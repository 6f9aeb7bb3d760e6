"""``python -m guildmoot`` is the same as ``guild``."""

import sys

from guildmoot.cli.main import guild

sys.exit(guild())
