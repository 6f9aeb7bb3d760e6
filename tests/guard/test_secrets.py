"""Masking: every token family disappears, ordinary code stays, lines keep their numbers."""

from __future__ import annotations

import random
import re
import string
import sysconfig
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guildmoot.guard.secrets import mask

ALNUM = string.ascii_letters + string.digits
URL = ALNUM + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def body(alphabet: str, size: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(st.sampled_from(alphabet), min_size=size, max_size=most or size)


def after(prefix: str, alphabet: str, size: int, most: int | None = None) -> st.SearchStrategy[str]:
    return body(alphabet, size, most).map(lambda text: prefix + text)


def joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    made = [st.just(part) if isinstance(part, str) else part for part in parts]
    return st.tuples(*made).map("".join)


TOKENS = {
    "sk": after("sk-", ALNUM, 20, 60),
    "sk-ant": after("sk-ant-", URL, 20, 90),
    "ghp": after("ghp_", ALNUM, 36),
    "ghs": after("ghs_", ALNUM, 36),
    "ghu": after("ghu_", ALNUM, 36),
    "gho": after("gho_", ALNUM, 36),
    "ghr": after("ghr_", ALNUM, 36),
    "github_pat": after("github_pat_", ALNUM + "_", 82),
    "xoxb": joined("xoxb-", body(string.digits, 12), "-", body(ALNUM, 12, 24)),
    "xoxp": joined("xoxp-", body(string.digits, 10), "-", body(ALNUM, 12, 24)),
    "akia": after("AKIA", UPPER, 16),
    "jwt": joined("eyJ", body(URL, 15, 30), ".", body(URL, 15, 40), ".", body(URL, 20, 43)),
    "google": after("AIza", URL, 35),
    "gitlab": after("glpat-", URL, 20),
    "npm": after("npm_", ALNUM, 36),
    "pypi": after("pypi-AgEIcHlwaS5vcmc", URL, 70, 120),
    "stripe": after("sk_live_", ALNUM, 24),
    "sendgrid": joined("SG.", body(URL, 22), ".", body(URL, 43)),
    "slack hook": joined(
        "https://hooks.slack.com/services/T",
        body(UPPER, 8),
        "/B",
        body(UPPER, 8),
        "/",
        body(ALNUM, 24),
    ),
    "hugging face": after("hf_", ALNUM, 34),
    "vault": after("hvs.", URL, 24, 90),
    "azure": joined("AccountKey=", body(ALNUM + "+/", 86), "=="),
}

PLACES = (
    "{}",
    'token = "{}"',
    "x = '{}'  # note",
    "  - run: curl -H 'X-Key: {}' https://example.com",
    "see <{}> for more",
    '{{"a": "{}", "b": 1}}',
    "export A={}",
    "https://example.com/?a={}&b=2",
    "\t{}\r",
    "é ü 日本 {}",
)
LINES = st.lists(
    st.sampled_from(["", "import os", "def f(x): return x", "日本 text", "a = b + c"]), max_size=4
)


@pytest.mark.parametrize("kind", TOKENS)
@given(data=st.data())
def test_no_token_of_a_known_family_is_left(kind, data):
    token = data.draw(TOKENS[kind])
    assume(re.search("[A-Z0-9]", token))  # small letters and dashes alone are a name, or a line
    place = data.draw(st.sampled_from(PLACES))
    before, behind = data.draw(LINES), data.draw(LINES)
    text = "\n".join([*before, place.format(token), *behind])
    masked, found = mask(text, data.draw(st.sampled_from(["a.py", "b.yaml", "c.md", "", "d.go"])))
    secret = token.removeprefix("AccountKey=").rstrip("=")
    secret = secret.rpartition("/")[2] if kind == "slack hook" else secret
    assert secret not in masked
    assert secret[-12:] not in masked
    assert masked.count("\n") == text.count("\n")
    assert [item.line for item in found] == [len(before) + 1] * len(found)


@pytest.mark.parametrize("kind", [kind for kind in TOKENS if kind not in ("sk", "slack hook")])
def test_a_token_that_looks_real_is_certain(kind):
    rng = random.Random(kind)
    token = {
        "jwt": lambda: f"eyJ{pick(rng, URL, 20)}.{pick(rng, URL, 40)}.{pick(rng, URL, 43)}",
        "xoxb": lambda: f"xoxb-{pick(rng, string.digits, 12)}-{pick(rng, ALNUM, 24)}",
        "xoxp": lambda: f"xoxp-{pick(rng, string.digits, 12)}-{pick(rng, ALNUM, 24)}",
        "sendgrid": lambda: f"SG.{pick(rng, URL, 22)}.{pick(rng, URL, 43)}",
        "azure": lambda: f"AccountKey={pick(rng, ALNUM, 86)}==",
        "github_pat": lambda: f"github_pat_{pick(rng, ALNUM, 82)}",
        "akia": lambda: f"AKIA{pick(rng, UPPER, 16)}",
        "pypi": lambda: f"pypi-AgEIcHlwaS5vcmc{pick(rng, URL, 80)}",
    }.get(kind, lambda: PREFIXES[kind] + pick(rng, ALNUM, 40))()
    masked, found = mask(f"value: {token}\n", "a.txt")
    assert pick_tail(token) not in masked
    assert any(item.certain for item in found)


PREFIXES = {
    "sk-ant": "sk-ant-", "ghp": "ghp_", "ghs": "ghs_", "ghu": "ghu_", "gho": "gho_", "ghr": "ghr_",
    "google": "AIza", "gitlab": "glpat-", "npm": "npm_", "stripe": "sk_live_", "hugging face": "hf_",
    "vault": "hvs.",
}  # fmt: skip


def pick(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


def pick_tail(token: str) -> str:
    return token.rstrip("=")[-12:]


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
        ('headers={"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
        ("bearer" + " q9w8e7r6t5y4u3i2o1", "q9w8e7r6t5y4u3i2o1"),
        ('password = "hunter2"', "hunter2"),
        ("password == 'correcthorse'", "correcthorse"),
        ('"client_secret": "kjsd-8sd9f8-sdfk"', "kjsd-8sd9f8-sdfk"),
        ('api_key: str = "abcd1234efgh"', "abcd1234efgh"),
        ('token := "abc123xyz789"', "abc123xyz789"),
        ("SECRET_KEY = b'p@$$w0rd!x'", "p@$$w0rd!x"),
        ("# password: hunter2x9", "hunter2x9"),
        ("postgres://app:s3cr3tpw@db.example.com/x", "s3cr3tpw"),
        ("GET /v1?api_key=abcd1234efgh&x=1", "abcd1234efgh"),
        ("run --token=abcd1234efgh", "abcd1234efgh"),
        ('aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY"', "wJalrXUtnFEMI"),
        (
            'D = "MTk4NjIyNDgzNDcxOTI1MjQ4.' + 'Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"',
            "ZnCjm1XVW7vRze4b7",
        ),
        ('api_token = "3f9Qz71LmNb8RtYp2WsX"', "3f9Qz71LmNb8RtYp2WsX"),
        ('apiKey = "d41d8cd98f00b204e9800998ecf8427e"', "d41d8cd98f00b204"),
    ],
)
def test_literal_values_of_telling_names_are_masked(line, secret):
    masked, found = mask(f"a\n{line}\n", "a.py")
    assert secret not in masked
    assert [item.line for item in found] == [2]


@pytest.mark.parametrize(
    "line",
    ["password: hunter2x", "TOKEN=abc123def456", "export API_KEY=q1w2e3r4", "db.pwd = a1b2c3d4"],
)
def test_quotes_are_optional_in_configuration_only(line):
    assert mask(line, "a.yaml")[1]
    assert not mask(line, "a.py")[1]


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password()",
        "token: str",
        "token = next(tokens)",
        'password = os.environ["DB_PASSWORD"]',
        'token = f"{prefix}-{name}"',
        'secret = "${SECRET}"',
        'password="<your password>"',
        'api_key = "YOUR_API_KEY"',
        'token_type = "bearer"',
        'grant = {"grant_type": "password"}',
        "token: ${{ secrets.GITHUB_TOKEN }}",
        'parser.add_argument("--token", help="the token")',
        'PASSWORD_FIELD = "password"',
        'raise ValueError("password: must not be empty")',
        "commit 1f0d3c8b2a7e4d5c6b9a8f7e6d5c4b3a2f1e0d9c",
        'sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"',
        'gitCommit: "3f9a1c71b2d48e5f6071829304a5b6c7d8"',
        'id = "123e4567-e89b-12d3-a456-426614174000"',
        "run-20240501T101112Z-a1b2c3d4e5f6a7b8",
        "from package.subpackage.module_with_a_long_name import SomeVeryLongClassNameV2",
        "https://github.com/python/cpython/blob/6fbc61070fda2ffb8889e77e3b24bca4249ab4d1/x.py",
        '"integrity": "sha512-9z8x7c6v5b4n3m2A1S2D3F4G5H6J7K8L9=="',
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8nq2Q1rT3uV5wX7yZ9",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        'if line == "-----BEGIN RSA PRIVATE KEY-----":',
        "http://user:password@host/",
        "http://{user}:{password}@host/",
    ],
)
def test_code_placeholders_and_public_hashes_stay_readable(line):
    assert mask(line, "a.py") == (line, [])


