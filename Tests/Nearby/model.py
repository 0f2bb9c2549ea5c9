"""A brute-force model of searches for events, which returns the expected responses.

It is written from the specification alone, and shares no code with the server.
"""

import base64
import dataclasses
import functools
import re

import calendars
import parameters
import sphere
import terms
import times
import views
import words

TYPES = {
    "json": "application/json; charset=utf-8",
    "geojson": "application/geo+json",
    "ics": "text/calendar; charset=utf-8",
    "atom": "application/atom+xml; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "txt": "text/plain; charset=utf-8",
}
WRITERS = {
    "json": views.json_page, "geojson": views.geojson_page, "csv": views.csv_page,
    "txt": views.text_page, "ics": calendars.calendar_page, "atom": calendars.feed_page,
}
TOKEN_HEADERS = ["tb-device-token", "tb-auth-token", "x-device-token"]
VIEWER = "tb-device-token, tb-auth-token, X-DEVICE-TOKEN, Authorization"
CHALLENGE = 'Basic realm="Humon", charset="UTF-8"'
MAXIMUM_COUNT = 10_000


@dataclasses.dataclass
class Event:
    """An event; times are milliseconds since 1970."""

    id: int
    owner: int
    name: str
    address: str
    lat: float
    lon: float
    started_at: int
    ended_at: int
    created_at: int
    updated_at: int
    # The attributes that are set, among those that an event need not have.
    details: dict = dataclasses.field(default_factory=dict)
    # Whether only the owner sees it.
    is_hidden: bool = False

    @property
    def status(self):
        return self.details.get("status", "scheduled")

    @property
    def is_all_day(self):
        return "all_day" in self.details

    @property
    def last_day(self):
        """The last day of an all-day event, as days since 1970."""
        end = self.started_at if self.ended_at is None else self.ended_at
        return max(self.started_at, end) // times.DAY

    @property
    def labels(self):
        """The category, if there is one, and the tags."""
        category = self.details.get("category")
        return ([category] if category else []) + self.details.get("tags", [])

    @functools.cached_property
    def words(self):
        return terms.words_of([self.name, *self.labels, self.address or "",
                               self.details.get("description", "")])

    @functools.cached_property
    def tags(self):
        return {words.fold(tag) for tag in self.details.get("tags", [])}

    @property
    def place(self):
        """The address, or None if it is empty."""
        return self.address or None

    def end(self, open_end_hours):
        """The end in windows: an event without `ended_at` ends some hours after its start.

        An all-day event ends at the midnight after its last day.
        """
        if self.is_all_day:
            return (self.last_day + 1) * times.DAY
        if self.ended_at is None:
            return self.started_at + open_end_hours * 3_600_000
        return max(self.started_at, self.ended_at)


@dataclasses.dataclass
class Answer:
    """A response. `headers` has the headers to compare; None means that a header must be absent."""

    status: int
    headers: dict
    body: bytes
    # The choices that the specification leaves open, as kind and event or place: the rounding of a
    # "distance", "bearing" or "mean", and whether a place on an "edge" of a polygon is inside.
    # "antipode", "cell" and "cursor" have no second value to try.
    open: set = dataclasses.field(default_factory=set)
    # Whether the request names `me`.
    is_of_user: bool = False


@dataclasses.dataclass
class Page:
    """The content of a response, before its representation."""

    query: parameters.Query
    values: dict
    path: str
    installation: str
    rows: list
    next: str
    count: int

    @property
    def filters(self):
        return parameters.encode(self.values, parameters.FILTERS)

    @property
    def address(self):
        """The server's address, which the requests have in Host."""
        return "http://a"

    def link(self, cursor=None):
        values = {**self.values, "cursor": cursor} if cursor else self.values
        query = parameters.encode(values, parameters.NAMES)
        return f"{self.path}?{query}" if query else self.path


def accepted(header):
    """Returns the representation for a value of Accept."""
    best, quality = "json", 0.0
    types = {kind.partition(";")[0]: suffix for suffix, kind in TYPES.items()}
    for part in header.split(","):
        kind, *rest = (piece.strip() for piece in part.split(";"))
        weight = 1.0
        for piece in rest:
            if match := re.fullmatch(r"[qQ]\s*=\s*([01](?:\.\d*)?)", piece):
                weight = float(match[1])
        suffix = types.get(kind.lower(), "json" if kind == "*/*" else None)
        if suffix and weight > quality:
            best, quality = suffix, weight
    return best


