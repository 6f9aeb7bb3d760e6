"""Secrets leave nowhere, and ordinary code is no secret: every row of ``secret_words`` is tried."""

from __future__ import annotations

import ast
import random
import string
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import mainly
from guildmoot.guard.secrets import mask
from guildmoot.model.packet import Packet
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.packet.render import render
from guildmoot.packet.request import EvidenceResult
from security.secret_words import HOSTILE, LEAKS, NAMES, ORDINARY, PLAIN_NAMES, RUNS, TOKENS, made

PLACES = (
    "{}",
    'x = "{}"',
    "see {} now",
    "- a: {}",
    "\\n{}\\n",
    "https://h/?q={}&b=1",
    "\x1b[32m{}\x1b[0m",
)
WORDS = "\n\n".join(text for _, text, *_ in LEAKS)


def gone(text: str) -> list[str]:
    return [secret for _, _, *secrets in LEAKS for secret in secrets if secret in text]


@pytest.mark.parametrize(("path", "text", "secrets"), [(row[0], row[1], row[2:]) for row in LEAKS])
def test_no_secret_is_left(path: str, text: str, secrets: tuple[str, ...]) -> None:
    for kind in (path, "", "words"):
        masked, found = mask(f"before\n{text}\nbehind\n", kind)
        assert not [secret for secret in secrets if secret in masked]
        assert found
        assert masked.count("\n") == text.count("\n") + 3
        assert mask(masked, kind) == (masked, [])


@pytest.mark.parametrize(("path", "text"), ORDINARY)
def test_ordinary_work_is_left_alone(path: str, text: str) -> None:
    assert mask(text, path) == (text, [])


@pytest.mark.parametrize(("path", "text"), RUNS)
def test_what_runs_is_shown_or_told_as_hidden(path: str, text: str) -> None:
    masked, found = mask(text, path)
    assert "evilpkg" in masked or any(item.hides for item in found)


@pytest.mark.parametrize("shape", TOKENS.split())
def test_every_family_is_known_wherever_it_stands(shape: str) -> None:
    token = made(shape)
    for place in PLACES:
        masked, found = mask(place.format(token), "a.txt")
        assert token[-12:].strip("=") not in masked
        assert any(item.certain for item in found)


# --- the ways out ---------------------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    (tmp_path / "a.txt").write_text("x\n")
    return tmp_path


def commit(repo: Path) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(("git", "-C", str(repo), "add", "-A"), check=True)
    subprocess.run(("git", "-C", str(repo), *who, "commit", "-qm", "work"), check=True)


def seen(packet: Packet) -> str:
    """Everything that a judge, a record or a report could show of it."""
    return render(packet) + repr(packet)


def write_rows(repo: Path) -> None:
    for number, (path, text, *_) in enumerate(LEAKS):
        file = repo / f"n{number}" / path.replace("a.env", "env.txt")
        file.parent.mkdir()
        file.write_text(text + "\n")


def test_none_leaves_with_the_tree(repo: Path) -> None:
    write_rows(repo)
    packet = build_packet(PacketRequest(targets=(".",), cwd=repo))
    assert len(packet.files) == len(LEAKS) + 1
    assert gone(seen(packet)) == []


def test_a_value_that_is_masked_is_masked_wherever_it_stands(repo: Path) -> None:
    commit(repo)
    value = "Wd7kelpOtter93x"
    (repo / "b.py").write_text(f"password = '{value}'\n")
    (repo / "a.py").write_text(f"x = 1\nx = ['{value}']\n")
    for request in (
        PacketRequest(targets=(".",), cwd=repo),
        PacketRequest(cwd=repo, diff="", ask=f"why is {value} there?"),
    ):
        packet = build_packet(request)
        assert value not in render(packet) + repr(
            packet._replace(real=Packet._field_defaults["real"])
        )
        assert ("a.py", 2) in {(item.path, item.line) for item in packet.masked}


def test_none_leaves_with_lines_that_are_added_or_removed(repo: Path) -> None:
    commit(repo)
    write_rows(repo)
    assert gone(seen(build_packet(PacketRequest(cwd=repo, diff="")))) == []
    commit(repo)
    for number, (path, *_) in enumerate(LEAKS):
        (repo / f"n{number}" / path.replace("a.env", "env.txt")).write_text("nothing\n")
    packet = build_packet(PacketRequest(cwd=repo, diff=""))
    assert len(packet.files) == len(LEAKS)
    assert gone(seen(packet)) == []


