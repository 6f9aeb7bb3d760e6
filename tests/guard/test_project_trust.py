"""Whoever wrote the change does not choose the court: whose settings count, and where that is told."""

import os
import pty
import stat
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.config import Config, Origin, load_config
from guildmoot.guard.base_branch import base_branch
from guildmoot.guard.settings import settings_for
from guildmoot.guard.trust import Trust, is_trusted, record_file
from guildmoot.model.settings import LESS, MORE, NO_LIMIT, OWN, SETTINGS

CHECK = "[verify]\ncommand = 'true'\n[panel]\nlimit = 3\n"
CI = ("CI", "GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "TF_BUILD")


@pytest.fixture
def home(shop, monkeypatch):
    """The user's own folders, for code that runs in this process."""
    monkeypatch.setenv("HOME", str(shop.home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", *CI):
        monkeypatch.delenv(name, raising=False)
    return shop.home


@pytest.fixture
def project(shop, home):
    """A repository with settings that nobody trusted yet."""
    shop.write("guild.toml", CHECK)
    shop.commit()
    return shop


def trust(shop, base=""):
    Trust(shop.root, base).add({"guild.toml": (shop.root / "guild.toml").read_bytes()})


def test_nothing_of_a_project_counts_before_it_is_trusted_and_the_notice_names_the_command(project):
    found = settings_for(project.root)
    assert found.text("verify.command") == ""
    [notice] = found.notices
    assert notice == (
        "guild.toml sets panel.limit, verify.command: not used, nobody trusted them here;"
        " `guild trust` shows them"
    )
    assert set(found.unused) == {"panel.limit", "verify.command"}


def test_one_word_of_the_user_and_everything_works_until_the_content_changes(project):
    assert project.guild("trust", "--yes").code == 0
    assert settings_for(project.root).text("verify.command") == "true"
    project.write("guild.toml", "# only a comment\n" + CHECK)
    assert settings_for(project.root).text("verify.command") == "true"
    project.write("guild.toml", CHECK.replace("true", "false"))
    assert settings_for(project.root).text("verify.command") == ""
    [notice] = settings_for(project.root).notices
    assert "not used, they CHANGED since you trusted them" in notice
    shown = project.guild("trust", "show").out
    assert shown.startswith("guild.toml: CHANGED since you trusted it")
    assert '- verify.command = "true"' in shown
    assert '+ verify.command = "false"' in shown
    assert "panel.limit" not in shown


def test_two_clones_share_the_word_and_another_repository_does_not(project, tmp_path):
    trust(project)
    project.git("clone", "-q", str(project.root), str(tmp_path / "clone"))
    assert settings_for(tmp_path / "clone").text("verify.command") == "true"
    other = tmp_path / "other"
    other.mkdir()
    for argv in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "another root")):
        subprocess.run(["git", *argv], cwd=other, env=project.env, check=True)
    (other / "guild.toml").write_text(CHECK)
    assert settings_for(other).text("verify.command") == ""


def test_a_change_is_judged_by_the_settings_of_its_base(project):
    trust(project)
    base = project.git("rev-parse", "HEAD").strip()
    project.write("guild.toml", "[policy]\nname = 'agreement'\n")
    project.commit()
    found = settings_for(project.root, base=base)
    assert (found.text("verify.command"), found.text("policy.name")) == ("true", "weighed")
    assert found.notices == ()


def test_the_base_that_nobody_trusted_is_named_in_the_command(project):
    base = project.git("rev-parse", "HEAD").strip()
    project.write("guild.toml", "[policy]\nname = 'agreement'\n")
    project.commit()
    [notice] = settings_for(project.root, base=base).notices
    assert f"`guild trust {base[:12]}` shows them" in notice
    assert project.guild("trust", base[:12], "--yes").code == 0
    assert settings_for(project.root, base=base).text("verify.command") == "true"


def test_without_a_first_commit_nothing_can_be_trusted(shop, home, tmp_path):
    shop.write("guild.toml", CHECK)
    [notice] = settings_for(shop.root).notices
    assert "there is no commit here by which it could be known" in notice
    ran = shop.guild("trust", "--yes")
    assert (ran.code, "nothing can be trusted" in ran.err) == (64, True)
    shop.commit()
    shop.commit_again = shop.git("commit", "-q", "--allow-empty", "-m", "second")
    trust(shop)
    shop.git("clone", "-q", "--depth=1", f"file://{shop.root}", str(tmp_path / "shallow"))
    [notice] = settings_for(tmp_path / "shallow").notices
    assert "this clone is shallow" in notice


def test_a_history_that_is_merged_in_changes_nothing(project):
    trust(project)
    project.git("checkout", "-q", "--orphan", "foreign")
    project.commit("another root")
    project.git("checkout", "-q", "main")
    project.git("merge", "-q", "--allow-unrelated-histories", "-s", "ours", "-m", "m", "foreign")
    assert len(project.git("rev-list", "--max-parents=0", "HEAD").split()) == 2
    assert settings_for(project.root).text("verify.command") == "true"


def test_the_record_is_the_users_alone(project):
    trust(project)
    file = record_file()
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    file.chmod(0o666)
    assert settings_for(project.root).text("verify.command") == ""
    file.chmod(0o600)
    file.write_text("{")
    assert settings_for(project.root).text("verify.command") == ""
    trust(project)  # a damaged one is begun anew
    assert settings_for(project.root).text("verify.command") == "true"


def test_agents_in_a_home_that_the_repository_brings_are_not_the_users(project, monkeypatch):
    agent = "---\nname: evil\ndescription: x\nbackend: tool\ncommand: [touch, BOOBY]\nformat: exit\n---\nx\n"
    project.write("home/guildmoot/agents/evil.md", agent)
    project.write("app.py", "x = 1\n")
    project.git("add", "-fA")
    project.git("commit", "-qm", "home")
    ran = project.guild("validate", "app.py", env={"XDG_CONFIG_HOME": str(project.root / "home")})
    assert ran.code == 0
    assert not list(project.root.parent.rglob("BOOBY"))
    assert "so it is not used as yours" in " ".join(ran.out.split())


@pytest.mark.parametrize("name", ["config", "state"])
def test_a_home_that_the_repository_brings_is_not_the_users(project, monkeypatch, name):
    folder = project.root / "home"
    monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(folder))
    if name == "state":
        trust(project)
    else:
        project.write("home/guildmoot/guild.toml", "[verify]\ncommand = 'touch BOOBY'\n")
    project.git("add", "-fA")
    project.git("commit", "-qm", "home")
    assert settings_for(project.root).text("verify.command") == ""


