"""The action's own steps, run one after another with a fake event against a code host on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.places.ci import report_folder, skip_reason
from guildmoot.places.code_hosts import MARK, GitHub

ROOT = Path(__file__).parents[2]
GOOD = "def area(width, height):\n    return width * height\n"
BAD = GOOD.replace("* height", "* heigth")
OLD = "import os\n"  # there before: not this change's fault


PERSONS = {  # beside the lines, before any job ran; the second quotes our mark
    1: {"body": "Why not a square?", "line": 1},
    2: {"body": "<!-- guild: finding 0123 -->\nNo fault, says a person.", "line": 1},
}


class CodeHost:
    """Comments, states and the head of one pull request, as a host keeps them."""

    def __init__(self):
        self.states, self.head, self.refuse = [], "", False
        self.foreign = {900: f"{MARK}\nIt is fine, says a person.", 901: "A word."}
        self.comments, self.inline = {}, dict(PERSONS)

    gitlab = False

    def answer(self, method, path, body):
        path = path.partition("?")[0]
        if self.refuse and method != "GET":
            return 403, {"message": "Resource not accessible by integration"}
        if "/statuses/" in path:
            self.states.append((path.rpartition("/")[2], body["state"], body["description"]))
            return 201, {}
        if "/pulls/" in path and "comments" in path:
            if method == "POST":
                self.inline[len(self.inline) + 100] = {**body, "user": {"type": "Bot"}}
            elif method == "DELETE":
                del self.inline[int(path.rpartition("/")[2])]
            return 200, [{"id": key, **row} for key, row in self.inline.items()]
        if path.endswith(("/comments", "/notes")):
            if method == "POST":
                self.comments[len(self.comments) + 1] = body["body"]
                return 201, {}
            persons, ours = {"user": {"type": "User"}, "author": {"id": 1}}, {"user": {"type": "Bot"}, "author": {"id": 5}}  # fmt: skip
            rows = [(self.foreign, persons), (self.comments, ours)]
            return 200, [{"id": key, "body": text, **who} for texts, who in rows for key, text in texts.items()]  # fmt: skip
        if path == "/user":
            return (403, {}) if not self.gitlab else (200, {"id": 5})
        if method in ("PATCH", "PUT"):
            self.comments[int(path.rpartition("/")[2])] = body["body"]
            return 200, {}
        return 200, {"head": {"sha": self.head}, "sha": self.head}


@contextmanager
def serving(host):
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            return

        def do_GET(self):
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size) or b"null")
            code, answer = host.answer(self.command, self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def run_action(shop, url, base, head, *, fork=False, **inputs):
    """The steps of action.yml that are programs; the codes of each, and what all said."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: str(each["default"]) for name, each in action["inputs"].items()} | inputs
    temp = shop.root.parent / "temp"
    temp.mkdir(exist_ok=True)
    repo = {"full_name": "o/r"}
    pull = {"number": 7, "head": {"sha": head, "repo": {"full_name": "x/r"} if fork else repo}, "base": {"sha": base, "repo": repo}}  # fmt: skip
    event = temp / "event.json"
    event.write_text(json.dumps({"pull_request": pull}))
    known = {"github.token": "t0ken", "runner.temp": str(temp), "github.action_path": str(ROOT)}
    known |= {f"inputs.{name}": value for name, value in values.items()}

    def fill(text):
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known[found[1]], text)

    env = {
        **shop.env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event), "GITHUB_REPOSITORY": "o/r",
        "GITHUB_SHA": head, "GITHUB_API_URL": url, "RUNNER_TEMP": str(temp),
        "GITHUB_STEP_SUMMARY": str(temp / "summary.md"), "GITHUB_OUTPUT": str(temp / "output"),
    }  # fmt: skip
    codes, said = {}, ""
    for step in action["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install":
            continue
        if any(codes.values()) and step.get("if") != "always()":
            continue
        more = {name: fill(fill(value)) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", fill(step["run"])],
            cwd=shop.root, env={**env, **more}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        codes[step["name"].split()[0]] = done.returncode
        said += done.stdout + done.stderr
    return codes, said, temp


def change(shop, text, name="shape.py"):
    shop.write(name, text)
    shop.commit()
    return shop.git("rev-parse", "HEAD").strip()


@pytest.mark.slow  # three commands for each push
def test_a_pull_request_gets_one_comment_and_a_verdict_bound_to_its_head(shop):
    change(shop, OLD, "old.py")
    base = change(shop, GOOD)
    first, host = change(shop, BAD), CodeHost()
    with serving(host) as url:
        host.head = first
        codes, said, temp = run_action(shop, url, base, first)
        assert codes == {"Withdraw": 0, "Judge": 0, "Tell": 2}, said
        assert "::error" in said
        assert [row[:2] for row in host.states] == [(first, "pending"), (first, "failure")]
        [comment] = host.comments.values()
        assert comment.startswith(MARK)
        assert first[:12] in comment
        assert "heigth" in comment
        told = dict(row.split("=", 1) for row in (temp / "output").read_text().splitlines())
        assert told["verdict"] == "flagged"
        sarif = json.loads(Path(told["sarif"]).read_text())
        assert sarif["runs"][0]["results"]
        assert "heigth" in (temp / "summary.md").read_text()
        rows = json.loads((temp / "guild-report/guild.rdjson").read_text())["diagnostics"]
        assert {row["location"]["path"] for row in rows if row["severity"] == "ERROR"} == {
            "shape.py"
        }
        second = change(shop, GOOD)  # a push that mends it: still one comment
        host.head = second
        codes, said, _ = run_action(shop, url, base, second)
        assert codes["Tell"] == 0, said
        assert [row[:2] for row in host.states[2:]] == [(second, "pending"), (second, "success")]
        assert len(host.comments) == 1
        assert first[:12] not in host.comments[1]


@pytest.mark.slow  # two jobs and a post
def test_findings_beside_their_lines_are_told_once_and_go_with_the_fault(shop):
    base = change(shop, GOOD)
    host = CodeHost()
    with serving(host) as url:
        for text in (BAD, BAD + "\n\nSIDES = 4\n"):
            host.head = change(shop, text)
            run_action(shop, url, base, host.head, inline="true")
            ours = [row for key, row in host.inline.items() if key not in PERSONS]
            assert [(row["path"], row["line"]) for row in ours] == [("shape.py", 2)]
        host.head = change(shop, GOOD)
        run_action(shop, url, base, host.head, inline="true")
    assert host.inline == PERSONS  # a person's words are never touched, whatever they quote


@pytest.mark.slow  # several jobs
def test_a_newer_push_a_fork_and_a_refusing_host_are_told_apart(shop):
    base = change(shop, GOOD)
    head, host = change(shop, BAD), CodeHost()
    with serving(host) as url:
        host.head = "f" * 40  # somebody pushed while we judged
        codes, said, _ = run_action(shop, url, base, head)
        assert (codes["Tell"], "was pushed since" in said) == (2, True)
        assert [row[1] for row in host.states] == [
            "pending"
        ]  # no verdict on what is no longer the head
        host.head, host.states, host.comments = head, [], {}
        codes, said, temp = run_action(shop, url, base, head, fork=True)
        assert (codes["Tell"], host.states, host.comments) == (2, [], {})
        assert "heigth" in (temp / "summary.md").read_text()
        host.refuse = True
        codes, said, _ = run_action(shop, url, base, head)
        assert codes["Withdraw"] == 4
        assert codes["Tell"] == 4  # what was not posted is no verdict
        assert "Resource not accessible" in said
    assert "t0ken" not in said


@pytest.mark.slow  # it waits for the host
def test_a_host_that_is_down_for_a_moment_is_asked_again_but_no_comment_is_made_twice(tmp_path):
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": "a" * 40}))
    host, asked = CodeHost(), []
    host.answer, plain = (lambda *said: down(*said)), host.answer

    def down(method, path, body):
        asked.append((method, path.partition("?")[0]))
        fails = method == "POST" and (path.endswith("/comments") or len(asked) == 1)
        return (502, {}) if fails else plain(method, path, body)

    with serving(host) as url:
        env = {"GITHUB_EVENT_PATH": str(event), "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "b" * 40, "GITHUB_API_URL": url}  # fmt: skip
        job = GitHub(env)
        job.set_state("pending", "being judged")
        assert [state for _, state, _ in host.states] == ["pending"]
        with pytest.raises(InfrastructureError, match="502"):
            job.comment("x")
    assert [method for method, path in asked if path.endswith("/comments")] == ["GET", "POST"]


@pytest.mark.slow  # three commands
def test_a_commit_that_could_not_be_judged_does_not_wait_for_its_verdict_for_ever(shop):
    base = change(shop, GOOD)
    head, host = change(shop, BAD), CodeHost()
    (shop.root.parent / "temp" / "guild-report").mkdir(parents=True)
    stale = shop.root.parent / "temp" / "guild-report" / "verdict.json"
    stale.write_text(json.dumps({"head": head, "exit_code": 0, "headline": "APPROVED", "note": ""}))
    with serving(host) as url:
        host.head = head
        codes, said, _ = run_action(shop, url, base, head, model="nobody:nothing")
    assert codes == {"Withdraw": 0, "Judge": 64, "Tell": 4}, said
    assert [row[1] for row in host.states] == ["pending", "error"]
    assert "No verdict" in host.comments[1]


def test_the_jobs_install_from_outside_of_the_change_and_bring_prices_where_a_model_is_asked():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    [step] = [step for step in action["runs"]["steps"] if step.get("name") == "Install"]
    job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())["guild"]
    for line in (step["run"], *job["before_script"]):
        assert "python -m" not in line  # it would take a pip.py of the change for pip
    said = {}
    for model in ("", "claude"):
        env = {"GUILD_SOURCE": "/a b", "GUILD_VERSION": "", "GUILD_MODEL": model}
        line = step["run"].replace("python -P -m pip", "echo")
        said[model] = subprocess.run(["bash", "-ec", line], env=env, capture_output=True, text=True).stdout  # fmt: skip
    assert said == {"": "install --quiet /a b\n", "claude": "install --quiet /a b[models]\n"}


@pytest.mark.parametrize(
    ("event", "base"),
    [
        ({"before": "b" * 40, "ref": "refs/heads/f"}, "b" * 40),
        ({"before": "0" * 40, "ref": "refs/heads/f"}, ""),
        ({"before": "b" * 40, "ref": "refs/heads/f", "forced": True}, ""),  # it is in no new clone
        ({"before": "b" * 40, "ref": "refs/heads/main", "forced": True}, "b" * 40),
        ([], None),
        (None, None),
        ({"pull_request": {"head": None, "base": [], "number": 7}}, None),
        ({"pull_request": {"head": {"sha": "h"}, "base": {"sha": "b"}, "number": "x"}}, None),
    ],
)
def test_what_a_push_is_held_against_and_an_event_that_is_none(tmp_path, event, base):
    file = tmp_path / "event.json"
    if isinstance(event, dict):
        event["repository"] = {"default_branch": "main"}
    file.write_text(json.dumps(event))
    env = {"GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "h" * 40}
    if base is None:
        with pytest.raises(InfrastructureError, match="event of this job"):
            GitHub(env)
    else:
        assert GitHub(env).change[:2] == (base, "h" * 40)


def test_a_change_cannot_lead_the_files_of_a_job_elsewhere(shop, tmp_path):
    (shop.root / "guild-report").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="is a link"):
        report_folder({"GUILD_REPORT": str(shop.root / "guild-report")})


@pytest.mark.slow  # three commands
def test_the_gitlab_job_judges_the_change_and_edits_one_note(shop):
    job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())["guild"]
    base, host = change(shop, GOOD), CodeHost()
    host.gitlab = True
    head = host.head = change(shop, BAD)
    report = shop.root.parent / "report"
    with serving(host) as url:
        env = {
            **shop.env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITLAB_CI": "true", "CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
            "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "3", "CI_API_V4_URL": url,
            "GUILD_GITLAB_TOKEN": "t0ken", "GUILD_REPORT": str(report),
        }  # fmt: skip
        script = "\n".join(job["script"])
        done = subprocess.run(["bash", "-ec", script], cwd=shop.root, env=env, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert (len(host.comments), host.foreign[900].endswith("says a person.")) == (1, True)
    issues = json.loads((report / "gl-code-quality-report.json").read_text())
    assert {issue["location"]["path"] for issue in issues} == {"shape.py"}


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        ([("README.md", "M"), ("docs/a.rst", "A")], ("documents",)),
        ([("uv.lock", "M"), ("a.md", "M")], ("lock files", "documents")),
        ([("new.py", "R100")], ("exact renames",)),
        ([("new.py", "R090")], None),
        ([("README.md", "M"), ("a.py", "M")], None),
        ([("LICENSE.txt", "M"), ("docs/notes.txt", "M")], ("documents",)),
        ([("requirements.txt", "M")], None),  # read by programs
        ([("src/CMakeLists.txt", "M")], None),
        ([("CLAUDE.md", "M")], None),  # obeyed by agents
        ([(".github/copilot-instructions.md", "M")], None),
        ([("plugin/skills/x/SKILL.md", "M")], None),
        ([], None),
    ],
)
def test_models_are_spared_only_where_all_that_changed_is_of_a_known_kind(files, kinds):
    found = skip_reason(files)
    assert (found.kinds if found else None) == kinds
