"""Events with places, times and texts that often cause bugs."""

import times

OWNERS = 5
PLACES = [
    (90.0, 0.0), (90.0, 120.0), (-90.0, -45.0), (-90.0, 180.0), (89.999999, 10.0), (0.0, 0.0),
    (0.0, 180.0), (0.0, -180.0), (12.5, 180.0), (12.5, -180.0), (12.5, 179.9999), (-0.0, -0.0),
    (1e-7, -1e-7), (5e-324, 3e-5), (-33.9, 18.4), (37.79, -122.4), (37.79, -122.4000001),
    (-17.7, 178.0), (-17.7, -178.0), (85.06, 20.0), (-85.06, 20.0), (66.5, -179.5), (51.5, 0.0),
    (51.5, -1e-9), (40.4168, -3.7038), (40.416775, -3.703790), (48.8566, 2.3522), (35.6, 139.7),
    (1.2345675, -1.2345675), (45.0, 90.0), (-45.0, -90.0), (12.3456789012345, 98.7654321098765),
]
TEXTS = [
    "Picnic", "=1+1", "+49 151", "-5", "-5 below", "@home", "\ttab", "\rreturn", "'=quoted'", "''",
    "a,b;c\\d", 'She said "no"', "line\nbreak", "two\r\nlines", "bell\a and \x1f",
    "del\x7f nel\x85",
    "<b>&amp;</b> ]]>", "Café Łódź; jazz, late", "日本語の長い名前" * 9, "👩‍👩‍👧‍👦🏳️‍🌈" * 9, "e\u0301" * 40,
    "\u202eright to left\u2066", "\u200fmark", "\ufeffbom", "\u2028separator\u2029", "null",
    "x" * 255,
    "a" * 60 + "é" * 40, "%s%n{0}", "\\n\\,", "  spaces  ", "\ufffe\uffff", "'", ";", "1e5", "+1e5",
    "\U0010ffff", "tab\tin", "cr\rin", "\v\f", "\a", "#3", "More: /x", "END:VEVENT", "e\u0301\u202b",
]

DESCRIPTIONS = ["Two sets.\nBring a friend, it's free.", "=1 <b>& late; jazz", "Straße, Köln, l'été",
                " ".join(f"w{number}" for number in range(300)), "東京都でライブ", "JAZZ " * 20, "Wi-Fi ☕"]
CATEGORIES = ["music", "Music", "live-music", "theatre", "food", None]
TAGS = ["jazz", "Jazz", "#Café", "cafe", "live  music", "日本", "a&b<c>", "o'brien", "-rock", "", "👍"]
SERIES = ["late-2026", "Late-2026", "é", "e\u0301", "=1"]


def details(random):
    """Returns some of the attributes that an event need not have."""
    chosen = {}
    if random.random() < 0.3:
        chosen["description"] = random.choice(DESCRIPTIONS)
    if random.random() < 0.5:
        chosen["category"] = random.choice(CATEGORIES)
    if random.random() < 0.5:
        chosen["tags"] = random.choices(TAGS, k=random.randrange(0, 5))
    if random.random() < 0.2:
        chosen["status"] = random.choice(["scheduled", "cancelled", "postponed"])
    if random.random() < 0.2:
        chosen["series_id"] = random.choice(SERIES)
    return chosen


def _clock(random, now):
    """Returns a start and an end in milliseconds; the end can be None or before the start."""
    hour = 3_600_000
    if random.random() < 0.3:
        # Without an end, from a day before now on, and often where a number of hours ends.
        ago = random.choice([1, 3, 24, 0, 2, 25]) * hour
        return now - ago + random.choice([0, 1, -1, random.randrange(-hour, hour)]), None
    start = random.choice([
        now + random.randrange(-3 * hour, 3 * hour), now + random.randrange(-40, 40) * times.DAY,
        now, now - now % times.DAY, now + random.randrange(-900, 900) * times.DAY + 1,
        times.EARLIEST + random.randrange(0, 3) * hour,
        times.LATEST - random.randrange(0, 3) * hour,
        times.LATEST, times.EARLIEST, 0, -1, random.randrange(times.EARLIEST, times.LATEST),
        times.parse_time("2026-06-01T18:00:00Z", times.Zone()),
        times.parse_time("1890-01-01T00:00:00.001Z", times.Zone()),
    ])
    end = random.choice([
        None, start, start + 1, start + 999, start + 1000, start + hour, start - hour,
        start + 30 * times.DAY, start + random.randrange(0, 40) * hour, times.LATEST,
        times.EARLIEST, start + 9_000 * times.DAY, now, start + 20_000 * hour,
    ])
    if end is not None:
        end = min(max(end, times.EARLIEST), times.LATEST)
    return start, end


def draft(random, now, places=()):
    """Returns the attributes of a random event."""
    place = random.choice([
        random.choice(PLACES), random.choice(list(places) or PLACES),
        (round(random.uniform(-90, 90), 5), round(random.uniform(-180, 180), 5)),
        (round(37.79 + random.gauss(0, 0.05), 6), round(-122.4 + random.gauss(0, 0.05), 6)),
    ])
    start, end = _clock(random, now)
    days = {}
    if random.random() < 0.15:
        days["all_day"] = True
        start -= start % times.DAY
        end = None if end is None else end - end % times.DAY
    name = random.choice([random.choice(TEXTS), f"Event {random.randrange(1000)}"])
    # A name with only white space is blank.
    name = name if name.strip(" \t\r\n\v\f\x85\x1f\u2028\u2029") else "Blank"
    address = random.choice([None, "", random.choice(TEXTS), f"{random.randrange(1000)} Main St"])
    return {**details(random), **days, "name": name, "address": address, "lat": place[0], "lon": place[1],
            "started_at": times.text_of(start),
            "ended_at": None if end is None else times.text_of(end)}


def drafts(random, count, now):
    """Returns the attributes of `count` events, many of them at one place and time."""
    crowd = draft(random, now)
    result = []
    for number in range(count):
        if number % 8 == 0:
            result.append({**draft(random, now), "lat": 40.4168, "lon": -3.7038})
        elif number % 8 == 1:
            result.append({**crowd, "name": f"Crowd {number}"})
        else:
            places = [(other["lat"], other["lon"]) for other in result]
            result.append(draft(random, now, places))
    return result
