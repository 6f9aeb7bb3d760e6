"""The user's cache: what is remembered comes back for the same key alone, and never from somebody else."""

from guildmoot.agents.folders import read_folder, read_package
from guildmoot.agents.registry import PACKAGE_FOLDER
from guildmoot.system.cache import recall, remember, user_cache_folder


def own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_what_was_remembered_comes_back_for_the_same_key(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    remember("some", "a", b"data")
    assert recall("some", "a") == b"data"
    assert recall("some", "b") is None
    assert recall("other", "a") is None


def test_what_somebody_else_wrote_is_not_believed(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    remember("some", "a", b"data")
    file = user_cache_folder() / "some"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert recall("some", "a") is None
    file.write_bytes(b"")
    assert recall("some", "a") is None


def test_a_link_in_its_place_is_not_followed(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    remember("some", "a", b"data")
    file = user_cache_folder() / "some"
    file.rename(file.with_name("moved"))
    file.symlink_to("moved")
    assert recall("some", "a") is None


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    remember("some", "a", b"data")
    assert recall("some", "a") is None


def test_the_agents_of_the_package_are_the_same_from_the_cache(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    first, kept = read_package(PACKAGE_FOLDER), read_package(PACKAGE_FOLDER)
    assert list(user_cache_folder().iterdir())
    assert first == kept == read_folder(PACKAGE_FOLDER, "package")


def test_an_agent_file_that_changed_is_read_anew(monkeypatch, tmp_path):
    own_folders(monkeypatch, tmp_path)
    folder = tmp_path / "agents"
    folder.mkdir()
    text = (PACKAGE_FOLDER / "secrets.md").read_text()
    (folder / "secrets.md").write_text(text)
    read_package(folder)
    (folder / "secrets.md").write_text(text.replace("description: ", "description: new ", 1))
    (found,) = read_package(folder)
    assert found.agent.description.startswith("new ")
