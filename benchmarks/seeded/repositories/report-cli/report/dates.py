"""Months and days of a report; all moments are kept in UTC and shown in the office's zone."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

OFFICE = ZoneInfo("Europe/Berlin")


def month_days(year: int, month: int) -> list[date]:
    """Every day of a month, the last one too."""
    last = calendar.monthrange(year, month)[1]
    return [date(year, month, day) for day in range(1, last + 1)]


def office_day(moment: datetime) -> date:
    """The day in the office on which something happened."""
    return moment.astimezone(OFFICE).date()


def from_stamp(seconds: float) -> datetime:
    """The moment of a Unix time stamp."""
    return datetime.fromtimestamp(seconds, UTC)
