"""Nothing is written before it is scrubbed: durable files fail closed, telemetry fails open and says so."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.guard.scrub import (
    LOST,
    Scrubber,
    ScrubError,
    append_durable,
    append_telemetry,
    operator_scrubber,
    write_durable,
)

KEY = "AKIA" + "Q7ZP3XWLM4RT5VNB"
WORD = "s3cr3t" + "Pa55word!x9"


def test_a_durable_file_holds_no_secret_and_what_is_returned_is_what_lies_there(tmp_path):
    done = write_durable(tmp_path / "receipt.md", f"used {KEY} to push\n", Scrubber())
    assert done.kinds
    assert (tmp_path / "receipt.md").read_text() == done.text
    assert KEY not in done.text


def test_a_value_is_masked_as_its_key_tells_and_keys_are_masked_too():
    clean = Scrubber().value({"password": WORD, "args": [{"x": f"curl -H {KEY}"}], KEY: 1, "n": 3})
    told = json.dumps(clean.value)
    assert WORD not in told
    assert KEY not in told
    assert clean.value["n"] == 3


def test_patterns_of_the_operator_count_beside_the_built_in_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("GUILD_GUARD_SECRETS", r"ACME-\d{6}")
    assert operator_scrubber().text("badge ACME-123456").text == "badge [masked:own]"


@pytest.mark.parametrize("bad", ["(", "[a-", "x*", "(?P<n>a)(?P<n>b)"])
def test_a_bad_pattern_stops_durable_files_and_only_warns_for_telemetry(tmp_path, bad):
    def make():
        return Scrubber([bad])

    with pytest.raises(ScrubError):
        write_durable(tmp_path / "page.md", "text", make())
    assert not (tmp_path / "page.md").exists()
    warning = append_telemetry(tmp_path / "log.jsonl", [{"command": f"echo {KEY}"}], make)
    assert "built-in" in warning
    kept = (tmp_path / "log.jsonl").read_text()
    assert "echo" in kept
    assert KEY not in kept


def test_bad_settings_of_the_user_stop_durable_files(tmp_path, monkeypatch):
    monkeypatch.setenv("GUILD_GUARD_SECRETS", "(")
    with pytest.raises(ScrubError, match="regular expression"):
        append_durable(tmp_path / "log.jsonl", [{"a": "b"}])
    assert not (tmp_path / "log.jsonl").exists()


def test_a_line_that_cannot_be_searched_is_told_as_lost(tmp_path):
    deep: object = "x"
    for _ in range(400):
        deep = [deep]
    warning = append_telemetry(tmp_path / "log.jsonl", [{"a": deep}, {"b": "fine"}], Scrubber)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert rows == [{"lost": LOST}, {"b": "fine"}]
    assert "nested" in warning
    with pytest.raises(ScrubError):
        append_durable(tmp_path / "log.jsonl", [{"a": deep}], Scrubber())


def test_telemetry_that_the_disk_refuses_is_a_warning(tmp_path):
    assert "could not be written" in append_telemetry(tmp_path / "no" / "log.jsonl", [{"a": 1}])
    if os.path.exists("/dev/full"):
        (tmp_path / "full").symlink_to("/dev/full")
        assert append_telemetry(tmp_path / "full", [{"a": 1}])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_scrubbing_twice_changes_nothing_more(value):
    once = Scrubber().value({"v": value}).value
    assert Scrubber().value(once).value == once
