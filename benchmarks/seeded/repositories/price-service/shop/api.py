"""The HTTP face: a request in, a status and a JSON body out."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from shop.money import Money
from shop.pricing import Line, basket_total

TAX_RATE = Decimal(19)
MAX_LINES = 200

log = logging.getLogger(__name__)


def quote(body: bytes) -> tuple[int, dict[str, object]]:
    """Price a basket: 200 with the total, 400 for what cannot be read, 422 for what cannot be sold."""
    try:
        lines = [_line(item) for item in json.loads(body)["lines"]]
    except (ValueError, KeyError, TypeError, InvalidOperation) as error:
        log.info("unreadable basket: %s", error)
        return 400, {"error": "unreadable basket"}
    if len(lines) > MAX_LINES:
        return 422, {"error": f"more than {MAX_LINES} lines"}
    try:
        total = basket_total(lines, TAX_RATE)
    except ValueError as error:
        return 422, {"error": str(error)}
    return 200, {"total_cents": total.cents, "currency": total.currency}


def _line(item: Mapping[str, object]) -> Line:
    return Line(str(item["sku"]), Money.parse(str(item["price"])), int(str(item["quantity"])))
