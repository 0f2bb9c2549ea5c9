#!/usr/bin/env python3
"""Draws world.svg, the map of the page at `/`: a dot for every 2 degrees of land.

    pip install global-land-mask==1.0.0
    pages/make-world.py > pages/world.svg

The land comes from NOAA's GLOBE elevation data, which is in the public domain. A row of adjacent dots
is one dashed line with round ends, so that the whole world takes 3.6 kB. welcome.js uses the same
constants to place events.
"""

import numpy
from global_land_mask import globe

STEP = 2
NORTH, SOUTH = 78, -56
# Stretches the map, so that middle latitudes, where most people live, look familiar.
STRETCH = 1.22
# The minimum share of land in the square of a dot.
LAND = 0.3
SAMPLES = (numpy.arange(8) + 0.5) / 8


def is_land(column, row):
    latitudes = NORTH - (row + SAMPLES) * STEP / STRETCH
    longitudes = -180 + (column + SAMPLES) * STEP
    return globe.is_land(*numpy.meshgrid(latitudes, longitudes)).mean() >= LAND


def lines(columns, rows):
    """Yields the commands of a path for each run of land."""
    for row in range(rows):
        begin = None
        for column in range(columns + 1):
            land = column < columns and is_land(column, row)
            if land and begin is None:
                begin = column
            if not land and begin is not None:
                yield f"M{begin} {row}h{column - 1 - begin}"
                begin = None


columns, rows = 360 // STEP, int((NORTH - SOUTH) * STRETCH / STEP)
print(
    f'<svg viewBox="-0.5 -0.5 {columns} {rows}" role="img" aria-label="Map of the world">'
    f'<path class="land" d="{"".join(lines(columns, rows))}"/></svg>',
    end="",
)