def test_revoking_takes_the_word_back(project):
    trust(project)
    assert project.guild("trust", "revoke", "--json").json["revoked"] == 1
    assert settings_for(project.root).text("verify.command") == ""
    assert project.guild("trust", "revoke", "--json").json["revoked"] == 0


def test_nobody_to_ask_is_no_yes(project):
    ran = project.guild("trust")
    assert (ran.code, "--yes" in ran.err) == (64, True)
    assert project.guild("trust", "--json").json["error"]["exit_code"] == 64
    assert not record_file().exists()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 64), ("no", 64)])
def test_a_person_at_a_terminal_is_shown_it_and_asked(project, answer, code):
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        project.argv("trust"), cwd=project.root, env=project.env, stdin=theirs, capture_output=True
    )
    os.close(theirs)
    os.close(ours)
    assert (done.returncode, record_file().exists()) == (code, code == 0)
    assert b'verify.command = "true"' in done.stdout
    assert b"every clone of this repository? [y/N]" in done.stdout


def test_what_is_shown_has_every_setting_agent_and_file(project):
    agent = "---\nname: mine\ndescription: x\nbackend: command\ncommand: [sh, -c, pwned]\n---\nx\n"
    project.write(".guild/agents/mine.md", agent)
    project.write(".agents/reviewer-config.md", "---\nreviewers: [error-paths]\n---\n")
    shown = project.guild("trust", "show")
    assert 'verify.command = "true"' in shown.out
    assert "agent mine, command: sh -c pwned" in shown.out
    assert "reviewers: [error-paths]" in shown.out
    assert "\x1b" not in shown.out
    states = {
        row["path"]: row["state"] for row in project.guild("trust", "show", "--json").json["files"]
    }
    assert set(states.values()) == {"new"}
    assert len(states) == 3


