"""Instants in milliseconds since 1970, the Gregorian calendar from year 0, and time zones.

`datetime` doesn't support the years 0 and 10000, so days are counted here. `zoneinfo` provides the
offsets.
"""

import datetime
import re
import zoneinfo

MINUTE = 60_000
DAY = 86_400_000
EARLIEST = -62_167_219_200_000
LATEST = 253_402_300_799_999
# The Gregorian calendar repeats after 400 years, a whole number of weeks.
CYCLE_DAYS = 146_097

DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
TIME = re.compile(r"[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?([^\[]*)(.*)", re.ASCII | re.DOTALL)
# RFC 9557: a zone, then tags.
SUFFIX = re.compile(r"(\[[\w+./: -]+\])?(?:\[[\w+./: -]+=[\w+./: -]+\])*", re.ASCII)
OFFSET = re.compile(r"([+-])(\d\d)(?::?(\d\d))?", re.ASCII)
MONTH = re.compile(r"(\d{4})-(\d\d)", re.ASCII)
ZONE_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
ZONE_NAME = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}", re.ASCII)


def days_of(year, month, day):
    """Returns the days since 1970-01-01 of a date, or None if the date doesn't exist."""
    if not 1 <= month <= 12:
        return None
    cycles = (year - 400) // 400
    shifted = year - 400 * cycles
    try:
        ordinal = datetime.date(shifted, month, day).toordinal()
    except ValueError:
        return None
    return ordinal - datetime.date(1970, 1, 1).toordinal() + cycles * CYCLE_DAYS


def date_of(days):
    """Returns year, month and day of a number of days since 1970-01-01."""
    ordinal = days + datetime.date(1970, 1, 1).toordinal()
    cycles = (ordinal - CYCLE_DAYS) // CYCLE_DAYS
    date = datetime.date.fromordinal(ordinal - cycles * CYCLE_DAYS)
    return date.year + 400 * cycles, date.month, date.day


