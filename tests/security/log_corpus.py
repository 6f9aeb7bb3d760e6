"""What ends up in logs of coding agents: 300 secrets of 25 families as they stand in commands, outputs, prompts and
settings, and 1,000 texts that only look like one. All of them are made here, when asked for; none opens anything.
"""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import Iterator

from security.secret_words import made

FAMILIES = {
    "anthropic": "sk-ant-api03-{w80}", "openai": "sk-proj-{w60}", "github": "ghp_{a36}", "github-fine": "github_pat_{a82}",
    "gitlab": "glpat-{w20}", "slack": "xoxb-{d12}-{d12}-{a24}", "slack-hook": "https://hooks.slack.com/services/T{u8}/B{u8}/{a24}",
    "aws": "AKIA{u16}", "google": "AIza{w35}", "google-oauth": "ya29.{w80}", "npm": "npm_{a36}",
    "pypi": "pypi-AgEIcHlwaS5vcmc{w80}", "stripe": "sk_live_{a24}", "sendgrid": "SG.{w22}.{w43}",
    "huggingface": "hf_{a34}", "vault": "hvs.{w90}", "digitalocean": "dop_v1_{h64}", "jwt": "eyJhbGciOiJIUzI1NiJ9.{w40}.{w43}",
    "databricks": "dapi{h32}", "shopify": "shpat_{h32}",
}  # fmt: skip
TOLD = ("password", "url-password", "bearer", "aws-secret", "private-key")
"""Families that a name, a place or a frame tells, and not the value."""
_AROUND = (
    "export TOKEN={0}", "curl -H 'Authorization: Bearer {0}' https://api.example.com/v1/me",
    '{{"env": {{"API_KEY": "{0}"}}, "ok": true}}', "remote: fatal: authentication failed for {0}",
    "use {0} for the deployment, and don't tell anybody", "TOKEN={0} make deploy", "+  token: {0}",
    "2026-11-17T10:00:00Z INFO client configured key={0} retries=3", "git clone https://x:{0}@github.com/a/b.git",
    "[default]\ntoken = {0}\nregion = eu", "docker run -e KEY={0} image", "stdout: {0}\nstderr:",
)  # fmt: skip
_PASSWORDS = (
    "password: {0}", "DB_PASSWORD={0}", '"password": "{0}"', "mysql -u root -p{0} shop", "PGPASSWORD={0} psql -h db",
    "export ADMIN_PASSWORD='{0}'", "the password is: {0}", "sshpass -p {0} ssh host", "--password={0}",
    "spring.datasource.password={0}", "<password>{0}</password>", "passwd = '{0}'",
)  # fmt: skip


def secrets() -> Iterator[tuple[str, str, str]]:
    """Family, text, and what must not be left of it."""
    for family, shape in FAMILIES.items():
        for number, around in enumerate(_AROUND):
            value = made(shape + "\0" * number).rstrip("\0")
            yield family, around.format(value), value[-12:]
    rng = random.Random(18)
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    for around in _PASSWORDS:
        word = "".join(rng.choices(letters, k=12)) + "7!"
        yield "password", around.format(word), word
    for scheme in ("postgres", "mysql", "redis", "amqp", "mongodb", "https", "ftp", "smtp", "ldap", "mssql", "http", "nats"):  # fmt: skip
        word = "".join(rng.choices(letters, k=14)) + "3"
        yield "url-password", f"DATABASE={scheme}://svc:{word}@db.internal:5432/app", word
    for number in range(12):
        word = "".join(rng.choices(letters + "._-", k=30 + number)) + "4q"
        yield "bearer", f"> Authorization: Bearer {word}\n> Accept: */*", word
    for number in range(12):
        word = base64.b64encode(rng.randbytes(30)).decode()
        name = ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey")[number % 3]
        sign = (" = ", "=", ": ")[number % 3]
        yield "aws-secret", f"{name}{sign}{word}", word
    for kind in ("RSA ", "EC ", "OPENSSH ", "", "DSA ", "ENCRYPTED ") * 2:
        body = base64.b64encode(rng.randbytes(96)).decode()
        frame = "-----{0} " + kind + "PRIVATE KEY-----"
        text = f"{frame.format('BEGIN')}\n{body[:64]}\n{body[64:]}\n{frame.format('END')}\n"
        yield "private-key", text, body[:40]


