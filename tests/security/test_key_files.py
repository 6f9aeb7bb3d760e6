"""A change that brings a key is flagged, though nobody may see the file and the finding has no line."""

from __future__ import annotations

import pytest

from conftest import Shop

KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEA7x9Q2mZ4\n" * 8
    + "-----END RSA PRIVATE KEY-----\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("deploy/server.pem", KEY), ("id_rsa", KEY), ("tls/a.key", KEY)),
        (".env", "STRIPE_SECRET_KEY=" + "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc\n"),
    ],
)
def test_a_change_that_adds_a_key_file_is_flagged(shop: Shop, name: str, text: str) -> None:
    shop.write("a.py", "X = 1\n")
    shop.commit("base")
    shop.write("a.py", "X = 2\n")
    shop.write(name, text)
    shop.git("add", "-A")
    ran = shop.guild("validate", "--staged", "--agents", "secrets", "--json")
    assert ran.code == 2
    assert "key file is committed" in ran.out
