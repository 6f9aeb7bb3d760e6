"""Every number about judgement in one command: grouping, panels, votes, conflicts and their speed.

    .venv/bin/python benchmarks/judgement.py

Takes some minutes. The data in ``benchmarks/data`` is public; other repositories and subsets of the same
sources are not here, so that these numbers can be checked against what was not looked at.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = {
    "Grouping and panels": "grouping.py",
    "Grouping where findings name lines": "placed.py",
    "What agreement is worth, and which rule": "worth.py",
    "A finding of one family put to the others": "second_look.py",
    "Wording by a clerk": "wording.py",
    "Votes and probes": "votes.py",
    "Conflicts": "conflicts.py",
    "Start-up of the compatible verbs": "startup.py",
    "Large panels": "seeds.py",
}

if __name__ == "__main__":
    codes = []
    for title, name in PARTS.items():
        print(f"\n######## {title} (benchmarks/{name})", flush=True)
        codes.append(subprocess.run([sys.executable, str(HERE / name)], check=False).returncode)
    sys.exit(max(codes))
