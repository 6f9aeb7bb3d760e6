"""The user's agents come before the package's, and a bad file is never silently dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from guildmoot.agents.folders import MAX_BYTES
from guildmoot.agents.registry import Registry, load_agents
from guildmoot.errors import AgentFileError, UsageError


def write(folder: Path, name: str, front: str = "", file: str = "") -> Path:
    path = folder / (file or f"{name}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: d\n{front}---\nBody\n", encoding="utf-8")
    return path


class Places:
    """A repository and a user's folder, both empty."""

    def __init__(self, base: Path) -> None:
        self.root = base / "repo"
        self.project = self.root / ".guild" / "agents"
        self.claude = self.root / ".claude" / "agents"
        self.user = base / "user"

    def load(self) -> Registry:
        return load_agents(self.root, self.user)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_the_users_agent_comes_before_the_packages_and_the_repositorys_before_none(
    places: Places,
) -> None:
    for folder in (places.claude, places.project):
        write(folder, "ruff")
    assert places.load().get("ruff").origin == "package"
    write(places.user, "ruff")
    registry = places.load()
    assert registry.get("ruff").origin == "user"
    [hidden] = registry.shadowed
    assert (hidden.agent.origin, hidden.by) == ("package", str(places.user / "ruff.md"))


def test_shipped_agents_are_there_without_a_repository(tmp_path: Path) -> None:
    assert load_agents(None, tmp_path).get("ruff").origin == "package"


def test_agent_files_are_found_in_folders_below(places: Places) -> None:
    write(places.user, "deep", file="team/sql/deep.md")
    assert places.load().get("deep").origin == "user"


def test_asking_for_an_agent_whose_file_is_broken_names_file_line_and_reason(
    places: Places,
) -> None:
    path = write(places.user, "ruff", "tier: huge\n")
    registry = places.load()
    with pytest.raises(AgentFileError) as caught:
        registry.get("ruff")
    assert caught.value.message.startswith(f"{path}:4: tier must be")


def test_a_file_that_cannot_be_read_holds_the_name_of_the_file(places: Places) -> None:
    places.user.mkdir(parents=True)
    (places.user / "secrets.md").write_text("no front matter", encoding="utf-8")
    with pytest.raises(AgentFileError, match=r"secrets\.md:1: front matter is missing"):
        places.load().get("secrets")


def test_an_unknown_name_is_answered_with_the_nearest(places: Places) -> None:
    with pytest.raises(UsageError) as caught:
        places.load().get("rufff")
    assert "there is no agent 'rufff'" in caught.value.message
    assert "ruff" in caught.value.hint


def test_upper_and_lower_case_name_the_same_agent(places: Places) -> None:
    write(places.user, "Secrets")
    registry = places.load()
    assert registry.get("SECRETS").origin == "user"
    assert len(registry.shadowed) == 1


def test_two_files_with_one_name_in_one_place_are_a_problem(places: Places) -> None:
    first = write(places.user, "judge", file="a.md")
    second = write(places.user, "judge", file="b.md")
    registry = places.load()
    assert [str(problem) for problem in registry.problems] == [
        f"{second}:2: name judge is already taken by {first}"
    ]
    with pytest.raises(AgentFileError, match="already taken"):
        registry.get("judge")


def test_a_readme_is_no_agent_file(places: Places) -> None:
    places.user.mkdir(parents=True)
    (places.user / "README.md").write_text("# Our agents\n", encoding="utf-8")
    (places.user / "notes.txt").write_text("notes", encoding="utf-8")
    assert places.load().problems == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"---\nname: \xff\n---\n", "is not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "is larger than"),
    ],
)
def test_a_file_of_the_wrong_kind_is_a_problem(places: Places, content: bytes, reason: str) -> None:
    places.user.mkdir(parents=True)
    (places.user / "odd.md").write_bytes(content)
    assert reason in places.load().problems[0].reason


def test_the_user_may_link_to_agents_elsewhere(places: Places) -> None:
    places.user.mkdir()
    (places.user / "mine.md").symlink_to(write(places.root.parent / "dotfiles", "mine"))
    assert places.load().get("mine").origin == "user"
