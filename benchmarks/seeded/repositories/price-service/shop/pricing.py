"""What a basket costs: quantity discounts first, then tax on the rest."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from shop.money import Money

TIERS = ((100, Decimal(15)), (50, Decimal(10)), (10, Decimal(5)))
"""From this quantity on, this many percent off; the largest tier first."""
PACKAGING = Money(250)


class Line(NamedTuple):
    """One position of a basket."""

    sku: str
    unit_price: Money
    quantity: int


def discount_rate(quantity: int) -> Decimal:
    """Percent off for a quantity; 10 pieces are enough for the first tier."""
    for least, rate in TIERS:
        if quantity >= least:
            return rate
    return Decimal(0)


def line_total(line: Line) -> Money:
    """The price of one line after its discount."""
    if line.quantity < 1:
        raise ValueError(f"{line.sku}: the quantity must be at least 1")
    if line.unit_price.cents < 0:
        raise ValueError(f"{line.sku}: the price must not be negative")
    gross = Money(line.unit_price.cents * line.quantity, line.unit_price.currency)
    discount = gross.percent(discount_rate(line.quantity))
    return Money(gross.cents - discount.cents, gross.currency)


def basket_total(
    lines: Iterable[Line], tax_rate: Decimal, fees: list[Money] | None = None
) -> Money:
    """All lines, the fees, the packaging and the tax on all of it."""
    charges = [*(fees or []), PACKAGING]
    net = Money(0)
    for line in lines:
        net += line_total(line)
    for fee in charges:
        net += fee
    return net + net.percent(tax_rate)