class Model:
    """The stored records, and the expected responses."""

    def __init__(self, events=(), installation="", tokens=None, attendances=(), maximum=1000,
                 open_end_hours=3, text_search=True):
        self.events = {event.id: event for event in events}
        self.installation, self.tokens = installation, tokens or {}
        self.attendances, self.maximum = set(attendances), maximum
        self.open_end_hours, self.text_search = open_end_hours, text_search
        # Pairs of a user and an owner whose events the user doesn't see.
        self.blocks = set()
        # The members of `Answer.open` with the other choice.
        self.flipped = set()

    def respond(self, target, headers, now):
        """Returns the response to a GET request.

        - headers: names in lower case.
        - now: milliseconds since 1970.
        """
        now -= now % 60_000
        path, _, query = target.partition("?")
        route = path[:-1] if path.endswith("/") else path
        if match := re.fullmatch(r"/v1/events(?:\.(\w+))?", route):
            suffix = match[1] or accepted(headers.get("accept", ""))
            if suffix not in TYPES:
                return self._error(404, "Not Found")
            answer = self._list(path, suffix, query, headers, now)
            is_found = answer.status == 200
            varies = [VIEWER] if is_found and answer.is_of_user else []
            varies += ["X-Forwarded-Proto, X-Forwarded-Prefix"] if is_found and suffix == "atom" else []
            # With a token, it is the first one.
            place = 0 if is_found and answer.is_of_user else len(varies)
            varies[place:place] = [] if match[1] else ["Accept"]
            answer.headers["vary"] = ", ".join(varies) or None
            return answer
        if re.fullmatch(r"/v1/events/clusters(\.json)?", route):
            return self._clusters(query, headers, now)
        if match := re.fullmatch(r"/v1/events/(\d+)\.(ics|geojson)", route, re.ASCII):
            return self._single(int(match[1]), match[2], headers)
        return self._error(404, "Not Found")

    def user(self, headers):
        """Returns the id of a request's user, or None."""
        for name in TOKEN_HEADERS:
            if name in headers:
                return self.tokens.get(headers[name])
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.tokens.get(value.strip())
        if scheme.lower() == "basic":
            try:
                text = base64.b64decode(value.strip(), validate=True).decode()
            except ValueError:
                return None
            return self.tokens.get(text.partition(":")[2])
        return None

    def sees(self, user, event, is_own_view):
        """Returns whether a user, or nobody in particular, sees an event.

        `is_own_view` is whether the response can say that an event of the user is hidden.
        """
        if event.is_hidden:
            return is_own_view and event.owner == user
        return (user, event.owner) not in self.blocks

    @staticmethod
    def _error(status, message, **headers):
        body = views.json({"message": message})
        return Answer(status, {"content-type": TYPES["json"], "link": None,
                               **headers}, body.encode())

    def _read(self, query, suffix, headers, now, clusters=False):
        """Returns the query, or the response that rejects it."""
        reader = parameters.Reader(parameters.decode(query), suffix, now, self.user(headers),
                                   self.maximum, clusters, self.text_search)
        if reader.errors:
            answer = self._error(422, "Validation Failed")
            answer.body = views.json({"message": "Validation Failed",
                                      "errors": reader.errors}).encode()
            return reader, answer
        if reader.query.requests_me and self.user(headers) is None:
            answer = self._error(401, "Unauthorized")
            if suffix in ("ics", "atom"):
                answer.headers["www-authenticate"] = CHALLENGE
            return reader, answer
        return reader, None

    def _matching(self, query, suffix, headers):
        """Returns the matching rows, and their open choices."""
        user = self.user(headers)
        is_own_view = query.requests_me and suffix in ("json", "geojson")
        rows, is_open = [], set()
        for event in self.events.values():
            place = (event.lat, event.lon)
            if query.owner is not None and event.owner != query.owner:
                continue
            if not self.sees(user, event, is_own_view):
                continue
            if event.status not in query.statuses or not self._has_terms(event, query):
                continue
            if query.attendee is not None and (query.attendee, event.id) not in self.attendances:
                continue
            if not self._takes_place(event, query) or query.box and not query.box.contains(place):
                continue
            row = self._row(event, query, is_open)
            if query.radius is not None and row.distance > query.radius:
                continue
            if query.polygon:
                is_inside = query.polygon.contains(place)
                if query.polygon.has_on_edge(place):
                    choice = ("edge", sphere.canonical(place))
                    is_open.add(choice)
                    is_inside ^= choice in self.flipped
                if not is_inside:
                    continue
            rows.append(row)
        return rows, is_open

    @staticmethod
    def _has_terms(event, query):
        return (all(terms.has(event.words, word) for word in query.words)
                and (not query.categories or event.details.get("category") in query.categories)
                and all(event.tags & wanted for wanted in query.tags)
                and (query.series is None or event.details.get("series_id") == query.series))

    def _takes_place(self, event, query):
        if query.end is not None and event.started_at >= query.end:
            return False
        if query.start is None:
            return True
        if event.started_at >= query.start:
            return True
        return query.is_ongoing and event.end(self.open_end_hours) > query.start

    def _row(self, event, query, is_open):
        if query.origin is None:
            return views.Row(event)
        direction = sphere.Direction(query.origin, (event.lat, event.lon))
        millimetres, tenths = direction.millimetres, direction.tenths
        if direction.other_millimetres is not None:
            is_open.add(("distance", event.id))
            if ("distance", event.id) in self.flipped:
                millimetres = direction.other_millimetres
        if direction.is_aimless and millimetres:
            is_open.add(("antipode", event.id))
        elif direction.other_tenths is not None and millimetres:
            is_open.add(("bearing", event.id))
            if ("bearing", event.id) in self.flipped:
                tenths = direction.other_tenths
        return views.Row(event, millimetres, tenths, query.units)

    def _list(self, path, suffix, query, headers, now):
        reader, rejection = self._read(query, suffix, headers, now)
        if rejection:
            return rejection
        query = reader.query
        rows, is_open = self._matching(query, suffix, headers)
        key = {
            "distance": lambda row: (row.millimetres, row.event.id),
            "started_at": lambda row: (row.event.started_at, row.event.id),
            "id": lambda row: (row.event.id,),
        }[query.sort.lstrip("-")]
        is_descending = query.sort.startswith("-")
        rest = sorted(rows, key=key, reverse=is_descending)
        if query.after:
            after = query.after
            if query.sort in ("id", "-id"):
                after = query.after[-1:]
                if query.after[0] != query.after[1]:
                    is_open.add(("cursor", 0))
            rest = [row for row in rest
                    if (key(row) < after if is_descending else key(row) > after)]
        shown = rest[:query.limit]
        following = None
        if len(rest) > len(shown):
            following = parameters.cursor(reader.values, key(shown[-1])[0],
                                          shown[-1].event.id)
        count = len(rows) if query.counts else None
        page = Page(query, reader.values, path, self.installation, shown, following, count)
        link = f'<{page.link(following)}>; rel="next"' if following else None
        return Answer(200, {"content-type": TYPES[suffix], "link": link, "www-authenticate": None},
                      WRITERS[suffix](page).encode(), is_open, query.requests_me)

    def _clusters(self, query, headers, now):
        reader, rejection = self._read(query, "json", headers, now, clusters=True)
        if rejection:
            return rejection
        query = reader.query
        rows, is_open = self._matching(query, "json", headers)
        side = 2 ** (query.zoom + 2)
        cells = {}
        for row in rows:
            place = (row.event.lat, row.event.lon)
            if sphere.is_at_cell_edge(place, query.zoom):
                is_open.add(("cell", row.event.id))
            cell = sphere.column(place[1], side), sphere.row(place[0], side)
            cells.setdefault(cell, []).append(row)
        clusters = []
        for found in cells.values():
            first = min(found, key=lambda row: row.event.id)
            position = [first.event.lat, first.event.lon]
            if len(found) > 1:
                position = [self._mean(name, found, is_open) for name in ("lat", "lon")]
            clusters.append({"count": len(found), "lat": position[0], "lon": position[1],
                             "event": views.Row(first.event).chosen(None)})
        clusters.sort(key=lambda cluster: (-cluster["count"], cluster["event"]["id"]))
        vary = VIEWER if query.requests_me else None
        return Answer(200, {"content-type": TYPES["json"], "link": None, "vary": vary},
                      views.cluster_list(clusters).encode(), is_open)

    def _mean(self, name, rows, is_open):
        """Returns the mean latitude or longitude of a cell's events."""
        mean, other = sphere.mean_degrees(
            # Both are the same meridian, which is in the first column.
            [-180 if (name, value) == ("lon", 180) else value
             for value in (getattr(row.event, name) for row in rows)])
        choice = (f"mean {name}", rows[0].event.id)
        if other is not None:
            is_open.add(choice)
        return other if choice in self.flipped else mean

    def _single(self, number, suffix, headers):
        event = self.events.get(number)
        user = self.user(headers)
        if event is None or not self.sees(user, event, suffix == "geojson"):
            return self._error(404, "Not Found")
        is_of_user = event.is_hidden or any(blocker == user for blocker, _ in self.blocks)
        if suffix == "ics":
            body = calendars.calendar(event.name, [event], self.installation, "OPAQUE")
        else:
            body = views.json(views.feature(views.Row(event))) + "\n"
        vary = VIEWER if is_of_user else None
        return Answer(200, {"content-type": TYPES[suffix], "link": None, "vary": vary},
                      body.encode())
