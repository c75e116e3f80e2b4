"""Calendar times of timed transitions: a moment, or a time of day in a time zone.

Nothing here reads a clock: a time is computed from the moment a state was entered.
"""

import re
from datetime import datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

_DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAYS = {"daily": frozenset(range(7)), "weekdays": frozenset(range(5))}
_WEEK = 7
_match_time_of_day = re.compile(
    r"(?:([a-z]{3,8}(?:, ?[a-z]{3}){0,6}) +)?(\d\d:\d\d(?::\d\d)?) +(\S{1,100})"
).fullmatch


class CalendarError(ValueError):
    """Why a text is no calendar time; continues the text: `has no zone`."""


def compute_due_time(text: str, entered: int) -> int:
    """Return when a calendar time comes for a state entered then, in milliseconds.

    A moment is itself, even if it was before. A time of day is the first one after the
    state was entered. Where clocks go forward over it, it comes as much later as they
    do; where they go back over it, it comes the first time.

    Raises:
        CalendarError: The text is no calendar time here.
    """
    parsed = _parse(text)
    if isinstance(parsed, datetime):
        return int(parsed.timestamp() * 1000)
    days, moment, zone = parsed
    first = datetime.fromtimestamp(entered / 1000, zone).date()
    for ahead in range(_WEEK + 2):
        day = first + timedelta(days=ahead)
        due = int(datetime.combine(day, moment, zone).timestamp() * 1000)
        if day.weekday() in days and due > entered:
            return due
    raise CalendarError("never occurs")  # pragma: no cover - a week has every day


def explain_calendar_fault(text: str) -> str:
    """Say why a text is no calendar time; empty if it is one."""
    try:
        _parse(text)
    except CalendarError as problem:
        return str(problem)
    return ""


@lru_cache(maxsize=256)
def _parse(text: str) -> datetime | tuple[frozenset[int], time, ZoneInfo]:
    found = _match_time_of_day(text)
    if found is None:
        return _parse_moment(text)
    days, moment, zone = found.groups()
    return _parse_days(days or "daily"), _parse_time(moment), _find_zone(zone)


def _parse_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        moment.timestamp()
    except (ValueError, OverflowError) as problem:
        raise CalendarError("is not a calendar time") from problem
    if moment.tzinfo is None:
        raise CalendarError("has no time zone")
    return moment


def _parse_days(text: str) -> frozenset[int]:
    if text in _DAYS:
        return _DAYS[text]
    names = [name.strip() for name in text.split(",")]
    unknown = next((name for name in names if name not in _DAY_NAMES), "")
    if unknown:
        raise CalendarError(f"has the unknown day {unknown!r}; days are {', '.join(_DAY_NAMES)}")
    return frozenset(map(_DAY_NAMES.index, names))


def _parse_time(text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError as problem:
        raise CalendarError(f"has no time {text!r}") from problem


def _find_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as problem:
        raise CalendarError(f"has the unknown time zone {name!r}") from problem
