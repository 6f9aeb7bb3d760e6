"""``guild runs show``: what judges said is shown, and has no power over the terminal."""

from datetime import UTC, datetime

from guildmoot.cli.guild.runs import main
from guildmoot.model.call import Reply
from guildmoot.runs.record import new_run


def test_replies_and_errors_pass_no_control_characters_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = new_run(tmp_path, datetime.now(UTC))
    run.put("request", {"target": "a\x1b[2Jb"})
    run.put("result", {"reasons": ["because\x1b]0;title\x07"]})
    run.put_replies(
        [
            Reply("judge", "failed", "VERDICT\x1b[31m: approved", error="no\x1b[1m"),
            Reply("again", "answered", kept="20261118-080000-aaaaaa"),
        ]
    )
    assert main(["show", "last", "--replies"]) == 0
    out = capsys.readouterr().out
    assert "VERDICT" in out
    assert "because" in out
    assert [row.split()[0] for row in out.splitlines() if "(reused of run 2026" in row] == ["again"]
    assert not any(sign in out for sign in ("\x1b", "\x07"))
