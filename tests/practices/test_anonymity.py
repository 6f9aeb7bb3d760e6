"""Peers without names: titles of each viewer's own, and back to names."""

from guildmoot.practices.anonymity import Anonymity

JUDGES = ("judge-1", "judge-2", "codex-1")


def test_letters_are_turned_back_into_names_however_they_are_written():
    peers = Anonymity.lettered("Judge", "seed", "me", JUDGES)
    first, second, third = peers.order
    assert sorted(peers.order) == sorted(JUDGES)
    assert peers.titles[second] == "Judge B"
    assert peers.named("Judge A and judge_c disagree") == f"{first} and {third} disagree"
    assert [peers.who(said) for said in ("B", "**Judge B**", "judge-b:")] == [second] * 3
    assert peers.who("nobody") == peers.who("Judge D") == ""


def test_the_order_is_drawn_for_each_viewer_and_the_same_for_the_same_seed():
    seen = {
        Anonymity.lettered("Judge", seed, viewer, JUDGES).order
        for seed in ("one", "two", "three")
        for viewer in ("me", "you")
    }
    assert len(seen) > 1
    again = Anonymity.lettered("Judge", "one", "me", reversed(JUDGES))
    assert again.order == Anonymity.lettered("Judge", "one", "me", JUDGES).order


def test_names_in_a_text_become_the_titles_that_the_viewer_knows():
    peers = Anonymity.lettered("Expert", "seed", "me", ("beck", "hickey"))
    text = peers.hide("beck and me against hickey; beckon stays", {"me": "you"})
    titles = peers.titles
    assert text == f"{titles['beck']} and you against {titles['hickey']}; beckon stays"


def test_numbers_name_several_colleagues_at_once_and_short_names_only_in_backticks():
    peers = Anonymity.numbered("colleague", ["ann", "bertrand", "me"], {"me": "your own words"})
    assert peers.titles == {"ann": "colleague 1", "bertrand": "colleague 2", "me": "your own words"}
    assert peers.named("Colleagues 1 and 2 agree") == "`ann` and `bertrand` agree"
    assert peers.named("colleague 9 is unknown") == "colleague 9 is unknown"
    hidden = peers.hide("ann, `ann` and bertrand")
    assert hidden == "ann, colleague 1 and colleague 2"
