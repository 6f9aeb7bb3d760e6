"""``report YEAR MONTH ARCHIVE``: prints how long everybody worked in a month."""

from __future__ import annotations

import argparse
import shutil
import sys
import tarfile
from pathlib import Path

from report.archive import scratch, unpack
from report.dates import month_days
from report.sheet import minutes_by_person, read_sheet


def main(argv: list[str]) -> int:
    """0 when the report was printed, 1 when a sheet is bad."""
    parser = argparse.ArgumentParser(prog="report")
    parser.add_argument("year", type=int)
    parser.add_argument("month", type=int, choices=range(1, 13))
    parser.add_argument("archive", type=Path)
    options = parser.parse_args(argv)
    folder = scratch()
    try:
        entries = [
            entry for sheet in unpack(options.archive, folder) for entry in read_sheet(sheet)
        ]
    except (ValueError, OSError, tarfile.TarError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder)
    days = {day.isoformat() for day in month_days(options.year, options.month)}
    totals = minutes_by_person(entry for entry in entries if entry.day in days)
    for person, minutes in sorted(totals.items()):
        print(f"{person:20} {minutes // 60:4}:{minutes % 60:02}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