KEY = "\n".join(pick(random.Random(n), ALNUM + "+/", 64) for n in range(6))


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n",
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}\n-----END RSA PRIVATE KEY-----",
        f'k = """-----BEGIN EC PRIVATE KEY-----\n{KEY}\n-----END EC PRIVATE KEY-----"""\n',
        "-----BEGIN PRIVATE KEY-----\\n"
        + KEY.replace("\n", "\\n")
        + "\\n-----END PRIVATE KEY-----\\n",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n",
        "  # -----BEGIN PRIVATE KEY-----\n"
        + KEY.replace("\n", "\n  # ")
        + "\n  # -----END PRIVATE KEY-----",
    ],
)
def test_private_keys_are_masked_line_by_line(text):
    masked, found = mask(f"a\n{text}\nb", "x.txt")
    for line in KEY.split("\n"):
        assert line[:20] not in masked
        assert line[-20:] not in masked
    assert masked.count("\n") == text.count("\n") + 2
    assert masked.startswith("a\n")
    assert masked.endswith("b")
    assert any(item.certain and item.kind == "private-key" for item in found)


pieces = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            [
                "password=",
                '"',
                "token: ",
                "[masked:x]",
                "[masked:",
                "Bearer ",
                "\n",
                "://a:",
                "@b",
                "sk-",
                "==",
            ]
        ),
        *list(TOKENS.values())[:8],
        body(URL, 18, 40),
    ),
    max_size=8,
).map("".join)


