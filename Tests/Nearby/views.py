"""Events as JSON, GeoJSON, CSV and text."""

import re

import sphere
import times

POINTS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f",
                 "\r": "\\r"}
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def number_text(value):
    """Returns the shortest digits of a double, with a decimal point."""
    text = repr(float(value))
    mantissa, mark, exponent = text.partition("e")
    if mark and "." not in mantissa:
        mantissa += ".0"
    return mantissa + mark + exponent


def quoted(text):
    """Returns a JSON string."""
    return '"' + "".join(
        SHORT_ESCAPES.get(c) or (f"\\u{ord(c):04X}" if c < " " else c) for c in text) + '"'


def json(value):
    """Returns a value as JSON in one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(k)}:{json(v)}" for k, v in value.items()) + "}"
    return "[" + ",".join(map(json, value)) + "]"


def shown_distance(millimetres, units):
    return millimetres / sphere.MM_PER_UNIT[units]


class Row:
    """A matching event, with its distance and bearing if the query has a point."""

    def __init__(self, event, millimetres=None, tenths=None, units="km"):
        self.event, self.millimetres, self.units = event, millimetres, units
        self.bearing_tenths = tenths if millimetres else None

    @property
    def distance(self):
        return shown_distance(self.millimetres, self.units)

    @property
    def bearing(self):
        return None if self.bearing_tenths is None else self.bearing_tenths / 10

    def values(self):
        """Returns all fields by name, in the order of the JSON object."""
        event = self.event
        return {
            "address": event.address, "ended_at": _time(event.ended_at), "id": event.id,
            "lat": event.lat, "lon": event.lon, "name": event.name,
            "started_at": _time(event.started_at), "owner": {"id": event.owner},
            **event.details, **({"hidden": True} if event.is_hidden else {}),
            "created_at": _time(event.created_at), "updated_at": _time(event.updated_at),
            **({} if self.millimetres is None else
               {"distance": self.distance, "bearing": self.bearing}),
        }

    def chosen(self, fields, hidden=("created_at", "updated_at")):
        """Returns the fields that a query requests; by default, the visible ones."""
        return {name: value for name, value in self.values().items()
                if (name in fields if fields is not None else name not in hidden)}

    def distance_text(self):
        """Returns the distance with three decimals, rounded half up; metres have none."""
        unit = sphere.MM_PER_UNIT[self.units]
        if self.units == "m":
            return f"{(2 * self.millimetres + unit) // (2 * unit)} m"
        thousandths = (2000 * self.millimetres + unit) // (2 * unit)
        return f"{thousandths // 1000}.{thousandths % 1000:03} {self.units}"

    def compass_point(self):
        if self.bearing_tenths is None:
            return ""
        return POINTS[(self.bearing_tenths + 225) // 450 % 8]


def _time(instant):
    return None if instant is None else times.text_of(instant)


def counts(page):
    return {} if page.count is None else {"count": page.count, "count_is_exact": True}


def json_page(page):
    """Returns a page of events as JSON."""
    rows = [row.chosen(page.query.fields) for row in page.rows]
    return json({**counts(page), "events": rows, "next": page.next}) + "\n"


DETAILS = "description url image_url category tags status all_day series_id visibility data".split()
PROPERTIES = ["name", "address", "started_at", "ended_at", "owner", *DETAILS, "hidden", "created_at",
              "updated_at", "distance", "bearing"]


def feature(row, fields=None):
    """Returns an event as a GeoJSON feature."""
    values = row.chosen(fields)
    return {
        "type": "Feature", "id": row.event.id,
        "geometry": {"type": "Point", "coordinates": [row.event.lon, row.event.lat]},
        "properties": {name: values[name] for name in PROPERTIES if name in values},
    }


def geojson_page(page):
    """Returns a page of events as GeoJSON."""
    features = [feature(row, page.query.fields) for row in page.rows]
    return json({"type": "FeatureCollection", **counts(page), "features": features,
                 "next": page.next}) + "\n"


COLUMNS = ["id", "owner", "name", "address", "lat", "lon", "started_at", "ended_at", *DETAILS,
           "created_at", "updated_at", "distance", "bearing"]


def guarded(text):
    """Returns a text, with a leading apostrophe if a spreadsheet would run it, as in exports."""
    rest = text.lstrip("'")
    if rest[:1] in ("=", "@", "\t", "\r") and rest or rest[:1] in ("+", "-") and rest and not (
            re.fullmatch(r"[+-](\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", rest, re.ASCII)):
        return "'" + text
    return text


def csv_cell(text):
    if text == "" or re.search('[",;\0-\x1f]', text):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_page(page):
    """Returns a page of events as CSV."""
    fields = page.query.fields
    names = [name for name in COLUMNS if name in fields] if fields is not None else [
        name for name in COLUMNS if name not in ("created_at", "updated_at", *DETAILS)
        and (page.query.origin or name not in ("distance", "bearing"))]
    lines = [",".join(names)]
    for row in page.rows:
        values = row.values()
        lines.append(",".join(_csv_text(name, values.get(name)) for name in names))
    return "".join(line + "\r\n" for line in lines)


def _csv_text(name, value):
    if value is None:
        return ""
    if name == "owner":
        return str(value["id"])
    if isinstance(value, float):
        # As in exports, 1e-07 has no decimal point.
        return repr(value)
    text = ",".join(value) if name == "tags" else "true" if value is True else str(value)
    return csv_cell(guarded(text) if name in ("name", "address", *DETAILS) else text)


def visible(text):
    return BIDIRECTIONAL.sub("\ufffd", CONTROL.sub("\ufffd", text))


def text_page(page):
    """Returns a page of events as lines for a terminal."""
    lines = []
    width = max((len(str(row.event.id)) + 1 for row in page.rows), default=0)
    for row in page.rows:
        event = row.event
        start = times.short_text(event.started_at, page.query.zone)
        if event.is_all_day:
            start = times.text_of(event.started_at)[:10].ljust(17)
        parts = [start,
                 f"#{event.id}".ljust(width),
                 visible(event.name + (f", {event.place}" if event.place else ""))
                 + (f" [{event.status}]" if event.status != "scheduled" else "")]
        if row.millimetres is not None:
            parts = [row.distance_text().rjust(12), row.compass_point().ljust(2), *parts]
        lines.append("  ".join(parts))
    if page.next:
        lines.append(f"More: {page.link(page.next)}")
    if not lines:
        lines.append("No events found.")
    return "".join(line + "\n" for line in lines)


def cluster_list(clusters):
    """Returns the clusters of a map as JSON."""
    return json({"clusters": clusters})
