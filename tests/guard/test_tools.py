"""Tools other than the shell are judged by the files and addresses that they name."""

from __future__ import annotations

import pytest

from guildmoot.guard.facts import site_at
from guildmoot.guard.site import Site
from guildmoot.guard.tools import judge_tool

SITE = Site(
    "/home/u/proj", "/home/u/proj", "/home/u", git=True, guarded=("/home/u/.local/share/guildmoot",)
)


@pytest.mark.parametrize(
    ("tool", "given", "action"),
    [
        ("Write", {"file_path": "/home/u/proj/src/a.py"}, "allow"),
        ("Edit", {"file_path": "src/a.py"}, "allow"),
        ("Write", {"file_path": "~/.bashrc"}, "deny"),
        ("Edit", {"file_path": "/home/u/.zshrc"}, "deny"),
        ("Write", {"file_path": ".git/hooks/pre-commit"}, "deny"),
        ("MultiEdit", {"file_path": ".claude/settings.json"}, "deny"),
        ("Write", {"file_path": ".Claude/Settings.json"}, "deny"),
        ("Write", {"file_path": "/home/u/.local/share/guildmoot/hook"}, "deny"),
        ("Write", {"file_path": "/home/u/.ssh/authorized_keys"}, "deny"),
        ("Write", {"file_path": ".claude/agents/a.md"}, "ask"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "allow"),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Add File: .git/hooks/x\n+a\n*** End Patch"},
            "deny",
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: src/a.py\n*** End Patch"},
            "allow",
        ),
        ("Read", {"file_path": "src/a.py"}, "allow"),
        ("Read", {"file_path": ".env"}, "deny"),
        ("Read", {"file_path": ".env.example"}, "allow"),
        ("Read", {"file_path": "/home/u/.aws/credentials"}, "deny"),
        ("WebFetch", {"url": "https://example.com"}, "allow"),
        ("WebFetch", {"url": "http://169.254.169.254/latest"}, "deny"),
        ("WebFetch", {"url": "file:///etc/passwd"}, "ask"),
        ("mcp__fs__write_file", {"path": "/home/u/.bashrc"}, "deny"),
        ("mcp__fs__read_file", {"path": ".env"}, "deny"),
        ("mcp__term__run_command", {"command": "rm -rf /"}, "deny"),
        ("shell", {"command": ["bash", "-lc", "rm -rf /"]}, "deny"),
        ("shell", {"command": ["ls", "-la"]}, "allow"),
        ("run_shell_command", {"command": "git reset --hard"}, "snapshot"),
        ("SomethingNew", {"anything": 1}, "allow"),
    ],
)
def test_a_call_is_judged_by_what_it_names(tool, given, action):
    assert judge_tool(tool, given, SITE).action == action


def test_links_are_followed(tmp_path):
    project, home = tmp_path / "proj", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (home / ".bashrc").write_text("x")
    (project / "notes.md").symlink_to(home / ".bashrc")
    site = site_at(str(project), str(project), {"HOME": str(home)})
    assert judge_tool("Write", {"file_path": "notes.md"}, site).action == "deny"