@given(pieces, st.sampled_from(["a.py", "a.yml", ""]))
def test_masking_twice_changes_nothing_and_lines_keep_their_numbers(text, path):
    masked, found = mask(text, path)
    assert mask(masked, path) == (masked, [])
    assert masked.count("\n") == text.count("\n")
    lines = masked.split("\n")
    for item in found:
        marks = f"[masked:{item.kind}]", f"masked_{item.kind.replace('-', '_')}"
        assert any(mark in lines[item.line - 1] for mark in marks)


@given(st.text(max_size=200))
def test_any_text_can_be_masked(text):
    masked, found = mask(text, "a.py")
    assert (masked == text) == (not found)


def test_a_very_long_line_takes_no_long_time():
    text = "password: ://a:b " * 20_000 + "-----BEGIN PRIVATE KEY-----" * 3_000
    assert mask(text, "a.txt")[0].count("\n") == 0


def test_ordinary_source_is_left_alone():
    """The standard library is clean: nothing certain, and hardly anything that looks like a secret."""
    library = Path(sysconfig.get_path("stdlib"))
    lines = certain = uncertain = 0
    for folder in ("asyncio", "email", "http", "importlib", "json", "logging", "unittest", "xml"):
        for path in sorted((library / folder).glob("*.py")):
            text = path.read_text(encoding="utf-8")
            found = mask(text, path.name)[1]
            lines += text.count("\n")
            certain += sum(item.certain for item in found)
            uncertain += sum(not item.certain for item in found)
    assert lines > 20_000
    assert certain == 0
    assert uncertain <= lines / 5_000


def test_a_heading_behind_a_key_is_no_part_of_it():
    key = "ghp_" + "x8Rk2mVq9LzT4wNcB7yHdJ3sPfG6aE1uK5oX"
    assert "\n## evidence\n" in mask(f"- the key is {key}\n## evidence\n- `true`\n", "a.md")[0]
