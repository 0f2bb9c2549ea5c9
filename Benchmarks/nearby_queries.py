"""The queries that `Benchmarks/nearby` measures, as requests for Humon and for the PostGIS server.

Each query has `REQUESTS` different requests, with places and times from the data.
"""

import base64
import json
import math
import random
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from nearby_data import ATTENDEES, OWNER

REQUESTS = 2000
# Fewer for later pages, because the script sorts all events to find their starts.
PAGED = 8
TAGGED = 500
PER_PAGE = 20
# The last bytes of a cursor that is not at an event.
GREATEST_ID = (2**63 - 1).to_bytes(8, "big")


@dataclass(frozen=True)
class Query:
    """A query, which is a row of the tables."""

    name: str
    title: str
    # The allowed CPU time per request, as a multiple of `nearests`; None if there is no limit.
    bar: float | None = None
    connections: int = 32


QUERIES = (
    Query("nearests", "/v1/events/nearests, 20 within 50 km"),
    Query("nearest", "nearest", 1.3),
    Query("last", "nearest of the last 5% by start", 2),
    Query("week", "nearest in a week", 4),
    Query("day", "nearest in a day", 10),
    Query("now", "nearest in a minute", 60),
    Query("beyond", "a window after all events", 1.5),
    Query("window", "any window within 10 km", 2),
    Query("bbox", "bbox of a city, nearest first", 2),
    Query("bbox-start", "bbox of a city, by start", 2),
    Query("polygon", "polygon of 64 points in a city", 4),
    Query("page-50", "page 50", 2),
    Query("page-5000", "page 5,000", 3),
    Query("owner", "an owner's 20 newest of 10,000, with a window and a region", 3),
    Query("attendee", "what a user attends, from a day on"),
    Query("unchanged", "304, nothing changed", 1.3),
    Query("clusters-city", "clusters of a city", 2),
    Query("clusters-large-city", "clusters of twice this area"),
    Query("clusters-country", "clusters of a country", 20),
)
WORLD = "/v1/events/clusters?bbox=-180,-85,180,85&zoom=3"
# Queries that the PostGIS server does not support.
HUMON_ONLY = {
    "attendee", "unchanged", "clusters-city", "clusters-large-city", "clusters-country",
}
PAGES = {"page-50": 50, "page-5000": 5000}


@dataclass(frozen=True)
class Request:
    """A request; `parameters` is for both servers, and the others are for one of them."""

    path: str
    parameters: dict
    humon: dict
    postgis: dict
    headers: tuple = ()
    method: str = "GET"
    body: str = ""

    def target(self, is_humon):
        parameters = {**self.parameters, **(self.humon if is_humon else self.postgis)}
        return f"{self.path}?{urlencode(parameters, safe=',:')}" if parameters else self.path

    def line(self, is_humon):
        """Returns the request in the format of `nearby.lua`."""
        return "\t".join((self.method, self.target(is_humon), self.body, *self.headers))


