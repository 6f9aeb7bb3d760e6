"""Every number about judgement in one command: grouping, panels, votes, conflicts, seeded defects and their speed.

    .venv/bin/python benchmarks/judgement.py [--releases]

With ``--releases`` the seeded defects include real ones, whose packages are downloaded. Takes some minutes. The data in ``benchmarks/data`` is public; other repositories and subsets of the same
sources are not here, so that these numbers can be checked against what was not looked at.
"""

from __future__ import annotations

import argparse
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
    "Seeded defects, judges that need no key": "seeded",
    "Start-up of the compatible verbs": "startup.py",
    "Large panels": "seeds.py",
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--releases", action="store_true", help="real bugs too: packages are downloaded"
    )
    releases = ["--releases"] if parser.parse_args().releases else []
    codes = []
    for title, name in PARTS.items():
        print(f"\n######## {title} (benchmarks/{name})", flush=True)
        script = (
            [str(HERE / name)] if name.endswith(".py") else ["-m", f"benchmarks.{name}", *releases]
        )
        ran = subprocess.run([sys.executable, *script], check=False, cwd=HERE.parent)
        codes.append(ran.returncode)
    sys.exit(max(codes))
