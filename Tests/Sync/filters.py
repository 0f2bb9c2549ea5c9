"""Random places and filters for `Tests/Sync/oracle`."""

import math
import urllib.parse

RADIUS_OF_EARTH = 6371
KILOMETRES = {"km": 1, "m": 0.001, "mi": 1.609344}

# Where events are: at a usual place, at the antimeridian, and near a pole.
CENTRES = ((51.0, 4.0), (0.2, 179.9), (89.0, 10.0))
LARGEST_KILOMETRES = 150

CATEGORIES = ("music", "food", "talk")
TAGS = ("jazz", "live music", "kids")
STATUSES = ("scheduled", "cancelled", "postponed")
WORDS = ("alpha", "beta", "gamma", "Köln", "Wi-Fi", "straße")


def distance(one, other):
    """Returns the great-circle distance of two places in kilometres."""
    latitude, longitude, latitude_2, longitude_2 = map(math.radians, (*one, *other))
    chord = (math.sin((latitude_2 - latitude) / 2) ** 2
             + math.cos(latitude) * math.cos(latitude_2)
             * math.sin((longitude_2 - longitude) / 2) ** 2)
    return 2 * RADIUS_OF_EARTH * math.asin(min(1, math.sqrt(chord)))


def moved(place, bearing, kilometres):
    """Returns the place at a distance, in a direction in radians."""
    latitude, longitude = map(math.radians, place)
    angle = kilometres / RADIUS_OF_EARTH
    new = math.asin(math.sin(latitude) * math.cos(angle)
                    + math.cos(latitude) * math.sin(angle) * math.cos(bearing))
    east = math.atan2(math.sin(bearing) * math.sin(angle) * math.cos(latitude),
                      math.cos(angle) - math.sin(latitude) * math.sin(new))
    return (round(math.degrees(new), 6),
            round((math.degrees(longitude + east) + 180) % 360 - 180, 6))


def random_place(random):
    """Returns a place near one of the centres."""
    kilometres = LARGEST_KILOMETRES * math.sqrt(random.random())
    return moved(random.choice(CENTRES), random.uniform(0, 2 * math.pi), kilometres)


class Circle:
    def __init__(self, random):
        self.centre = random_place(random)
        self.kilometres = random.choice((5, 20, 60, 150)) * random.uniform(0.5, 1)
        units = random.choice(tuple(KILOMETRES))
        self.query = {"lat": self.centre[0], "lon": self.centre[1], "units": units,
                      "radius": round(self.kilometres / KILOMETRES[units], 3)}

    def may_contain(self, place):
        """Returns whether the region can contain a place."""
        return distance(self.centre, place) <= self.kilometres + 0.01


class Box:
    def __init__(self, random):
        # Boxes near a pole don't fit into the largest circle.
        latitude, longitude = moved(random.choice(CENTRES[:2]), random.uniform(0, 6.2),
                                    random.uniform(0, 100))
        height, width = random.uniform(0.05, 1), random.uniform(0.05, 1.2)
        self.south, self.north = round(latitude - height, 4), round(latitude + height, 4)
        self.west, self.east = (round((longitude + side + 180) % 360 - 180, 4)
                                for side in (-width, width))
        self.query = {"bbox": f"{self.west},{self.south},{self.east},{self.north}"}

    def may_contain(self, place):
        latitude, longitude = place
        if self.west <= self.east:
            inside = self.west <= longitude <= self.east
        else:
            inside = longitude >= self.west or longitude <= self.east
        return inside and self.south <= latitude <= self.north


class Polygon:
    def __init__(self, random):
        self.centre = random_place(random)
        count, turn = random.randint(3, 6), random.uniform(0, 6)
        points = [moved(self.centre, turn - 2 * math.pi * (n + random.uniform(0, 0.4)) / count,
                        random.uniform(20, 120)) for n in range(count)]
        self.query = {"within": ",".join(f"{point[1]},{point[0]}" for point in points)}

    def may_contain(self, place):
        """Returns whether the circle that contains the polygon contains a place."""
        return distance(self.centre, place) <= 121


def random_conditions(random):
    """Returns search parameters that many events match."""
    found = []
    if random.random() < 0.25:
        found.append(("category", ",".join(random.sample(CATEGORIES, random.randint(1, 2)))))
    if random.random() < 0.15:
        found.append(("tag", ",".join(random.sample(TAGS, random.randint(1, 2)))))
    if random.random() < 0.35:
        found.append(("status", random.choice(("any", "cancelled", "scheduled,postponed"))))
    if random.random() < 0.2:
        word = random.choice(WORDS)
        found.append(("q", random.choice((word, word[:2], word + " "))))
    first, last = sorted(random.sample(range(1, 10), 2))
    if random.random() < 0.25:
        found.append(("from", f"2036-06-0{first}T00:00:00"))
        found.append(("tz", random.choice(("UTC", "Europe/Brussels", "-08:00"))))
        if random.random() < 0.5:
            found.append(("ongoing", "false"))
    if random.random() < 0.15:
        found.append(("to", f"2036-06-0{last}"))
    return found


class Filter:
    """What a reader follows: a region, or the records of a user or of an account."""

    def __init__(self, random, kind, person):
        """Makes a filter of a kind; `person` is None for a region without a token."""
        self.kind, self.person = kind, person
        self.region = None
        if kind == "region":
            self.region = random.choice((Circle, Circle, Box, Polygon))(random)
            parameters = [*self.region.query.items(), *random_conditions(random)]
            random.shuffle(parameters)
            self.query = urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote)
        else:
            self.query = f"{kind}=1"

    @property
    def headers(self):
        return self.person.headers if self.person else {}

    def __str__(self):
        return f"{self.query} of {self.person.id if self.person else 'nobody'}"


def random_filters(random, count, people):
    """Returns filters; each person follows the own records, and the others are regions."""
    own = [Filter(random, kind, person) for person in people for kind in ("mine", "tasks")]
    return own + [Filter(random, "region", random.choice((None, *people)))
                  for _ in range(max(count - len(own), 1))]