@pytest.mark.parametrize(
    "more",
    [
        {"ask": WORDS},
        {"question": WORDS, "targets": ()},
        {"evidence": (WORDS,)},
        {"evidence_results": (EvidenceResult(WORDS, 1, WORDS),)},
        {"spec": (Path("spec.md"),)},
        {"decisions": (Path("spec.md"),)},
        {"targets": ("-",), "stdin": WORDS.encode(), "stdin_name": "notes"},
    ],
    ids=["ask", "question", "evidence", "command", "spec", "decision", "stdin"],
)
def test_none_leaves_beside_the_files(repo: Path, more: dict[str, object]) -> None:
    (repo / "spec.md").write_text(WORDS)
    request = PacketRequest(targets=("a.txt",), cwd=repo)._replace(**more)
    assert gone(seen(build_packet(request))) == []


@pytest.mark.parametrize(("name", "secret"), NAMES)
def test_no_file_name_tells_a_secret(repo: Path, name: str, secret: str) -> None:
    commit(repo)
    (repo / name).parent.mkdir(exist_ok=True, parents=True)
    (repo / name).write_text("x = 1\n")
    for request in (
        PacketRequest(targets=(".",), cwd=repo),
        PacketRequest(cwd=repo, diff=""),
        PacketRequest(targets=("a.txt",), cwd=repo, spec=(Path(name),)),
    ):
        assert secret not in seen(build_packet(request))


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_ordinary_file_names_are_kept(repo: Path, name: str) -> None:
    (repo / name).parent.mkdir(exist_ok=True, parents=True)
    (repo / name).write_text("x = 1\n")
    packet = build_packet(PacketRequest(targets=(".",), cwd=repo))
    assert name in [file.path for file in packet.files]


# --- what masking keeps ---------------------------------------------------------------------------

BITS = st.lists(
    st.one_of(
        st.sampled_from([text for _, text, *_ in LEAKS]),
        st.sampled_from([made(shape) for shape in TOKENS.split()]),
        st.text(max_size=12),
        st.sampled_from(["\n", '"', "'", "password = ", "token: ", "\\\n", '" + "', "[masked:x]", "-----BEGIN PRIVATE KEY-----\n", "\u2028"]),
    ),
    max_size=6,
).map("".join)  # fmt: skip


@given(BITS, st.sampled_from(["a.py", "a.yml", "", "a.sh", "a.xml"]))
def test_lines_are_kept_and_masking_again_changes_nothing(text: str, path: str) -> None:
    masked, _ = mask(text, path)
    assert masked.count("\n") == text.count("\n")
    assert len(masked.splitlines()) == len(text.splitlines())
    assert mask(masked, path) == (masked, [])


@pytest.mark.parametrize("text", [text for path, text, *_ in LEAKS if path == "a.py"])
def test_python_stays_python(text: str) -> None:
    ast.parse(text)
    ast.parse(mask(text, "a.py")[0])


@pytest.mark.parametrize("shape", ["ghp_{a36}", "dapi{h32}", "npm_{a36}", "hf_{a34}"])
def test_a_token_that_stands_where_a_name_stands_becomes_a_name(shape: str) -> None:
    ast.parse(mask(f"{made(shape)} = f({made(shape)})\n", "a.py")[0])


@pytest.mark.parametrize("piece", mainly(*HOSTILE))
def test_no_text_takes_long(piece: str) -> None:
    """Three megabytes a second, with room for a busy machine, and twice the text takes twice the time."""
    spent = []
    for size in (300_000, 600_000):
        text = piece * (size // len(piece))
        began = time.process_time()
        mask(text, "a.txt")
        spent.append(time.process_time() - began)
    assert spent[1] < 1
    assert spent[1] < 4 * spent[0] + 0.1


def test_a_crowd_is_held_back_whole_and_the_lines_around_it_are_kept() -> None:
    plain = "def total(items):\n    return sum(items)\n" * 2000
    text = plain + "password=x1y2 token: z3 \n" * 9000 + plain
    masked, found = mask(text, "a.py")
    assert masked.count("\n") == text.count("\n")
    assert masked.startswith(plain[: len(plain) // 2])
    assert masked.endswith(plain[len(plain) // 2 :])
    assert {item.kind for item in found} >= {"crowded"}
    assert mask(masked, "a.py") == (masked, [])


def test_a_megabyte_takes_less_than_a_second_or_so() -> None:
    rng = random.Random(1)
    line = "".join(rng.choices(string.ascii_letters + string.digits + "+/", k=1_000_000))
    began = time.process_time()
    assert mask(line, "a.txt")[1] == []
    assert time.process_time() - began < 2
