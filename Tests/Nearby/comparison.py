"""Compares a response with the model's response."""

import itertools
import re

# The maximum number of open choices to try in all combinations.
MAXIMUM_CHOICES = 6
CACHING = "max-age=0, private, must-revalidate"


def without_bearings(body):
    """Returns a body without its bearings and points of the compass."""
    body = re.sub(rb'"bearing":[0-9.]+', b"", body)
    body = re.sub(rb",[0-9.]*\r\n", b"\r\n", body)
    return re.sub(rb"(\d (?:km|mi|m)  ?)[NSEW]{1,2} *", rb"\1", body)


def difference(answer, response, mask=False):
    """Returns the first difference, or None; `mask` ignores bearings."""
    if response.status != answer.status:
        return f"status {response.status} instead of {answer.status}"
    for name, value in answer.headers.items():
        if response.headers.get(name) != value:
            return f"{name}: {response.headers.get(name)!r} instead of {value!r}"
    if answer.status == 200:
        if "etag" not in response.headers:
            return "etag: missing"
        if response.headers.get("cache-control") != CACHING:
            return f"cache-control: {response.headers.get('cache-control')!r}"
    if mask and without_bearings(response.body) == without_bearings(answer.body):
        return None
    if response.body != answer.body:
        return f"body differs at byte {_first_difference(answer.body, response.body)}"
    return None


def _first_difference(one, other):
    pairs = itertools.zip_longest(one, other)
    return next(index for index, (a, b) in enumerate(pairs) if a != b)


def compare(model, ask, response):
    """Returns the difference, and the choices that the specification leaves open, if any.

    - ask: a function that returns the model's answer.
    """
    answer = ask()
    problem = difference(answer, response)
    if problem is None or not answer.open:
        return problem, None
    kinds = {kind for kind, _ in answer.open}
    if kinds & {"cell", "cursor"} and response.status == answer.status == 200:
        return None, min(kinds & {"cell", "cursor"})
    mask = "antipode" in kinds
    if mask and difference(answer, response, mask) is None:
        return None, "antipode"
    choices = sorted(choice for choice in answer.open if choice[0] != "antipode")[:MAXIMUM_CHOICES]
    for count in range(1, len(choices) + 1):
        for flipped in itertools.combinations(choices, count):
            model.flipped = set(flipped)
            other = ask()
            # Events on the polygon's edge can be at the edge of a cell, too, as those at a pole are.
            is_at_cell = ("cell" in {kind for kind, _ in other.open}
                          and response.status == other.status == 200)
            if is_at_cell or difference(other, response, mask) is None:
                model.flipped = set()
                return None, "cell" if is_at_cell else flipped[0][0]
    model.flipped = set()
    return problem, None


def excerpt(expected, actual, reach=150):
    """Returns the parts of two bodies around their first difference."""
    if expected == actual:
        return ""
    start = max(0, _first_difference(expected, actual) - reach // 2)
    return (f"  expected from byte {start}: {expected[start:start + reach]!r}\n"
            f"  actual   from byte {start}: {actual[start:start + reach]!r}")
