"""Orders of a small shop: read, priced and written."""

import json
import logging
from collections import Counter
from pathlib import Path

LOG = logging.getLogger(__name__)
RATE = 0.2


class OrderError(Exception):
    """An order that cannot be read."""


def gross_price(net, rate):
    """The price with tax."""
    if rate < 0:
        raise ValueError("the rate is negative")
    return net * (1 + rate)


def read_orders(path):
    """The orders of a file."""
    with open(path, encoding="utf-8") as handle:
        orders = json.load(handle)
    try:
        return [order["items"] for order in orders]
    except KeyError as error:
        raise OrderError("an order has no items") from error


class Till:
    """Counts what was sold."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.sold = Counter()

    def add_order(self, items):
        """Count the items and tell what they cost."""
        total = 0
        for name, net in items:
            self.sold[name] += 1
            total += gross_price(net, RATE)
        LOG.info("sold %s items", len(items))
        self.write_total(total)
        return total

    def write_total(self, total):
        """Keep the total for the next day."""
        target = self.folder / "total.json"
        target.write_text(json.dumps(total), encoding="utf-8")