def time_text(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def box(point, height, width):
    """Returns a box around a place in degrees, clamped at the poles."""
    latitude, longitude = point
    south, north = max(latitude - height / 2, -89), min(latitude + height / 2, 89)
    # In PostGIS, a box can't cross the antimeridian.
    west, east = max(longitude - width / 2, -180), min(longitude + width / 2, 180)
    return ",".join(f"{edge:.6f}".rstrip("0").rstrip(".") for edge in (west, south, east, north))


def city(point):
    """Returns a box of about 22 km around a place."""
    return box(point, 0.2, 0.2 / math.cos(math.radians(point[0])))


def polygon(generator, point, corners=64):
    """Returns an irregular polygon around a place, with a radius of 5 to 10 km."""
    latitude, longitude = point
    numbers = []
    for corner in range(corners):
        angle, radius = 2 * math.pi * corner / corners, generator.uniform(5, 10) / 111.195
        east = radius * math.cos(angle) / math.cos(math.radians(latitude))
        numbers += [f"{longitude + east:.5f}", f"{latitude + radius * math.sin(angle):.5f}"]
    return ",".join(numbers)


class Requests:
    """Creates the requests of a query."""

    def __init__(self, data, seed=1):
        self.data, self.random = data, random.Random(seed)
        # Across the antimeridian, a polygon would need other longitudes in PostGIS.
        self.points = [point for point in data.points if abs(point[1]) < 179]

    def window(self, length):
        """Returns a time window of this length in which events begin."""
        span = self.data.last - self.data.first - length
        minutes = max(int(span.total_seconds() // 60), 1)
        start = self.data.first + timedelta(minutes=self.random.randrange(minutes))
        return {"from": time_text(start), "to": time_text(start + length)}

    def any_length(self):
        """Returns a random length between an hour and 90 days."""
        return timedelta(hours=math.exp(self.random.uniform(0, math.log(90 * 24))))

    def events(self, place, **more):
        """Returns a request for events near a place."""
        at = {"lat": f"{place[0]:.6f}", "lon": f"{place[1]:.6f}"}
        return Request("/v1/events", {**at, **more}, {}, {})

    def make(self, name, count=REQUESTS):
        return [self.one(name, self.random.choice(self.points)) for _ in range(count)]

    def one(self, name, place):
        match name:
            case "nearests":
                request = self.events(place, radius="50", limit="20")
                return Request("/v1/events/nearests", request.parameters, {}, {})
            case "last":
                return self.events(place, **{"from": self.data.last_starts})
            case "week":
                return self.events(place, **self.window(timedelta(days=7)))
            case "day":
                return self.events(place, **self.window(timedelta(days=1)))
            case "now":
                return self.events(place, **self.window(timedelta(minutes=1)))
            case "beyond":
                after = self.data.last + timedelta(days=self.random.randrange(365, 3650))
                return self.events(place, **{"from": time_text(after)})
            case "window":
                return self.events(place, radius="10", **self.window(self.any_length()))
            case "bbox":
                return self.events(place, bbox=city(place))
            case "bbox-start":
                return Request("/v1/events", {"bbox": city(place)}, {}, {})
            case "polygon":
                return self.events(place, within=polygon(self.random, place))
            case "owner":
                parameters = {"owner": str(OWNER), "sort": "-id", "bbox": box(place, 20, 40)}
                window = self.window(timedelta(days=90))
                return Request("/v1/events", {**parameters, **window}, {}, {})
            case "attendee":
                token = f"tb-auth-token: token-{self.random.randrange(ATTENDEES) + 1}"
                start = self.data.first + timedelta(days=self.random.randrange(100))
                parameters = {"attendee": "me", "from": time_text(start)}
                return Request("/v1/events", parameters, {}, {}, (token,))
            case "clusters-city":
                # The size of the example in the specification, which has about 20 cells.
                parameters = {"bbox": box(place, 0.1, 0.2), "zoom": "11"}
                return Request("/v1/events/clusters", parameters, {}, {})
            case "clusters-large-city":
                return Request("/v1/events/clusters", {"bbox": city(place), "zoom": "11"}, {}, {})
            case "clusters-country":
                parameters = {"bbox": box(place, 10, 16), "zoom": "6"}
                return Request("/v1/events/clusters", parameters, {}, {})
            case _:
                return self.events(place)

    def posts(self, count=REQUESTS):
        """Returns requests that insert events."""
        requests = []
        for latitude, longitude in self.random.choices(self.points, k=count):
            user = self.random.randrange(1, OWNER)
            event = {
                "name": f"Bench event {user}", "lat": latitude, "lon": longitude,
                "started_at": "2026-06-01T18:00:00Z", "ended_at": "2026-06-01T21:00:00Z",
                "address": f"{user} Market Street",
            }
            headers = ("Content-Type: application/json", f"tb-auth-token: token-{user}")
            requests.append(Request("/v1/events", {}, {}, {}, headers, "POST", json.dumps(event)))
        return requests

    def unchanged(self, server):
        """Returns requests that `server` responds to with 304."""
        requests = []
        for request in self.make("nearest", TAGGED):
            status, headers, _ = server.fetch(request.target(True))
            if status == 200:
                tag = f"If-None-Match: {headers['ETag']}"
                requests.append(Request(request.path, request.parameters, {}, {}, (tag,)))
        return requests

    def pages(self, server):
        """Returns requests for pages 50 and 5,000, or for the last pages, by name."""
        found = {name: [] for name in PAGES}
        for place in self.random.choices(self.points, k=PAGED):
            # To six decimals, as in the request.
            place = tuple(round(degrees, 6) for degrees in place)
            request, distances = self.events(place), self.data.distances(place)
            for name, page in PAGES.items():
                skipped = min((page - 1) * PER_PAGE, len(distances) - PER_PAGE)
                cursor = self.cursor(server, request, distances, skipped)
                offset = {"offset": str(skipped)}
                found[name].append(
                    Request(request.path, request.parameters, {"cursor": cursor}, offset)
                )
        return found

    @staticmethod
    def cursor(server, request, distances, skipped):
        """Returns a cursor between two events; reaching it page by page would take too long."""
        first = json.loads(server.fetch(request.target(True) + "&limit=1")[2])["next"]
        filters = base64.urlsafe_b64decode(first)[:8]
        key = int((distances[skipped - 1] + distances[skipped]) / 2)
        position = key.to_bytes(8, "big") + GREATEST_ID
        return base64.urlsafe_b64encode(filters + position).decode()