def lookalikes() -> Iterator[tuple[str, str]]:
    """Kind and text; nothing in it is to be masked."""
    rng = random.Random(19)
    for number in range(100):
        data = rng.randbytes(20)
        sha1, sha256 = hashlib.sha1(data).hexdigest(), hashlib.sha256(data).hexdigest()
        b64 = base64.b64encode(hashlib.sha512(data).digest()).decode()
        each = uuid.UUID(int=rng.getrandbits(128), version=4)
        word = rng.choice(("cart", "order", "session", "invoice", "player"))
        yield "commit", rng.choice((f"commit {sha1}", f"{sha1[:7]} Fix the {word}", f"index {sha1[:7]}..{sha1[7:14]} 100644", f"Merge: {sha1[:8]} {sha1[8:16]}"))  # fmt: skip
        yield "hash", rng.choice((f"{sha256}  {word}.tar.gz", f"sha256:{sha256}", f"md5={hashlib.md5(data).hexdigest()}", f"ETag: \"{sha1}\""))  # fmt: skip
        yield "uuid", rng.choice((f"request_id={each}", f"id: {each}", f'{{"{word}_id": "{each}"}}', f"GET /{word}s/{each} 200"))  # fmt: skip
        yield "lock file", rng.choice((f'"integrity": "sha512-{b64}"', f'resolved "https://registry.npmjs.org/{word}/-/{word}-1.{number}.0.tgz#{sha1}"', f'{{file = "{word}-1.0-py3-none-any.whl", hash = "sha256:{sha256}"}}', f"{word} v1.{number}.0 h1:{b64[:43]}="))  # fmt: skip
        yield "fixture", rng.choice(('password = "example"', 'token: "YOUR_TOKEN_HERE"', "API_KEY=changeme", 'secret = "xxxxxxxxxxxxxxxx"', "password: <your password>", 'key = "dummy-key-for-tests"'))  # fmt: skip
        yield "reference", rng.choice((f"password = os.environ['{word.upper()}_PASSWORD']", "token: ${{ secrets.GITHUB_TOKEN }}", "api_key = settings.API_KEY", "password=$DB_PASSWORD", f"secret = get_secret('{word}')", "Authorization: Bearer $TOKEN"))  # fmt: skip
        yield "code", rng.choice((f"def {word}_token(self, password: str) -> Token:", f"const {word}Key = `{word}:${{id}}`;", f"tokens = tokenizer.encode({word})", f"if (password.length < {number}) throw new WeakPassword();", f"primary_key = [\"{word}_id\"]"))  # fmt: skip
        yield "path", rng.choice((f"src/{word}/secrets_manager/token_store.py:{number}", f"https://example.com/{word}/{number}?page=2&sort=key", f"/nix/store/{sha1[:32]}-{word}-2.{number}", f"node_modules/.cache/{sha1[:20]}.js"))  # fmt: skip
        yield "digest", rng.choice((f"image: {word}@sha256:{sha256}", f"uses: actions/checkout@{sha1}", f"--hash=sha256:{sha256}", f"Content-MD5: {base64.b64encode(hashlib.md5(data).digest()).decode()}"))  # fmt: skip
        yield "words", rng.choice((f"Rotate the token every {number} days and store it in the vault", "The password must have twelve characters", f"{number} tokens in, 0 secrets found", "see docs/secrets.md for how keys are kept", "feat(auth): accept bearer tokens"))  # fmt: skip
