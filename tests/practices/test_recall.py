"""Questions without a path: what of the repository is found for them, and shown."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.practices.recall import codebase_map, recall_files
from guildmoot.text.recall import rank_texts
from judges import add_council_judge

FILES = {
    "src/api/handlers.py": "def get_user(request):\n    return fetch_profile(request)\n",
    "src/api/response_cache.py": "class ResponseCache:\n    def lookup(self, key):\n        pass\n",
    "src/billing/invoice.py": "def total_invoice(lines):\n    return sum(lines)\n",
    "src/auth/tokens.py": "def refreshToken(session):\n    return session.rotate()\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    runs-on: ubuntu\n    steps: [make check]\n",
    "docs/history.md": "# History\n\nThe first invoice was sent on paper.\n",
    "deploy/Dockerfile": "FROM debian\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
}


@pytest.fixture
def stocked(shop):
    for path, text in FILES.items():
        shop.write(path, text)
    shop.write("deploy/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\ntokens\n")
    shop.write(".agents/council/old.md", "refresh tokens were judged\n")
    shop.commit()
    return shop


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("caching approaches for the API", "src/api/response_cache.py"),
        ("the CI/CD pipeline bottlenecks", ".github/workflows/ci.yml"),
        ("how are refresh tokens rotated", "src/auth/tokens.py"),
        ("how is an invoice totalled", "src/billing/invoice.py"),
        ("docker image size", "deploy/Dockerfile"),
        ("dependency upgrade strategies", "pyproject.toml"),
    ],
)
def test_the_files_that_a_question_is_about_are_found(stocked, question, first):
    found = [each.path for each in recall_files(stocked.root, question)]
    assert found[0] == first, found
    assert len(found) < len(FILES), "not everything is about everything"
    assert "deploy/id_rsa" not in found
    assert not any(path.startswith(".agents/") for path in found)


def test_a_question_of_which_nothing_speaks_finds_nothing(stocked):
    assert recall_files(stocked.root, "zebra migration in the savannah") == ()
    assert recall_files(stocked.home, "invoice") == (), "there is no repository"


def test_the_map_names_folders_and_what_is_in_them(stocked):
    shown = codebase_map(stocked.root)
    assert "src/api: 2 files (2 .py)" in shown
    assert ".agents" not in shown


@given(
    st.text(max_size=80),
    st.dictionaries(st.text("ab/", min_size=1, max_size=5), st.text(max_size=60), max_size=6),
)
def test_ranking_is_the_same_in_any_order_and_names_only_what_there_is(question, texts):
    once = rank_texts(question, texts)
    assert once == rank_texts(question, dict(reversed(texts.items())))
    assert {path for path, _ in once} <= set(texts)


def test_a_large_tree_is_searched_in_bounded_time(shop):
    for number in range(400):
        shop.write(
            f"src/m{number}.py", f"def work_{number}():\n" + "    x = compute(cache)\n" * 200
        )
    shop.write("src/eviction.py", "def evict_cache_entry():\n    pass\n")
    began = time.process_time()
    found = recall_files(shop.root, "how is a cache entry evicted")
    assert found[0][:2] == ("src/eviction.py", "defines evict_cache_entry")
    assert time.process_time() - began < 8


def test_a_brainstorm_shows_what_it_found_and_the_map(stocked):
    add_council_judge(stocked, "wise", "{}")
    line = ("council", "--dry-run", "brainstorm", "caching", "approaches", "for", "the", "API")
    ran = stocked.guild(*line, "--agents", "wise", "--json")
    told = " ".join(ran.json["notes"])
    assert "response_cache.py" in told
    keep = stocked.home / "prompt.txt"
    stocked.agent("eyes.md", "---\nname: eyes\ndescription: d\nbackend: command\n"
                  f'command: ["sh", "-c", "cat > {keep}; echo {{}}"]\nfamily: eyes\n---\nJudge.\n')  # fmt: skip
    stocked.guild(
        "council",
        "research",
        "the",
        "CI/CD",
        "pipeline",
        "bottlenecks",
        "--agents",
        "eyes",
        "--count=1",
    )
    prompt = keep.read_text()
    assert "runs-on: ubuntu" in prompt
    assert "src/api: 2 files" in prompt