def test_a_file_is_trusted_by_its_path_and_its_bytes(project):
    Trust(project.root).add({".guild/agents/a.md": b"one"})
    assert is_trusted(project.root, ".guild/agents/a.md", b"one")
    assert not is_trusted(project.root, ".guild/agents/a.md", b"two")
    assert not is_trusted(project.root, ".guild/agents/b.md", b"one")
    assert not is_trusted(project.home, ".guild/agents/a.md", b"one")


def test_broken_settings_are_told_and_stop_nothing_but_cannot_be_trusted(project):
    project.write("guild.toml", "[panel\n")
    assert settings_for(project.root).notices[0].startswith("guild.toml: not valid TOML")
    assert project.guild("trust", "--yes").code == 64
    assert project.guild("config", "check").code == 64
    assert project.guild("config", "show").code == 0


# CI


def remote(project, branch="main"):
    """As a checkout in CI: the base branch is known as origin's, the change is checked out."""
    project.git("update-ref", f"refs/remotes/origin/{branch}", "HEAD")
    project.write("guild.toml", "[verify]\ncommand = 'touch BOOBY'\n")
    project.commit("change")


@pytest.mark.parametrize(
    "env",
    [
        {"CI": "true", "GITHUB_BASE_REF": "main"},
        {"CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"},
        {"TF_BUILD": "True", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"},
        {"JENKINS_URL": "http://ci", "CHANGE_TARGET": "main"},
    ],
)
def test_in_ci_the_base_branch_counts_without_a_word_and_the_change_does_not(
    project, monkeypatch, env
):
    remote(project)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    found = settings_for(project.root)
    assert (found.text("verify.command"), found.notices) == ("true", ())
    assert is_trusted(project.root, "guild.toml", CHECK.encode())
    assert not is_trusted(project.root, "guild.toml", (project.root / "guild.toml").read_bytes())


@pytest.mark.parametrize(
    "name", ["release", "HEAD", "../../heads/change", "main^{/x}", "--all", "@{-1}"]
)
def test_a_base_branch_that_origin_does_not_have_is_no_base(project, monkeypatch, name):
    remote(project)
    project.git("branch", "release")  # the change's own branch of that name
    project.git("tag", "origin/release")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_BASE_REF", name)
    found = settings_for(project.root)
    assert found.text("verify.command") == ""
    assert "is not in this clone; fetch it" in found.notices[0]


@pytest.mark.parametrize(
    ("url", "counts"),
    [
        ("https://github.com/guild/shop", True),
        ("git@github.com:Guild/shop.git", True),
        ("https://github.com/mallory/shop", False),
        ("https://github.com/mallory/guild-guild/shop.git.git", False),
        ("https://evil.example/notguild/shop", False),
    ],
)
def test_a_fork_that_was_checked_out_as_origin_does_not_vouch(project, monkeypatch, url, counts):
    remote(project)
    project.git("remote", "add", "origin", url)
    for name, value in (
        ("CI", "true"),
        ("GITHUB_BASE_REF", "main"),
        ("GITHUB_REPOSITORY", "guild/shop"),
    ):
        monkeypatch.setenv(name, value)
    assert settings_for(project.root).text("verify.command") == ("true" if counts else "")


def test_the_commit_that_the_service_tells_will_do_where_the_branch_is_not_here(project):
    base = project.git("rev-parse", "HEAD").strip()
    env = {"CI": "1", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    assert base_branch(project.root, env).commit == ""
    assert base_branch(project.root, {**env, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}).commit == base
    told = {**env, "CI_MERGE_REQUEST_DIFF_BASE_SHA": "main"}
    assert base_branch(project.root, told).commit == ""


@pytest.mark.parametrize(
    "env",
    [{}, {"CI": "true"}, {"GITHUB_BASE_REF": "main"}, {"CI": "false", "GITHUB_BASE_REF": "main"}],
)
def test_without_ci_or_without_a_base_there_is_none(project, env):
    assert base_branch(project.root, env) is None


# A project never loosens a limit.

NUMBERS = [key for key, one in SETTINGS.items() if type(one.default) in (int, float)]


def test_every_limit_has_a_direction():
    limits = {*LESS, *MORE, *OWN}
    assert limits <= set(SETTINGS)
    assert len(limits) == len(LESS) + len(MORE) + len(OWN)
    assert {key for key in NUMBERS if key not in limits} == set()
    assert set(NO_LIMIT) <= set(LESS)


@given(st.data(), st.sampled_from(NUMBERS))
def test_a_trusted_project_never_loosens_what_the_user_set(tmp_path_factory, data, key):
    kind = type(SETTINGS[key].default)
    low, high = max(SETTINGS[key].minimum, 0), min(SETTINGS[key].maximum, 1000)
    values = st.integers(int(low) + (low > int(low)), int(high)).map(kind)
    mine, theirs = data.draw(values), data.draw(values)
    file = tmp_path_factory.getbasetemp() / "user.toml"
    section, name = key.split(".")
    file.write_text(f"[{section}]\n{name} = {mine!r}\n")
    found = load_config(Config({key: Origin(theirs, "guild.toml")}), file, {}).number(key)
    limit = (lambda n: n or float("inf")) if key in NO_LIMIT else (lambda n: n)
    assert found in (mine, theirs)
    if key in LESS:
        assert limit(found) == min(limit(mine), limit(theirs))
    else:
        assert found == (max(mine, theirs) if key in MORE else mine)


@pytest.mark.parametrize(
    ("key", "weak", "strong"),
    [
        ("panel.fail_on", "flagged", "warn"),
        ("panel.degrade", True, False),
        ("council.fit", True, False),
        ("panel.unjudged", "approve", "undecided"),
        ("floors.coverage", 0.1, 0.9),
        ("packet.max_bytes", 10, 10**9),
    ],
)
def test_the_court_is_never_weaker_than_built_in_either(tmp_path, key, weak, strong):
    nobody = tmp_path / "none.toml"
    for value, used in ((weak, SETTINGS[key].default), (strong, strong)):
        found = load_config(Config({key: Origin(value, "guild.toml")}), nobody, {})
        assert found.values[key].value == used
        assert (key in found.unused) == (value != used)
        assert any(key in notice for notice in found.notices) == (value != used)


def test_a_projects_price_never_makes_a_model_cheaper():
    from guildmoot.calls.pricing import prices_of
    from guildmoot.model.call import Usage

    free = {
        "anthropic:*": {"input": 0, "output": 0},
        "anthropic:claude-sonnet-4-5": {"input": 0, "output": 0},
    }
    dear = {"openai:house": {"input": 5, "output": 5}}
    used = Usage(1_000_000, 0)
    public = prices_of(Config({})).price("anthropic:claude-sonnet-4-5", used)
    found = prices_of(Config({}, {"openai:mine": {"input": 1, "output": 1}}, {**free, **dear}))
    assert public
    assert found.price("anthropic:claude-sonnet-4-5", used) == public
    assert found.price("openai:house", used) == 5
    assert found.price("openai:mine", used) == 1


def test_a_key_that_the_repository_brings_makes_no_nonce(project, monkeypatch):
    from guildmoot.guard import nonce

    monkeypatch.setenv("XDG_STATE_HOME", str(project.root / "state"))
    project.write("state/guildmoot/nonce-key", "k" * 32).chmod(0o600)
    known = nonce.make_nonce("the work")
    project.git("add", "-fA")
    nonce._key.cache_clear()
    assert nonce.make_nonce("the work") != known
    nonce._key.cache_clear()
