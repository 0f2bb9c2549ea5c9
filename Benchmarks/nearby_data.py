"""The events that `Benchmarks/nearby` searches."""

import json
import math
import pathlib
import random
from datetime import datetime, timedelta

COUNTS = {"10k": 10_000, "1m": 1_000_000}
# This user owns every hundredth event.
OWNER, OWNED = 1000, 100
# The events that each of the first users attends.
ATTENDEES, ATTENDED = 200, 50
POINTS = 20_000
KM_PER_DEGREE, EARTH_MM = 111.195, 6_371_000_000
CITIES, CITY_KM = 200, 10


def cities(count, seed=1):
    """Returns the centers of cities, evenly spread between 45 degrees south and 65 north."""
    generator = random.Random(seed)
    south, north = math.sin(math.radians(-45)), math.sin(math.radians(65))
    return [
        (math.degrees(math.asin(generator.uniform(south, north))), generator.uniform(-180, 180))
        for _ in range(count)
    ]


def place(generator, centers):
    """Returns a place near a random city."""
    latitude, longitude = generator.choice(centers)
    degree = KM_PER_DEGREE * math.cos(math.radians(latitude))
    east = longitude + generator.gauss(0, CITY_KM) / degree
    north = latitude + generator.gauss(0, CITY_KM) / KM_PER_DEGREE
    return round(north, 6), round((east + 180) % 360 - 180, 6)


def invented_events(count):
    """Yields events around cities in 2026, the same in every run."""
    generator = random.Random(2)
    centers, year = cities(CITIES), datetime(2026, 1, 1)
    for number in range(1, count + 1):
        latitude, longitude = place(generator, centers)
        start = year + timedelta(minutes=15 * generator.randrange(35_040))
        end = start + timedelta(minutes=30 * generator.randrange(1, 13))
        yield {
            "id": number, "owner": {"id": generator.randrange(1, OWNER)},
            "name": f"Event {number}", "address": f"{generator.randrange(1, 3000)} Market Street",
            "lat": latitude, "lon": longitude, "started_at": start.isoformat() + "Z",
            "ended_at": end.isoformat() + "Z" if generator.random() < 0.8 else None,
        }


def vector(place):
    """Returns a place as a point of the unit sphere."""
    latitude, longitude = map(math.radians, place)
    east = math.cos(latitude)
    return east * math.cos(longitude), east * math.sin(longitude), math.sin(latitude)


class Data:
    """The files with events and attendances in `folder`, and facts for the queries."""

    def __init__(self, folder, size, source=None):
        self.count = COUNTS[size]
        self.events = f"{folder}/{size}.ndjson"
        self.attendances = f"{folder}/{size}-attendances.ndjson"
        starts, self.vectors = [], []
        with open(self.events, "w") as file:
            for event in self.read(size, source):
                number, owner = event["id"], event["owner"]["id"]
                owner = OWNER if number % OWNED == 0 else min(owner, OWNER - 1)
                event["owner"] = {"id": owner}
                starts.append(event["started_at"])
                self.vectors.append(vector((event["lat"], event["lon"])))
                file.write(json.dumps(event, separators=(",", ":")) + "\n")
        starts.sort()
        self.first, self.last = map(datetime.fromisoformat, (starts[0][:19], starts[-1][:19]))
        self.last_starts = starts[len(starts) * 95 // 100]
        self.points = self.read_points(size, source)
        self.write_attendances()

    @staticmethod
    def read(size, source):
        """Yields the events in a folder from `seed.py`, or generates them."""
        if source:
            with open(f"{source}/{size}.ndjson") as file:
                yield from map(json.loads, file)
        else:
            yield from invented_events(COUNTS[size])

    @staticmethod
    def read_points(size, source):
        """Returns random places near cities, like those of the events."""
        if source:
            lines = pathlib.Path(f"{source}/points-{size}.txt").read_text().splitlines()
            return [tuple(map(float, line.split())) for line in lines]
        generator, centers = random.Random(3), cities(CITIES)
        return [place(generator, centers) for _ in range(POINTS)]

    def distances(self, place):
        """Returns the distances of all events in millimeters, in ascending order."""
        a, b, c = vector(place)
        cosines = sorted((x * a + y * b + z * c for x, y, z in self.vectors), reverse=True)
        return [EARTH_MM * math.acos(max(min(cosine, 1), -1)) for cosine in cosines]

    def write_attendances(self):
        generator = random.Random(4)
        with open(self.attendances, "w") as file:
            for user in range(1, ATTENDEES + 1):
                for event in generator.sample(range(1, self.count + 1), ATTENDED):
                    record = {"event": {"id": event}, "user": {"id": user}}
                    file.write(json.dumps(record) + "\n")
