"""Texts that were searched for secrets before: skipping them never hides one."""

from guildmoot.guard.clean_texts import WORTH, CleanTexts
from guildmoot.packet.egress import Draft, release
from guildmoot.system.cache import user_cache_folder

PLAIN = "def add(a, b):\n    return a + b\n" * (WORTH // 100)
KEY = 'TOKEN = "ghp_' + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A" + '"\n'


def own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def released(*files):
    return release(Draft("/nowhere", "some files", files=list(files)))


def test_a_second_look_finds_the_same(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    files = [(f"{n}.py", PLAIN + f"# {n}\n") for n in range(5)] + [("key.py", PLAIN + KEY)]
    first, again = released(*files), released(*files)
    assert (user_cache_folder() / "clean-texts").exists()
    assert [item.path for item in first.masked] == ["key.py"]
    assert first == again


def test_a_text_that_gained_a_secret_is_searched(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    files = [(f"{n}.py", PLAIN) for n in range(5)]
    assert not released(*files).masked
    (masked,) = released(*files[:4], ("4.py", PLAIN + KEY)).masked
    assert (masked.path, masked.certain) == ("4.py", True)


def test_what_is_known_is_known_of_one_path(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    files = [("a.py", PLAIN * 5)]
    first = CleanTexts(files)
    first.add(*files[0])
    first.keep()
    second = CleanTexts(files)
    assert second.holds("a.py", PLAIN * 5)
    assert not second.holds("a.yml", PLAIN * 5)
    assert not second.holds("a.py", PLAIN)


def test_who_cannot_keep_a_secret_searches_every_time(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    files = [("a.py", PLAIN * 5)]
    first = CleanTexts(files)
    first.add(*files[0])
    first.keep()
    assert not CleanTexts(files).holds(*files[0])
