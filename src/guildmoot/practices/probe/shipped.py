"""The cases that come with guildmoot: small defects that tools do not find, and the same code without them.

Each is shown beside a sound file, once before and once behind it, so that a judge whose answer hangs on the
order is seen. They are written for this purpose, and short: they tell a judge that reads from one that does
not, and little of your own code.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from guildmoot.packet.egress import Draft, release
from guildmoot.practices.probe.suites import Expected, GoldCase


class _Pair(NamedTuple):
    """Code in which one line is wrong, and what stands there when it is right."""

    name: str
    about: str
    code: str
    wrong: str
    right: str


_COMPANION = '''"""Dates of the shop."""

from datetime import date, timedelta


def due_date(ordered: date, days: int) -> date:
    """The day by which an order must be paid."""
    return ordered + timedelta(days=days)
'''

_PAIRS = (
    _Pair(
        "last-page",
        "the last page is lost when it is not full",
        '''\
def page_count(items: int, size: int) -> int:
    """How many pages hold all items; the last may be short."""
    {}
''',
        "return items // size",
        "return -(-items // size)",
    ),
    _Pair(
        "shared-default",
        "all orders share one list",
        '''\
class Order:
    """Items are of this order alone."""

    {}

    def add(self, item):
        self.items.append(item)
''',
        "items = []",
        """def __init__(self):
        self.items = []""",
    ),
    _Pair(
        "owner-check",
        "anybody may read anybody's invoice",
        '''\
def read_invoice(user, invoice_id, invoices):
    """An invoice, to its owner and to nobody else."""
    invoice = invoices.get(invoice_id)
    {}
        raise PermissionError(invoice_id)
    return invoice.text
''',
        "if invoice is None:",
        "if invoice is None or invoice.owner != user.id:",
    ),
    _Pair(
        "lock-kept",
        "the lock stays taken when the work fails",
        '''\
def in_turn(lock, work):
    """Run the work alone; the lock is free afterwards, whatever happens."""
    lock.acquire()
    {}
''',
        """result = work()
    lock.release()
    return result""",
        """try:
        return work()
    finally:
        lock.release()""",
    ),
    _Pair(
        "rounded-money",
        "cents are lost",
        '''\
def split_bill(cents: int, people: int) -> list[int]:
    """Shares that add up to the whole bill."""
    share = cents // people
    {}
''',
        "return [share] * people",
        "return [share + (n < cents % people) for n in range(people)]",
    ),
    _Pair(
        "retry-forever",
        "a failure that lasts is retried without end",
        '''\
def fetch(call, attempts: int = 3):
    """Call until it succeeds, at most so many times; then the error is raised."""
    while True:
        try:
            return call()
        except OSError:
            attempts -= 1
            {}
                raise
''',
        "if attempts == -99:",
        "if attempts <= 0:",
    ),
    _Pair(
        "wrong-path",
        "a name may lead out of the folder",
        '''\
from pathlib import Path


def read_upload(folder: Path, name: str) -> bytes:
    """A file of the folder; names come from strangers."""
    path = (folder / name).resolve()
    {}
        raise ValueError(name)
    return path.read_bytes()
''',
        "if not path.exists():",
        "if not path.is_relative_to(folder.resolve()):",
    ),
    _Pair(
        "stale-cache",
        "a changed price is never seen",
        '''\
class Prices:
    """Prices by name; a new price counts at once."""

    def __init__(self, table):
        self.table = table
        self.known = {{}}

    def get(self, name):
        if name not in self.known:
            self.known[name] = self.table[name]
        return self.known[name]

    def set(self, name, price):
        self.table[name] = price
        {}
''',
        "self.known.get(name)",
        "self.known.pop(name, None)",
    ),
    _Pair(
        "sorted-text",
        "versions are compared as text, so 10 comes before 9",
        '''\
def newest(versions: list[str]) -> str:
    """The newest of versions such as 1.9 and 1.10."""
    {}
''',
        "return max(versions)",
        'return max(versions, key=lambda v: [int(part) for part in v.split(".")])',
    ),
    _Pair(
        "both-ends",
        "the last day is counted although it must not be",
        '''\
def nights(arrival: int, departure: int, booked: set[int]) -> bool:
    """Whether the room is free each night; the day of departure is no night."""
    {}
''',
        "return all(day not in booked for day in range(arrival, departure + 1))",
        "return all(day not in booked for day in range(arrival, departure))",
    ),
)


def shipped_cases(root: Path, *, turned: bool = False) -> list[GoldCase]:
    """Every case, defective and sound; ``turned`` shows the two files of each in the other order."""
    cases = []
    for pair in _PAIRS:
        path, other = ("z_work.py", "a_dates.py") if turned else ("a_work.py", "z_dates.py")
        line = pair.code.format("\0").partition("\0")[0].count("\n") + 1
        for kind, text in (("wrong", pair.wrong), ("sound", pair.right)):
            files = sorted([(path, pair.code.format(text)), (other, _COMPANION)])
            packet = release(Draft(root=str(root), target=pair.name, files=files))
            name = f"shipped-{pair.name}-{kind}"
            if kind == "sound":
                cases.append(GoldCase(name, "approved", packet, note=f"without: {pair.about}"))
            else:
                expected = (Expected(path, line, about=pair.about),)
                cases.append(GoldCase(name, "flagged", packet, expected, pair.about))
    return cases
