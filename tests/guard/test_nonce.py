"""Nonces: the same for the same question, unknown to whoever wrote the work, and no part of a call's name."""

import stat
from concurrent.futures import ThreadPoolExecutor

from builders import call
from guildmoot.calls.keys import call_key
from guildmoot.guard import nonce
from guildmoot.guard.secrets import mask
from guildmoot.model.call import Reply
from guildmoot.practices.calls import ask_for_vote, ask_once_more
from guildmoot.system.state import PROOF_KEY, user_secret

REPLY = Reply("judge", "answered", "Fine.\n\nVERDICT: approved")


def of_another_user(monkeypatch, folder):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))


def test_the_secret_is_the_users_alone_and_made_once(monkeypatch, tmp_path):
    of_another_user(monkeypatch, tmp_path)
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: user_secret(PROOF_KEY), range(64)))
    assert len(secrets) == 1
    [file] = (tmp_path / "guildmoot").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_same_question_has_the_same_nonce_and_another_user_has_another(monkeypatch, tmp_path):
    of_another_user(monkeypatch, tmp_path / "one")
    first = nonce.make_nonce("packet", "seat", "prompt")
    assert first == nonce.make_nonce("packet", "seat", "prompt")
    assert first != nonce.make_nonce("packet", "seatprompt", "")
    of_another_user(monkeypatch, tmp_path / "two")
    assert first != nonce.make_nonce("packet", "seat", "prompt")


def test_where_nothing_can_be_kept_the_nonce_lives_as_long_as_the_process(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    of_another_user(monkeypatch, tmp_path / "file")
    assert nonce.make_nonce("a") == nonce.make_nonce("a")


def test_machines_that_share_a_ledger_name_a_call_alike_also_when_it_is_asked_once_more(
    monkeypatch, tmp_path
):
    def asked(folder):
        of_another_user(monkeypatch, tmp_path / folder)
        first = ask_for_vote(call("gemini", prompt="the work\nJudge.\n"))
        reply = REPLY._replace(nonce="0badc0de")
        return first, ask_once_more(first, reply, "it lacks the line")

    one, two = asked("one"), asked("two")
    assert [each.nonce for each in one] != [each.nonce for each in two]
    assert list(map(call_key, one)) == list(map(call_key, two))
    assert one[0].nonce not in one[1].prompt, (
        "the first nonce cannot be echoed into the second vote"
    )


def test_no_filter_takes_a_nonce_for_a_secret():
    for number in range(200):
        line = f"VERDICT {nonce.make_nonce(str(number))}: approved"
        assert mask(line, "reply")[0] == line
