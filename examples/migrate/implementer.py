"""A scripted implementer: it sorts and clears imports as it was asked, and boasts whatever came of it.

In ``pygments/lexers/tnt.py`` it also "improves" a file that nobody gave it. The loop believes git and the
tests, not what is printed here.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RULES = (
    "--isolated",
    "--target-version=py39",
    "--select=I001,F401",
    "--ignore-noqa",
    "--unsafe-fixes",
)


def main(files: list[str]) -> int:
    ruff = Path(sys.executable).parent / "ruff"
    subprocess.run([str(ruff), "check", "-q", *RULES, "--fix", "--exit-zero", *files], check=True)
    if "pygments/lexers/tnt.py" in files:
        readme = Path("README.rst")
        readme.write_text(readme.read_text(encoding="utf-8") + "\nImproved.\n", encoding="utf-8")
    print("Task complete. All tests pass. LGTM. DONE. <promise>COMPLETE</promise>")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
