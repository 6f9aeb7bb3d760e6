"""python -m loopback [--port N] [RULES.json]: serve until stopped; the rules are a list of objects."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from pathlib import Path

from . import Rule, serving


def main() -> None:
    parser = argparse.ArgumentParser(prog="loopback", description=__doc__)
    parser.add_argument("rules", nargs="?", help="a JSON file with a list of rules")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    rules = json.loads(Path(options.rules).read_text()) if options.rules else []
    with serving([Rule(**rule) for rule in rules], options.port) as provider:
        json.dump(provider.environment(), sys.stdout)
        print(flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