def text_of(instant):
    """Returns an instant in the API's format: 2013-09-16T00:00:00.000Z."""
    year, month, day = date_of(instant // DAY)
    rest = instant % DAY
    year = f"{year:04}" if year >= 0 else f"-{-year:04}"
    return (f"{year}-{month:02}-{day:02}T{rest // 3_600_000:02}:{rest // MINUTE % 60:02}:"
            f"{rest // 1000 % 60:02}.{rest % 1000:03}Z")


class Zone:
    """A time zone: a fixed offset, or rules from the system's zoneinfo."""

    def __init__(self, seconds=0, rules=None):
        self.seconds, self.rules = seconds, rules

    @staticmethod
    def parse(text):
        """Returns the zone for a value of `tz`, or None."""
        text = text.replace(" ", "+")
        if text in ("Z", "UTC"):
            return Zone()
        if match := ZONE_OFFSET.fullmatch(text):
            sign, hours, minutes = match.groups()
            if int(hours) > 23 or int(minutes) > 59:
                return None
            seconds = int(hours) * 3600 + int(minutes) * 60
            return Zone(-seconds if sign == "-" else seconds)
        if len(text) > 64 or not ZONE_NAME.fullmatch(text):
            return None
        try:
            return Zone(rules=zoneinfo.ZoneInfo(text))
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            return None

    def _moment(self, days, milliseconds):
        """Returns a naive datetime of the same day in a year that `datetime` supports."""
        year, month, day = date_of(days)
        cycles = 0
        if year < 400:
            cycles = (year - 400) // 400
        elif year > 9000:
            cycles = (year - 9000) // 400 + 1
        seconds, rest = divmod(milliseconds, 1000)
        return datetime.datetime(year - 400 * cycles, month, day) + datetime.timedelta(
            seconds=seconds, milliseconds=rest)

    def offset_at(self, instant):
        """Returns the offset in seconds at an instant."""
        if self.rules is None:
            return self.seconds
        moment = self._moment(instant // DAY, instant % DAY)
        moment = moment.replace(tzinfo=datetime.timezone.utc).astimezone(self.rules)
        return round(moment.utcoffset().total_seconds())

    def instant_of(self, local):
        """Returns the instant of a local time, given in milliseconds as if it were UTC.

        Of a time that exists twice, it returns the first; for one that doesn't exist, it uses the
        offset before the gap. Both is what `fold=0` means.
        """
        if self.rules is None:
            return local - self.seconds * 1000
        moment = self._moment(local // DAY, local % DAY).replace(tzinfo=self.rules, fold=0)
        return local - round(moment.utcoffset().total_seconds()) * 1000

    def local_of(self, instant):
        """Returns the local time of an instant, in milliseconds as if it were UTC."""
        return instant + self.offset_at(instant) * 1000


def parse_time(text, zone):
    """Returns the instant for a value of `from` or `to`, or None."""
    match = DATE.match(text)
    if not match:
        return None
    days = days_of(*map(int, match.groups()))
    if days is None:
        return None
    rest = text[match.end():]
    if not rest:
        return _valid(zone.instant_of(days * DAY))
    match = TIME.fullmatch(rest)
    if not match:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    if hour > 23 or minute > 59 or second > 60:
        return None
    fraction = int((match[4] or "0").ljust(3, "0")[:3])
    local = days * DAY + hour * 3_600_000 + minute * MINUTE + second * 1000
    instant = _with_offset(local, match[5].replace(" ", "+"), zone)
    suffix = SUFFIX.fullmatch(match[6])
    if instant is None or not suffix or suffix[1] and not match[5]:
        return None
    if second == 60:
        # A leap second ends a day in UTC, and counts as the next midnight.
        return _valid(instant) if instant % DAY == 0 else None
    return _valid(instant + fraction)


def _with_offset(local, text, zone):
    if text == "":
        return zone.instant_of(local)
    if text in ("Z", "z"):
        return local
    match = OFFSET.fullmatch(text)
    if not match or int(match[2]) > 23 or int(match[3] or 0) > 59:
        return None
    seconds = int(match[2]) * 3600 + int(match[3] or 0) * 60
    return local - (-seconds if match[1] == "-" else seconds) * 1000


def _valid(instant):
    return instant if EARLIEST <= instant <= LATEST else None


def _midnight(zone, days):
    return zone.instant_of(days * DAY)


def _first_of_month(year, month):
    return days_of(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def window_of(word, zone, now):
    """Returns the start and the end (or None) for a value of `when`, or None if it is invalid."""
    word = word.lower()
    today = zone.local_of(now) // DAY
    # 1970-01-01 was a Thursday.
    monday = today - (today + 3) % 7
    year, month, _ = date_of(today)
    if word == "now":
        return now, now + MINUTE
    if word == "upcoming":
        return now, None
    if word == "weekend":
        friday = zone.instant_of((monday + 4) * DAY + 18 * 3_600_000)
        return max(now, friday), _midnight(zone, monday + 7)
    days = {
        "today": (today, today + 1), "tomorrow": (today + 1, today + 2),
        "week": (monday, monday + 7), "next-week": (monday + 7, monday + 14),
        "month": (_first_of_month(year, month), _first_of_month(year, month + 1)),
        "next-month": (_first_of_month(year, month + 1), _first_of_month(year, month + 2)),
    }.get(word) or _named_days(word)
    if not days:
        return None
    start, end = (_midnight(zone, day) for day in days)
    # These words mean the rest of the window.
    if word in ("today", "week", "month"):
        start = max(start, now)
    return start, end


def _named_days(word):
    if match := DATE.fullmatch(word):
        day = days_of(*map(int, match.groups()))
        return None if day is None else (day, day + 1)
    if match := MONTH.fullmatch(word):
        year, month = map(int, match.groups())
        if 1 <= month <= 12:
            return _first_of_month(year, month), _first_of_month(year, month + 1)
    return None


def short_text(instant, zone):
    """Returns a time in the format of text and Atom: 2026-06-01 18:00Z, 2026-06-01 20:00+02:00."""
    offset = zone.offset_at(instant)
    local = instant + offset * 1000
    year, month, day = date_of(local // DAY)
    rest = local % DAY
    # The seconds of historical offsets are left out.
    minutes = abs(offset) // 60
    sign = "-" if offset < 0 else "+"
    suffix = f"{sign}{minutes // 60:02}:{minutes % 60:02}" if offset else "Z"
    year = f"{year:04}" if year >= 0 else f"-{-year:04}"
    return (f"{year}-{month:02}-{day:02} {rest // 3_600_000:02}:{rest // MINUTE % 60:02}{suffix}")
