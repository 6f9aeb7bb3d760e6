"""What the egress filter held back becomes findings, without the secret itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from builders import run_tool
from guildmoot.agents.tools.secrets import secrets
from guildmoot.guard.secrets import mask
from guildmoot.packet import PacketRequest, build_packet


def masked(certain: bool, path: str = "src/a.py", kind: str = "") -> dict[str, object]:
    return {
        "path": path,
        "line": 3,
        "kind": kind or ("aws" if certain else "secret"),
        "certain": certain,
    }


def omitted(path: str, reason: str = "key-file", detail: str = "tracked") -> dict[str, object]:
    return {"path": path, "reason": reason, "detail": detail}


FILES: list[dict[str, object]] = [{"path": "src/a.py"}]


def codes(*files: dict[str, object]) -> list[str]:
    return [each.code for each in secrets({"files": [], "masked": [], "omitted": list(files)})]


def test_a_certain_secret_and_a_possible_one_are_told_apart() -> None:
    both = [masked(True), masked(False)]
    certain, possible = secrets({"files": FILES, "masked": both, "omitted": []})
    assert (certain.code, certain.severity, certain.path, certain.line) == (
        *("secret", "ERROR", "src/a.py", 3),
    )
    assert (possible.code, possible.severity) == ("possible-secret", "WARNING")
    assert "aws" in certain.message


@pytest.mark.parametrize(
    ("path", "kind", "certain", "code"),
    [
        ("tests/a.py", "aws-key", True, "possible-secret"),
        ("docs/setup.md", "aws-key", True, "possible-secret"),
        ("pkg/a_test.go", "secret", False, ""),
        ("README.md", "secret", False, ""),
        ("src/a.py", "example", False, ""),
        ("src/a.py", "github-token", False, ""),
        ("src/a.py", "seed-phrase", False, "possible-secret"),
    ],
)
def test_examples_hold_nothing_up(path: str, kind: str, certain: bool, code: str) -> None:
    told = secrets(
        {"files": [{"path": path}], "masked": [masked(certain, path, kind)], "omitted": []}
    )
    assert [each.code for each in told] == [code] * bool(code)


@pytest.mark.parametrize(
    ("text", "random"),
    [
        ('DB_PASSWORD = "{value}"', True),
        ('const config = { apiKey: "{value}" };', True),
        ('URL = "postgres://app:{value}@db.internal.net/app"', True),
        ('DB_PASSWORD = "correct-horse-battery"', False),
        ('DB_PASSWORD = "changeme-please-now"', False),
        ('DB_PASSWORD = "${DB_PASSWORD_OF_PROD}"', False),
        ('checksum = "{value}"', False),
    ],
)
def test_a_random_value_beside_a_telling_name_is_most_likely_a_secret(
    text: str, random: bool
) -> None:
    value = "kQ7zR2tYb" + "N4wX9mPc3L"
    _, found = mask(text.replace("{value}", value) + "\n", "src/a.js")
    assert any(each.random for each in found) is random
    for path, code in (("src/a.js", "likely-secret"), ("tests/a.js", "")):
        rows = [each._replace(path=path)._asdict() for each in found if each.random]
        told = secrets({"files": [{"path": path}], "masked": rows, "omitted": []})
        assert [each.code for each in told] == [code] * (random and bool(code))


@pytest.mark.parametrize("path", [".env", "deploy/id_rsa", "certs/server.key", ".aws/credentials"])
def test_a_tracked_key_file_is_a_leak(path: str) -> None:
    assert codes(omitted(path)) == ["key-file"]


@pytest.mark.parametrize("path", [".npmrc", "ca.pem", "tests/certs/server.key", ".yarnrc.yml"])
def test_a_tracked_file_that_may_be_harmless_only_advises(path: str) -> None:
    assert codes(omitted(path)) == ["possible-key-file"]


@pytest.mark.parametrize("detail", ["", "untracked", "not tracked by git"])
def test_a_key_file_that_git_does_not_track_is_where_it_belongs(detail: str) -> None:
    assert codes(omitted(".env", detail=detail)) == []


def test_a_secret_outside_the_files_is_told_once_and_does_not_block() -> None:
    in_diff = {**masked(True), "path": "diff"}
    alone = list(secrets({"files": FILES, "masked": [in_diff], "omitted": []}))
    assert [(each.code, each.path) for each in alone] == [("secret-beside", "")]
    both = secrets({"files": FILES, "masked": [masked(True), in_diff], "omitted": []})
    assert [each.code for each in both] == ["secret"]
    unsure = {**masked(False), "path": "diff"}
    assert list(secrets({"files": FILES, "masked": [unsure], "omitted": []})) == []


def test_files_left_out_for_other_reasons_are_no_secrets() -> None:
    assert codes(omitted("a.bin", "binary", "tracked")) == []


def test_the_program_reads_a_manifest(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text(
        json.dumps({"files": FILES, "masked": [masked(True)], "omitted": [omitted("a\nb/.env")]}),
        encoding="utf-8",
    )
    code, diagnostics, _ = run_tool("secrets", str(manifest))
    assert code == 1
    assert [each["location"]["path"] for each in diagnostics] == ["src/a.py", "a\nb/.env"]
    manifest.write_text('{"files": [], "masked": [], "omitted": []}', encoding="utf-8")
    assert run_tool("secrets", str(manifest)) == (0, [], "")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"masked": 1, "omitted": []}', '{"masked": [{}]}']
)
def test_what_is_no_manifest_is_no_judgement(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    code, diagnostics, said = run_tool("secrets", str(tmp_path / "manifest.json"))
    assert (code, diagnostics) == (2, [])
    assert "no manifest of a packet" in said


def test_keys_of_a_server_for_tests_are_advice() -> None:
    omitted = {"path": "test_files/sftp/id_rsa", "reason": "key-file", "detail": "tracked"}
    (found,) = secrets({"files": [], "masked": [], "omitted": [omitted]})
    assert found.code == "possible-key-file"


RSA = bytes.fromhex("30820122300d06092a864886f70d0101010500")


def test_a_public_key_is_meant_to_be_seen(tmp_path: Path) -> None:
    (tmp_path / "sig").mkdir()
    (tmp_path / "sig/release.key").write_text("-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "utf-8")
    (tmp_path / "sig/own.key").write_text("-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "utf-8")
    (tmp_path / "sig/der.key").write_bytes(RSA + b"\x03\x82\x01\x0f\x00")
    (tmp_path / "sig/own_der.key").write_bytes(RSA + b"\x04\x82\x04\xa7\x30")
    (tmp_path / "sig/a.txt").write_text("a\n", "utf-8")
    for words in (("init", "-q"), ("add", ".")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    packet = build_packet(PacketRequest(targets=("sig",), cwd=tmp_path))
    details = {each.path: each.detail for each in packet.omitted}
    for name, code in (
        ("release", "possible-key-file"),
        ("der", "possible-key-file"),
        ("own", "key-file"),
        ("own_der", "key-file"),
    ):
        assert codes(omitted(f"sig/{name}.key", detail=details[f"sig/{name}.key"])) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ALLOW_DELETE_ANYTIME=true\nAPI_KEY=\nDEBUG=true # no key\n", "possible-key-file"),
        ("PORT=9001\nDB_PASSWORD=root\n", "key-file"),
        ("URL=postgres://me:pw@db/x\n", "key-file"),
        ("ID=0f1e2d3c4b5a69788796a5b4c3d2e1f0\n", "key-file"),
    ],
)
def test_settings_without_a_secret_are_no_leak(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / ".env").write_text(text, "utf-8")
    (tmp_path / "a.txt").write_text("a\n", "utf-8")
    for words in (("init", "-q"), ("add", ".")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    packet = build_packet(PacketRequest(targets=(".",), cwd=tmp_path))
    (left,) = (each for each in packet.omitted if each.path == ".env")
    assert codes(omitted(".env", detail=left.detail)) == [code]
