"""Prices as the shop promises them."""

from decimal import Decimal

import pytest
from shop.money import Money
from shop.pricing import Line, basket_total, line_total


def test_ten_pieces_are_enough_for_the_first_discount():
    assert line_total(Line("pen", Money(100), 10)) == Money(950)


def test_packaging_and_tax_are_added():
    assert basket_total([Line("pen", Money(100), 1)], Decimal(19)) == Money(417)


def test_an_empty_line_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        line_total(Line("pen", Money(100), 0))
