"""The place that a sentence names, and the code it quotes."""

import pytest

from guildmoot.reading.places import find_anchor, find_quote


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/app.py:12 is wrong", ("src/app.py", 12, 12)),
        ("see `src/app.py:12-14`", ("src/app.py", 12, 14)),
        ("app/[slug]/page.tsx:3 crashes", ("app/[slug]/page.tsx", 3, 3)),
        ("app/(shop)/page.tsx:3 crashes", ("app/(shop)/page.tsx", 3, 3)),
        (".gitlab-ci.yml:4 pins nothing", (".gitlab-ci.yml", 4, 4)),
        ("Jenkinsfile:4 and Gemfile:3", ("Jenkinsfile", 4, 4)),
        ("docker/Dockerfile:9 runs as root", ("docker/Dockerfile", 9, 9)),
        ("src/net.go#L3-L9", ("src/net.go", 3, 9)),
        ("it takes 10:30 minutes", ("", 0, 0)),
        ("http://example.com:8080 is down", ("", 0, 0)),
        ("see section 3 of the file", ("", 0, 0)),
    ],
)
def test_the_place_is_found_in_every_common_form(text, place):
    assert find_anchor(text) == place


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("net.py:4 `except Exception as error:`: hides it", "except Exception as error:"),
        ("a.tsx:3 `<Row {...props}>`: passes all", "<Row {...props}>"),
        ("docs.md:2 `the old name`: is wrong", "the old name"),
        ("it calls `open(path).read()` twice", ""),
        ("use `with open(path)` instead", ""),
        ("`timeout` is unused", ""),
    ],
)
def test_a_quote_beside_the_place_is_taken_whatever_it_is(text, quote):
    assert find_quote(text) == quote
