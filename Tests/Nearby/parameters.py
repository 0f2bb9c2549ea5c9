"""The parameters of a query: decoding, validation and error messages."""

import base64
import dataclasses
import hashlib
import re
import urllib.parse

import sphere
import terms
import times
import words

NAMES = ("lat lon radius units bbox within from to when tz ongoing q category tag status series owner"
         " attendee sort fields limit cursor count title").split()
FILTERS = NAMES[:NAMES.index("sort") + 1]
CLUSTER_NAMES = NAMES[:NAMES.index("attendee") + 1] + ["zoom"]
# The names that other programs append to links.
FOREIGN = re.compile("(_|utm_).*|(fb|g|d|ms|tw|y)clid|igshid|mc_[ce]id|ref(_src)?|[gw]braid", re.DOTALL)
FIELDS = ("address ended_at id lat lon name started_at owner"
          " description url image_url category tags status all_day series_id visibility data hidden"
          " created_at updated_at distance bearing").split()
STATUSES = ["scheduled", "cancelled", "postponed"]
SORTS = ["distance", "started_at", "-started_at", "id", "-id"]
MAXIMUM_ERRORS = 10
MAXIMUM_CELLS = 4096

NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
DIGITS = re.compile(r"\d+", re.ASCII)
CURSOR = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)
# Unicode's White_Space, which is not the same as Python's.
BLANKS = set(map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028,
                       0x2029, 0x202F, 0x205F, 0x3000]))
BOOLEANS = {**dict.fromkeys(["1", "true", "on", "t"], True),
            **dict.fromkeys(["0", "false", "off", "f"], False)}


class Invalid(Exception):
    """The error for an invalid parameter, with its message."""


class Unauthorized(Exception):
    """The error for `me` without a known token."""


@dataclasses.dataclass
class Query:
    """A valid query."""

    origin: tuple = None
    radius: float = None
    units: str = "km"
    box: sphere.Box = None
    polygon: sphere.Polygon = None
    start: int = None
    end: int = None
    zone: times.Zone = None
    is_ongoing: bool = True
    words: list = dataclasses.field(default_factory=list)
    categories: list = None
    # Of each value, the folds of its tags.
    tags: list = dataclasses.field(default_factory=list)
    statuses: list = None
    series: str = None
    owner: int = None
    attendee: int = None
    sort: str = "started_at"
    fields: list = None
    limit: int = 0
    after: tuple = None
    counts: bool = False
    title: str = None
    zoom: int = None
    requests_me: bool = False


def decode(query):
    """Returns the names and values of a query."""
    pairs = []
    for part in query.split("&"):
        if part:
            name, _, value = part.partition("=")
            pairs.append(tuple(urllib.parse.unquote_to_bytes(text.replace("+", " "))
                               .decode("utf-8", "replace") for text in (name, value)))
    return pairs


def pairs_of(values):
    """Returns the names with their values, of which a list has several."""
    return [(name, one) for name, value in values.items()
            for one in (value if isinstance(value, list) else [value])]


def present(pairs):
    """Returns the last value of each name, without blank values, and a list of all tags."""
    values = {name: value for name, value in dict(pairs).items() if not set(value) <= BLANKS}
    tags = [value for name, value in pairs if name == "tag" and not set(value) <= BLANKS]
    values.pop("tag", None)
    return {**values, "tag": tags} if tags else values


def encode(values, names):
    """Returns the parameters as in a link and a cursor's digest."""
    return "&".join(f"{name}={urllib.parse.quote(value, safe='-._~,:/')}"
                    for name in names if name in values
                    for value in (values[name] if name == "tag" else [values[name]]))


def digest(values):
    """Returns the part of a cursor that identifies the filters."""
    return hashlib.sha256(encode(values, FILTERS).encode()).digest()[:7]


def cursor(values, key, number):
    """Returns the cursor after the row with this key and id."""
    data = b"\1" + digest(values) + key.to_bytes(8, "big", signed=True)
    return base64.urlsafe_b64encode(data + number.to_bytes(8, "big", signed=True)).decode()


def decoded(text):
    """Returns the bytes of a cursor."""
    return base64.urlsafe_b64decode(text)


def number(label, text, minimum=None, maximum=None):
    if not NUMBER.fullmatch(text) or abs(float(text)) == float("inf"):
        raise Invalid(f"{label} is not a number")
    value = float(text)
    if minimum is not None and value < minimum:
        raise Invalid(f"{label} must be greater than or equal to {minimum}")
    if maximum is not None and value > maximum:
        raise Invalid(f"{label} must be less than or equal to {maximum}")
    return value


def integer(label, text, minimum, maximum):
    if number(label, text) != round(number(label, text)):
        raise Invalid(f"{label} must be an integer")
    return int(number(label, text, minimum, maximum))


def choice(label, text, allowed):
    if text not in allowed:
        raise Invalid(f"{label} must be one of {', '.join(allowed)}")
    return text


