"""Distances, bearings, polygons, boxes and map cells on a sphere."""

import math

RADIUS_MM = 6_371_000_000.0
MM_PER_UNIT = {"km": 1_000_000, "m": 1_000, "mi": 1_609_344}
# A place within this distance of a polygon's edge counts as on the edge, in radians: 6 mm.
EDGE = 1e-9
METRE = 1 / 6_371_000.0


def wrapped(longitude):
    """Returns a longitude of any size between -180 and 180."""
    return math.remainder(longitude, 360)


def _angles(origin, place):
    phi1, phi2 = math.radians(origin[0]), math.radians(place[0])
    delta = math.radians(place[1]) - math.radians(origin[1])
    east = math.sin(delta) * math.cos(phi2)
    north = (math.cos(phi1) * math.sin(phi2)
             - math.sin(phi1) * math.cos(phi2) * math.cos(delta))
    up = (math.sin(phi1) * math.sin(phi2)
          + math.cos(phi1) * math.cos(phi2) * math.cos(delta))
    return east, north, up


def canonical(place):
    """Returns the same coordinates for equal places."""
    if abs(place[0]) == 90:
        return place[0], 0.0
    return place[0], 180.0 if place[1] == -180 else place[1]


class Direction:
    """The distance and bearing of a place, and whether rounding could differ.

    Another formula of the same accuracy can round to the adjacent number if the exact value is
    nearly halfway between two numbers.
    """

    def __init__(self, origin, place):
        east, north, up = _angles(origin, place)
        exact = RADIUS_MM * math.atan2(math.hypot(east, north), up)
        # The great-circle distance in whole millimetres, rounded half up.
        self.millimetres = math.floor(exact + 0.5)
        self.other_millimetres = _neighbour(exact, 1e-3)
        # The initial bearing in tenths of a degree, 0 to 3599.
        tenths = math.degrees(math.atan2(east, north)) % 360 * 10
        self.tenths = math.floor(tenths + 0.5) % 3600
        # The accuracy of a bearing depends on the distance from the place and from its antipode.
        reach = min(exact, math.pi * RADIUS_MM - exact)
        self.is_aimless = reach < 1
        neighbour = _neighbour(tenths, 1e-6 + 0.01 / max(reach, 0.01))
        self.other_tenths = None if neighbour is None else neighbour % 3600


def mean_degrees(values):
    """Returns the mean to 1e-5 degrees, rounded half up, and the other possible rounding."""
    exact = math.fsum(values) / len(values) * 1e5
    neighbour = _neighbour(exact, 1e-4)
    return math.floor(exact + 0.5) / 1e5, None if neighbour is None else neighbour / 1e5


def _neighbour(exact, slack):
    """Returns the other possible rounding of a number within `slack` of a half."""
    rounded = math.floor(exact + 0.5)
    if abs(exact - math.floor(exact) - 0.5) >= slack:
        return None
    return rounded - 1 if exact >= rounded - 0.5 and exact < rounded else rounded + 1


def vector(place):
    """Returns the point on the sphere of radius 1."""
    latitude, longitude = canonical(place)
    phi, theta = math.radians(latitude), math.radians(longitude)
    return (math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    """Returns the vector with length 1, or None if it has no direction."""
    length = math.sqrt(dot(a, a))
    return tuple(x / length for x in a) if length > 1e-9 else None


class Polygon:
    """A polygon whose edges are great circles, with the even-odd rule."""

    def __init__(self, places):
        self.corners = [vector(place) for place in places]
        self.center = unit(tuple(map(sum, zip(*self.corners))))

    @property
    def is_too_wide(self):
        """Whether a corner is 90° or more from the corners' mean."""
        return self.center is None or any(dot(self.center, c) <= 1e-15 for c in self.corners)

    def contains(self, place):
        """Counts the edges that the great-circle arc to a place far outside crosses.

        The arc ends at the edge of the hemisphere around the center, which contains all edges.
        """
        point = vector(place)
        height = dot(point, self.center)
        if height <= 1e-15:
            return False
        # The gnomonic projection makes great circles straight lines.
        base = (0.0, 1.0, 0.0) if abs(self.center[1]) < 0.7 else (0.0, 0.0, 1.0)
        right = unit(cross(base, self.center))
        top = cross(self.center, right)

        def flat(v):
            scale = dot(v, self.center)
            return dot(v, right) / scale, dot(v, top) / scale

        x, y = flat(point)
        inside = False
        corners = [flat(corner) for corner in self.corners]
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
            # A ray to the right crosses the edges that begin and end on different sides.
            if (x1 > x) != (x2 > x) and y < y1 + (x - x1) / (x2 - x1) * (y2 - y1):
                inside = not inside
        return inside

    def has_on_edge(self, place):
        """Returns whether a place is so near to an edge that it may count as inside or outside."""
        point = vector(place)
        if abs(dot(point, self.center)) < EDGE:
            return True
        for a, b in zip(self.corners, self.corners[1:] + self.corners[:1]):
            if math.dist(point, a) < EDGE:
                return True
            normal = unit(cross(a, b)) if math.dist(a, b) > 1e-9 else None
            if normal and abs(dot(point, normal)) < EDGE:
                if dot(point, a) + dot(point, b) > 0:
                    return True
        return False


class Box:
    """A box between two meridians and two parallels, all inclusive."""

    def __init__(self, west, south, east, north):
        self.south, self.north = south, north
        self.is_around = east - west >= 360
        self.west, self.east = wrapped(west), wrapped(east)

    def contains(self, place):
        if not self.south <= place[0] <= self.north:
            return False
        if self.is_around:
            return True
        # -180 and 180 are the same meridian.
        same = (180.0, -180.0) if abs(place[1]) == 180 else (place[1],)
        return any(self._between(longitude) for longitude in same)

    def _between(self, longitude):
        if self.west <= self.east:
            return self.west <= longitude <= self.east
        return longitude >= self.west or longitude <= self.east

    def cell_count(self, zoom):
        """Returns the number of the map's cells that the box touches."""
        side = 2 ** (zoom + 2)
        top, bottom = row(self.north, side), row(self.south, side)
        left, right = column(self.west, side), column(self.east, side)
        if self.is_around:
            columns = side
        elif self.west <= self.east:
            columns = right - left + 1
        else:
            columns = min(side, side - left + right + 1)
        return columns * (bottom - top + 1)


def column(longitude, side):
    """Returns the column of a Web Mercator tile; there are `side` columns."""
    return min(side - 1, max(0, math.floor((longitude + 180) / 360 * side)))


def row_position(latitude):
    """Returns the vertical position of a latitude on the map: 0 at the top, 1 at the bottom."""
    if abs(latitude) >= 89.9:
        return -1.0 if latitude > 0 else 2.0
    return (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2


def row(latitude, side):
    """Returns the row of a Web Mercator tile; there are `side` rows."""
    return min(side - 1, max(0, math.floor(row_position(latitude) * side)))


def is_at_cell_edge(place, zoom):
    """Returns whether a place is within 1 m of the edge of a cell."""
    side = 2 ** (zoom + 2)
    x, y = (place[1] + 180) / 360 * side, row_position(place[0]) * side
    # Near the poles, a metre is a larger part of a cell, and the map ends.
    wide = max(math.cos(math.radians(place[0])), 1e-9)
    reach = METRE / (2 * math.pi) * side / wide * 1.01
    return abs(x - round(x)) <= reach or (0 < y < side and abs(y - round(y)) <= reach)
