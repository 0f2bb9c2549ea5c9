#!/usr/bin/env python3
"""Creates world.txt, the land, lakes, borders and names of the map, from Natural Earth.

    make-world.py FOLDER > world.txt        (needs pyshp and shapely)

Natural Earth (https://www.naturalearthdata.com) is in the public domain. FOLDER contains its
ne_10m_land.shp, ne_10m_lakes.shp, ne_10m_admin_0_boundary_lines_land.shp,
ne_110m_admin_0_countries.{shp,dbf} and ne_110m_populated_places (as naturalearth_cities.{shp,dbf}).

The file has sections that begin with a line `= name`. In land, lakes and borders, each line is a
ring or a line. Its numbers in base 45 (see `number`) are the steps from each point to the next, in
units of 0.002 degrees, longitude first. The first step starts at the first point of the previous
line. In countries and cities, each line is `name|longitude|latitude|rank`, the largest first.
"""
import heapq
import math
import sys

import shapefile
from shapely.geometry import LineString, MultiLineString
from shapely.ops import linemerge

UNIT = 0.002
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "."


def read(name, with_records=False):
    if with_records:
        return shapefile.Reader(f"{FOLDER}/{name}").shapeRecords()
    with open(f"{FOLDER}/{name}.shp", "rb") as file:
        return shapefile.Reader(shp=file).shapes()


def parts(shape):
    ends = list(shape.parts[1:]) + [len(shape.points)]
    return [shape.points[start:end] for start, end in zip(shape.parts, ends)]


CITIES = read("naturalearth_cities", with_records=True)
# A grid of cells of 0.25 degrees that are near a large city.
NEAR = set()


def cell(point):
    return (math.floor(point[0] * 4), math.floor(point[1] * 4))


for city in CITIES:
    x, y = cell(city.shape.points[0])
    NEAR.update((x + i, y + j) for i in range(-2, 3) for j in range(-2, 3))


def area(a, b, c):
    """Returns the area of a triangle in km2, weighted more near cities and less near poles."""
    scale = math.cos(math.radians(max(-85, min(85, b[1]))))
    size = abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
    size *= scale * 111.2 * 111.2 / 2
    if cell(b) in NEAR:
        return size * NEARNESS
    if b[1] < -60:
        return size / 200
    return size / 10 if b[1] > 62 else size


def simplified(points, least):
    """Removes the points with the smallest triangles (Visvalingam and Whyatt, 1993)."""
    count = len(points)
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    alive, sizes = [True] * count, [math.inf] * count
    heap = []
    for i in range(1, count - 1):
        sizes[i] = area(points[i - 1], points[i], points[i + 1])
        heap.append((sizes[i], i))
    heapq.heapify(heap)
    while heap:
        size, i = heapq.heappop(heap)
        if not alive[i] or size != sizes[i]:
            continue
        if size >= least:
            break
        alive[i] = False
        left, right = before[i], after[i]
        after[left], before[right] = right, left
        for j in (left, right):
            if 0 < j < count - 1:
                sizes[j] = max(size, area(points[before[j]], points[j], points[after[j]]))
                heapq.heappush(heap, (sizes[j], j))
    return [point for point, stays in zip(points, alive) if stays]


def ring_area(points):
    scale = math.cos(math.radians(points[0][1]))
    total = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1]))
    return abs(total) / 2 * scale * 111.2 * 111.2


def number(value):
    """Encodes an integer: zigzag, then digits in base 45, lowest first; all but the last from 'R'."""
    value = value * 2 if value >= 0 else -value * 2 - 1
    text = ""
    while value >= 45:
        text += chr(0x25 + 45 + value % 45)
        value //= 45
    return text + chr(0x25 + value)


def encoded(lines, is_closed):
    output, start = [], (0, 0)
    for points in lines:
        units = [(round(x / UNIT), round(y / UNIT)) for x, y in points]
        if is_closed and units[0] == units[-1]:
            units.pop()
        steps = [b for a, b in zip([None] + units, units) if a != b]
        if len(steps) < (3 if is_closed else 2):
            continue
        text, last = "", start
        for point in steps:
            text += number(point[0] - last[0]) + number(point[1] - last[1])
            last = point
        start = steps[0]
        output.append(text)
    return output


def rings(name, least, smallest):
    kept = []
    for shape in read(name):
        for points in parts(shape):
            weight = 40 if cell(points[0]) in NEAR else 1
            if points[0][1] > 62: weight = 1 / 4
            if points[0][1] < -60: weight = 1 / 40
            if ring_area(points) * weight < smallest:
                continue
            kept.append(simplified(points, least))
    return encoded(kept, is_closed=True)


def borders(least):
    pieces = [LineString(points) for shape in read("ne_10m_admin_0_boundary_lines_land")
              for points in parts(shape)]
    lines = linemerge(MultiLineString(pieces)).geoms
    return encoded([simplified(list(line.coords), least) for line in lines], is_closed=False)


def names():
    countries = []
    for item in read("ne_110m_admin_0_countries", with_records=True):
        row = item.record.as_dict()
        countries.append((row["MIN_LABEL"], row["NAME_EN"] if len(row["NAME_EN"]) < 22 else row["NAME"], row["LABEL_X"], row["LABEL_Y"]))
    countries.sort()
    cities = [(rank, city.record[0], *city.shape.points[0])
              for rank, city in enumerate(reversed(CITIES))]
    return [
        [f"{name}|{x:.2f}|{y:.2f}|{rank:g}" for rank, name, x, y in rows]
        for rows in (countries, cities)
    ]


LAND, SMALLEST, LAKES, BORDERS, NEARNESS = map(
    float, sys.argv[2:7] or "56 115 160 230 300".split()
)
country_names, city_names = names()
for title, lines in [
    ("land", rings("ne_10m_land", LAND, SMALLEST)), ("lakes", rings("ne_10m_lakes", LAKES, 900)),
    ("borders", borders(BORDERS)), ("countries", country_names), ("cities", city_names),
]:
    print(f"= {title}")
    print("\n".join(lines))
    size = sum(len(line) + 1 for line in lines)
    print(f"{title}: {len(lines)} lines, {size} bytes", file=sys.stderr)
