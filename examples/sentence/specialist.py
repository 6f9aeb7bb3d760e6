"""A scripted specialist: does the work of its role in the worktree of its lane, and hands over a receipt.

It stands where a model would: `guild work execute --worker 'python specialist.py'` runs it once for each lane.
"""

import hashlib
import json
import os
import subprocess
import sys

STORE = '''"""Short codes for addresses, kept in SQLite."""

import sqlite3
import string

_LETTERS = string.ascii_lowercase + string.digits


class Shortener:
    """Gives every address one code, and every code its address."""

    def __init__(self, path=":memory:"):
        self._rows = sqlite3.connect(path)
        self._rows.execute("create table if not exists links (id integer primary key, url text unique)")

    def shorten(self, url):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"no address: {url}")
        self._rows.execute("insert or ignore into links (url) values (?)", (url,))
        (number,) = self._rows.execute("select id from links where url = ?", (url,)).fetchone()
        code = ""
        while number:
            number, rest = divmod(number, len(_LETTERS))
            code = _LETTERS[rest] + code
        return code

    def lookup(self, code):
        number = 0
        for letter in code:
            number = number * len(_LETTERS) + _LETTERS.index(letter)
        row = self._rows.execute("select url from links where id = ?", (number,)).fetchone()
        return row[0] if row else None
'''
TESTS = """import unittest

from app.shortener import Shortener


class ShortenerTest(unittest.TestCase):
    def test_a_code_leads_back_to_its_address(self):
        shop = Shortener()
        codes = {url: shop.shorten(url) for url in (f"https://a.example/{n}" for n in range(100))}
        self.assertEqual(len(set(codes.values())), 100)
        for url, code in codes.items():
            self.assertEqual(shop.lookup(code), url)

    def test_the_same_address_has_one_code(self):
        shop = Shortener()
        self.assertEqual(shop.shorten("https://a.example"), shop.shorten("https://a.example"))

    def test_what_is_no_address_is_refused(self):
        with self.assertRaises(ValueError):
            Shortener().shorten("javascript:alert(1)")
"""
WORK = {
    "backend": {"app/__init__.py": "", "app/shortener.py": STORE},
    "qa": {"tests/__init__.py": "", "tests/test_shortener.py": TESTS},
}
PROOF = "python3 -m unittest discover -s tests -t ."


def files_of(role: str) -> dict[str, str]:
    """What a role writes, by path."""
    return WORK.get(role, {f"docs/{role}.md": f"# {role}\n\nOne table, one code an address.\n"})


def receipt_of(task: str, role: str, tier: str, evidence: str) -> str:
    """What it hands over once its files are there."""
    files = files_of(role)
    rows = [
        f"  - {{path: {path}, change: added, sha256_after: {hashlib.sha256(text.encode()).hexdigest()}}}"
        for path, text in files.items()
    ]
    envelope = {
        "schema_version": "guild.handoff.v2", "task_id": task, "tier": tier, "status": "done",
        "summary": f"The {role}'s part is there.", "artifacts": [], "issues": [],
    }  # fmt: skip
    parts = (
        "---", f"specialist: {role}", f"task_id: {task}", "changed_files:", *rows,
        "---", "## changed_files", *(f"- {path}" for path in files), "## opens_for", "- review",
        "## assumptions", "- codes may be guessed (they are numbers)" if role == "backend" else "none",
        "## evidence", evidence, "## followups", "none", "",
        "```guild.handoff.v2", json.dumps(envelope), "```", "",
    )  # fmt: skip
    return "\n".join(parts)


def main() -> int:
    """Write the files of the role, run the proof where there is one, hand over."""
    env = os.environ
    role = env["GUILD_SPECIALIST"]
    files = files_of(role)
    print(f"{role}: {', '.join(files)}", flush=True)
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    evidence = f"- {len(files)} file(s) written, exit code 0"
    if role == "qa":
        done = subprocess.run(PROOF, shell=True, env={**env, "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode:
            return done.returncode
        evidence = f"- `{PROOF}` exit code 0"
    with open(env["GUILD_RECEIPT"], "w", encoding="utf-8") as stream:
        stream.write(receipt_of(env["GUILD_TASK_ID"], role, env["GUILD_TIER"], evidence))
    return 0


if __name__ == "__main__":
    sys.exit(main())
