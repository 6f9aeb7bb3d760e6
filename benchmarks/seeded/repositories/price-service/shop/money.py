"""Money in the smallest unit of its currency, so that nothing is lost to rounding."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


@dataclass(frozen=True)
class Money:
    """An amount in cents."""

    cents: int
    currency: str = "EUR"

    @classmethod
    def parse(cls, text: str, currency: str = "EUR") -> Money:
        """Read ``12.34``; more digits are rounded half up."""
        amount = Decimal(text).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        return cls(int(amount * 100), currency)

    def __add__(self, other: Money) -> Money:
        if self.currency != other.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency}")
        return Money(self.cents + other.cents, self.currency)

    def percent(self, rate: Decimal) -> Money:
        """This many hundredths of the amount, rounded half up."""
        share = Decimal(self.cents) * rate / 100
        return Money(int(share.quantize(Decimal(1), rounding=ROUND_HALF_UP)), self.currency)
