"""Forks of an armed loop: the panel only collects, the rule decides, and the count outlives the run."""

from __future__ import annotations

import pytest

from guildmoot.loops.armed import FORKS, ROUNDS, BudgetOut
from guildmoot.loops.forks import ForkPanel, converge
from guildmoot.practices.whiteboard.boards import WHITEBOARD, add_round, init_board
from guildmoot.practices.whiteboard.minutes import summarise_board
from guildmoot.reading.board import BoardSection
from projects.test_many_writers import git

SIDE = "I looked.\n\n```decisions\n- scope: the cache\n  stance: adopt\n  text: use {} as the cache\n  cited: none\n```\n"
CACHE, OTHER = SIDE.format("Redis"), SIDE.format("Memcached")


def board(tmp_path, *rounds: dict[str, str]):
    path = tmp_path / "board.md"
    init_board(path, "the cache", WHITEBOARD)
    for sections in rounds:
        rows = [BoardSection(name, text) for name, text in sections.items()]
        add_round(path, rows, WHITEBOARD)
    return summarise_board(path, WHITEBOARD)


@pytest.mark.parametrize(
    ("rounds", "kind"),
    [
        ([{"ada": CACHE, "bob": CACHE}], "take"),
        ([{"ada": CACHE, "bob": OTHER}], "again"),
        ([{"ada": CACHE, "bob": OTHER}, {"ada": CACHE, "bob": CACHE}], "take"),
        ([{"ada": CACHE, "bob": "operator-judgment-required: a contract binds us"}], "person"),
        ([{"ada": "no objection", "bob": "Nothing to add."}], "take"),
        ([{"ada": "I would rather not, it is slow", "bob": "no objection"}], "again"),
        ([], "person"),
    ],
)
def test_what_a_board_comes_to(tmp_path, rounds, kind):
    assert converge(board(tmp_path, *rounds)).next == kind


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "t")
    git(folder, "config", "user.email", "t@e")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    return folder


def panel(repo, *rounds: dict[str, str], engineers=("ada", "bob")) -> ForkPanel:
    """A panel whose engineers say the same things in the same rounds, on a real board."""

    def hold(request):
        request.board.parent.mkdir(parents=True, exist_ok=True)
        init_board(request.board, "fork", WHITEBOARD)
        said = rounds[min((request.rounds or 1) - 1, len(rounds) - 1)]
        add_round(request.board, [BoardSection(*row) for row in said.items()], WHITEBOARD)
        return summarise_board(request.board, WHITEBOARD)

    return ForkPanel(repo, repo / "projects" / "p", "p-1", engineers, hold)


def test_consensus_is_taken_and_the_board_is_committed(repo):
    forks = panel(repo, {"ada": CACHE, "bob": CACHE})
    assert "Redis" in forks.settle("which cache?", "none")
    assert git(repo, "status", "--porcelain", "--", "projects") == ""
    assert forks.held == 1


def test_engineers_who_do_not_agree_use_the_rounds_up(repo):
    forks = panel(repo, {"ada": CACHE, "bob": OTHER})
    with pytest.raises(BudgetOut) as out:
        forks.settle("which cache?", "")
    assert (out.value.kind, forks.rounds) == ("round-budget", ROUNDS)


def test_nobody_is_there_so_nobody_decides(repo):
    with pytest.raises(BudgetOut) as out:
        panel(repo, engineers=()).settle("which cache?", "Redis")
    assert out.value.kind == "empty-roster"


def test_the_sixth_fork_of_a_phase_is_left_to_a_person_also_in_a_later_run(repo):
    for number in range(FORKS):
        panel(repo, {"ada": CACHE, "bob": CACHE}).settle(f"which cache {number}?", "")
    with pytest.raises(BudgetOut) as out:
        panel(repo, {"ada": CACHE, "bob": CACHE}).settle("one more?", "")
    assert out.value.kind == "fork-cap"


def test_a_count_that_cannot_be_read_is_no_licence(repo):
    place = repo / ".guild" / "loops" / "p-1.forks.json"
    place.parent.mkdir(parents=True)
    place.write_text("{broken")
    with pytest.raises(BudgetOut):
        panel(repo, {"ada": CACHE}).settle("which cache?", "")
