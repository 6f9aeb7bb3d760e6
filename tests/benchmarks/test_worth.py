"""The shipped figures are those of the benchmark, and the benchmark's clerk cannot invent."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in ("worth", "wording", "grouping", "evidence_model"):
        sys.modules.pop(name, None)


def test_the_shipped_figures_of_the_whole_panel_are_what_the_data_gives():
    import worth

    from guildmoot.consensus.published import AGREEMENT, DATA

    panels = worth.Panels(worth.load(BENCHMARKS / "data"))
    shipped = {key: value for key, value in AGREEMENT.items() if key[1] == 12}
    assert shipped, "run benchmarks/worth.py --write"
    assert worth.agreement_table(panels, [12]) == shipped
    assert str(len(panels.data.pulls)) in DATA
    assert all(low <= share <= high for share, low, high in AGREEMENT.values())


def test_a_clerk_chooses_or_merges_what_was_said_and_nothing_else():
    import wording

    said = ["the total is halved", "every invoice is wrong by half"]
    assert wording.checked('{"choose": 2}', said) == 1
    assert wording.checked('{"merge": "every invoice is halved"}', said) == 1
    for answer in ('{"choose": 3}', '{"choose": true}', '{"merge": "it leaks"}', "2", "", "[]"):
        assert wording.checked(answer, said) is None
    assert wording.checked(wording.inventive(said), said) is None
    assert wording.checked(json.dumps({"merge": " "}), said) is None
