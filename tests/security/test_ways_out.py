"""No way out of the real program tells a secret: to judges, reports, records, the ledger or the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import Shop
from security.secret_words import made

SECRETS = (
    (f"deploy with {made('ghp_{a36}')}", made("ghp_{a36}")[4:]),
    ("the root password is swordfish.", "swordfish"),
    ("mysql -u root -pWint3rRose shop", "Wint3rRose"),
)
# What the judge is shown goes to a file; what the judge says is the secret again.
_JUDGE = """import re, sys
shown = sys.stdin.read()
open({shown!r}, "a").write(shown)
nonce = re.findall(r"VERDICT ([0-9a-f]+):", shown)
print({says!r}, file=sys.stderr)
print("Reasons:\\n- BLOCKING: leak: a.py:1: " + {says!r} + "\\n")
print(f"VERDICT {{nonce[-1]}}: flagged" if nonce else {says!r})
"""
# The name of the way, and the arguments; TEXT is what holds the secret.
WAYS = (
    ("file", ("validate", "a.py")),
    ("change and its message", ("validate", "--diff", "HEAD~1..HEAD")),
    (
        "reports",
        (
            "validate",
            "a.py",
            *(f"--report=r.{kind}" for kind in ("md", "json", "sarif", "xml", "html")),
        ),
    ),
    ("verify", ("validate", "a.py", "--verify", "echo 'TEXT'; false")),
    ("ask", ("validate", "a.py", "--ask", "TEXT")),
    ("council", ("council", "validate", "a.py", "TEXT")),
    ("question", ("council", "brainstorm", "TEXT")),
    ("brief", ("spawn", "--brief", "TEXT")),
    ("standard input", ("validate", "-")),
)


@pytest.mark.parametrize(("text", "secret"), SECRETS, ids=["token", "prose", "command"])
@pytest.mark.parametrize(("way", "argv"), WAYS, ids=[way for way, _ in WAYS])
@pytest.mark.sample(4)
def test_no_way_out_tells_it(
    shop: Shop, way: str, argv: tuple[str, ...], text: str, secret: str
) -> None:
    shown = shop.home / "shown"
    script = shop.home / "judge.py"
    script.write_text(_JUDGE.format(shown=str(shown), says=text))
    front = f"name: teller\ndescription: d\nbackend: command\ncommand: [{sys.executable}, {script}]"
    shop.agent("teller.md", f"---\n{front}\n---\nJudge it.\n")
    shop.write("a.py", "X = 1\n")
    shop.commit("base")
    shop.write("a.py", f"X = 1  # {text}\n")
    shop.commit(text)

    given = [word.replace("TEXT", text) for word in argv]
    ran = shop.guild(*given, "--agents", "teller", stdin=f"# {text}\n")

    assert shown.exists(), ran.out + ran.err
    told = [ran.out, ran.err, shown.read_text(), *_written(shop, script)]
    assert not [words for words in told if secret in words]


def _written(shop: Shop, script: Path) -> list[str]:
    ours = (script, shop.root / "a.py")
    return [
        file.read_bytes().decode("latin-1")
        for folder in (shop.root, shop.home)
        for file in folder.rglob("*")
        if file.is_file() and file not in ours and ".git" not in file.relative_to(folder).parts
    ]