class Reader:
    """Validates the parameters of a request; `errors` has the messages for invalid ones."""

    def __init__(self, pairs, suffix, now, user, maximum, clusters=False, text_search=True):
        self.values = present(pairs)
        self.suffix, self.now, self.user, self.maximum = suffix, now, user, maximum
        self.clusters, self.text_search = clusters, text_search
        self._add_order()
        self.query = Query(zone=times.Zone())
        self.errors = []
        for name in CLUSTER_NAMES if clusters else NAMES:
            self._read(name)
        known = CLUSTER_NAMES if clusters else NAMES
        unknown = dict.fromkeys(name for name, _ in pairs
                                if name not in known and not FOREIGN.fullmatch(name))
        self.errors += [f"Unknown parameter: {name[:40]}" for name in unknown]
        self.errors = self.errors[:MAXIMUM_ERRORS]

    def _add_order(self):
        """Adds the order of a calendar; its next page has this order in each representation."""
        if self.clusters or "sort" in self.values or "lat" not in self.values:
            return
        ordered = {**self.values, "sort": "started_at"}
        text = self.values.get("cursor")
        if (self.suffix == "ics") if text is None else (
                CURSOR.fullmatch(text) and decoded(text)[:8] == b"\1" + digest(ordered)):
            self.values = ordered

    def _read(self, name):
        method = getattr(self, "_" + name)
        try:
            method(self.values.get(name))
        except Invalid as error:
            self.errors.append(str(error))

    @property
    def _has_point(self):
        return "lat" in self.values and "lon" in self.values

    @property
    def _lacks_point(self):
        # A missing latitude or longitude has its own message.
        return "lat" not in self.values and "lon" not in self.values

    def _lat(self, text):
        self.latitude = None
        if text is None:
            if "lon" in self.values:
                raise Invalid("Lat can't be blank")
            return
        self.latitude = number("Lat", text, -90, 90)

    def _lon(self, text):
        if text is None:
            if "lat" in self.values:
                raise Invalid("Lon can't be blank")
            return
        longitude = sphere.wrapped(number("Lon", text))
        if self.latitude is not None:
            self.query.origin = (self.latitude, longitude)

    def _radius(self, text):
        if text is None:
            return
        self.query.radius = number("Radius", text, 0)
        if self._lacks_point:
            raise Invalid("Radius needs lat and lon")

    def _units(self, text):
        if text is not None:
            self.query.units = choice("Units", text, ["km", "m", "mi"])

    def _bbox(self, text):
        if text is None:
            if self.clusters:
                raise Invalid("Bbox can't be blank")
            return
        sentence = "Bbox must be four numbers: west,south,east,north"
        numbers = self._numbers(text, sentence)
        if len(numbers) != 4:
            raise Invalid(sentence)
        west, south, east, north = numbers
        if not -90 <= south <= 90 or not -90 <= north <= 90:
            raise Invalid("Bbox has a latitude outside -90 to 90")
        if south > north:
            raise Invalid("Bbox has south above north")
        self.query.box = sphere.Box(west, south, east, north)

    def _numbers(self, text, sentence):
        try:
            return [number("", part) for part in text.split(",")]
        except Invalid:
            raise Invalid(sentence) from None

    def _within(self, text):
        if text is None:
            return
        sentence = "Within must be 3 to 64 points: lon,lat,lon,lat,…"
        numbers = self._numbers(text, sentence)
        places = list(zip(numbers[1::2], numbers[::2]))
        if len(places) > 1 and places[0] == places[-1]:
            places.pop()
        if len(numbers) % 2 or not 3 <= len(places) <= 64:
            raise Invalid(sentence)
        if any(not -90 <= latitude <= 90 for latitude, _ in places):
            raise Invalid("Within has a latitude outside -90 to 90")
        polygon = sphere.Polygon([(place[0], sphere.wrapped(place[1])) for place in places])
        if polygon.is_too_wide:
            raise Invalid("Within is too wide")
        self.query.polygon = polygon

    @property
    def _zone(self):
        return times.Zone.parse(self.values.get("tz", "UTC")) or times.Zone()

    def _time(self, label, text):
        instant = self.now if text.lower() == "now" else times.parse_time(text, self._zone)
        if instant is None:
            raise Invalid(f"{label} is not a time such as 2030-09-16T12:00:00Z")
        return instant

    def _from(self, text):
        if text is not None:
            self.query.start = self._time("From", text)

    def _to(self, text):
        if text is None:
            return
        self.query.end = self._time("To", text)
        if self.query.start is not None and self.query.end <= self.query.start:
            raise Invalid("To must be after from")

    def _when(self, text):
        if text is None:
            return
        window = times.window_of(text, self._zone, self.now)
        if window is None:
            raise Invalid("When must be one of now, upcoming, today, tomorrow, weekend, week,"
                          " next-week, month, next-month, a date, a month")
        if "from" in self.values or "to" in self.values:
            raise Invalid("When can't be combined with from and to")
        self.query.start, self.query.end = window

    def _tz(self, text):
        if text is not None:
            self.query.zone = times.Zone.parse(text)
            if self.query.zone is None:
                raise Invalid("Tz is unknown")

    def _ongoing(self, text):
        if text is not None:
            if text.lower() not in BOOLEANS:
                raise Invalid("Ongoing is invalid")
            self.query.is_ongoing = BOOLEANS[text.lower()]

    def _text(self, label, text):
        if "\0" in text:
            raise Invalid(f"{label} is invalid")
        if len(text) > 100:
            raise Invalid(f"{label} is too long (maximum is 100 characters)")

    def _q(self, text):
        if text is None:
            return
        if not self.text_search:
            raise Invalid("Q is switched off on this server (TEXT_SEARCH)")
        self._text("Q", text)
        self.query.words, count = terms.wanted(text)
        if count > 8:
            raise Invalid("Q is too long (maximum is 8 words)")

    def _category(self, text):
        if text is None:
            return
        categories = [terms.category_of(part) for part in text.split(",")]
        if None in categories or len(categories) > 20:
            raise Invalid("Category must be 1 to 20 categories such as live-music, separated by commas")
        self.query.categories = categories

    def _tag(self, texts):
        texts = texts or []
        if len(texts) > 5:
            raise Invalid("Tag is repeated too often (maximum is 5)")
        for text in texts:
            tags = terms.tags_of(text.split(","))
            if not tags or len(tags) > 20:
                raise Invalid("Tag must be 1 to 20 tags of up to 50 characters, separated by commas")
            self.query.tags.append({words.fold(tag) for tag in tags})

    def _status(self, text):
        is_mine = "me" in (self.values.get("owner"), self.values.get("attendee"))
        self.query.statuses = STATUSES if is_mine or text == "any" else ["scheduled"]
        if text not in (None, "any"):
            self.query.statuses = text.split(",")
            if not set(self.query.statuses) <= set(STATUSES):
                raise Invalid(f"Status must be any or among {', '.join(STATUSES)}")

    def _series(self, text):
        if text is None:
            return
        try:
            self._text("Series", text)
            self.query.series = text
        except Invalid as error:
            self.errors.append(str(error))
        if "owner" not in self.values:
            raise Invalid("Series needs owner")

    def _owner(self, text):
        if text == "me":
            self.query.requests_me = True
            self.query.owner = self.user
        elif text is not None:
            if not DIGITS.fullmatch(text) or not 0 < int(text) < 2**63:
                raise Invalid("Owner must be an id or me")
            self.query.owner = int(text)

    def _attendee(self, text):
        if text is None:
            return
        if text != "me":
            raise Invalid("Attendee must be me")
        self.query.requests_me = True
        self.query.attendee = self.user

    def _sort(self, text):
        self.query.sort = "distance" if self._has_point else "started_at"
        if text is not None:
            self.query.sort = choice("Sort", text, SORTS)
            if text == "distance" and self._lacks_point:
                raise Invalid("Sort by distance needs lat and lon")

    def _fields(self, text):
        if text is None:
            return
        names = text.split(",")
        if not set(names) <= set(FIELDS):
            raise Invalid(f"Fields must be among {', '.join(FIELDS)}")
        if {"distance", "bearing"} & set(names) and self._lacks_point:
            raise Invalid("Fields distance and bearing need lat and lon")
        if self.suffix not in ("json", "geojson", "csv"):
            raise Invalid("Fields applies to JSON, GeoJSON and CSV only")
        self.query.fields = [name for name in FIELDS if name in names]

    def _limit(self, text):
        self.query.limit = min(20, self.maximum) if self.suffix in ("json", "txt") else self.maximum
        if text is not None:
            self.query.limit = integer("Limit", text, 1, self.maximum)

    def _cursor(self, text):
        if text is None:
            return
        data = decoded(text) if CURSOR.fullmatch(text) else b"\0"
        if data[0] != 1:
            raise Invalid("Cursor is invalid")
        if data[1:8] != digest(self.values):
            raise Invalid("Cursor belongs to a different query")
        self.query.after = tuple(int.from_bytes(data[start:start + 8], "big", signed=True)
                                 for start in (8, 16))

    def _count(self, text):
        if text is not None:
            self.query.counts = choice("Count", text, ["exact", "none"]) == "exact"

    def _title(self, text):
        if text is not None:
            if len(text) > 60:
                raise Invalid("Title is too long (maximum is 60 characters)")
            self.query.title = text

    def _zoom(self, text):
        if text is None:
            raise Invalid("Zoom can't be blank")
        zoom = integer("Zoom", text, 0, 22)
        if self.query.box and self.query.box.cell_count(zoom) > MAXIMUM_CELLS:
            highest = max(z for z in range(23) if self.query.box.cell_count(z) <= MAXIMUM_CELLS)
            raise Invalid(f"Zoom is too high for this bbox (maximum is {highest})")
        self.query.zoom = zoom
