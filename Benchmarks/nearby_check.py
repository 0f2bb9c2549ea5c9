"""Checks that the servers of `Benchmarks/nearby` find the same events."""

import base64
import json
import random
import sys

from nearby_queries import GREATEST_ID, HUMON_ONLY, PER_PAGE, Request

SAMPLES = 10
POINTS = 100
MOST_PAGES = 100
# Two millimeters: PostGIS doesn't round distances.
TOLERANCE_KM = 2e-6


def differ(servers, target, contents):
    """Exits with the first difference of two responses."""
    first, second = (str(content) for content in contents)
    pairs = enumerate(zip(first, second))
    place = next((at for at, (left, right) in pairs if left != right), min(len(first), len(second)))
    names = " and ".join(server.name for server in servers)
    parts = (text[max(place - 200, 0):place + 200] for text in (first, second))
    sys.exit(f"{names} differ at {target}, character {place}:\n" + "\n".join(parts))


def check_humon(humons, requests, queries):
    """Exits if Humon's servers return different events.

    Returns the mean number of rows by query, and the statuses of rejected queries by server and
    query.
    """
    counts, rejected, bounded = {}, {}, set()
    for query in queries:
        rows = []
        for request in requests[query.name][:SAMPLES]:
            target = request.target(True)
            headers = dict(header.split(": ", 1) for header in request.headers)
            contents = []
            for server in humons:
                status, _, body = server.fetch(target, headers)
                if status != (304 if query.name == "unchanged" else 200):
                    if (server.name, query.name) not in rejected:
                        print(f"{server.name} responds with {status} to {target}: "
                              f"{body.decode()}", file=sys.stderr)
                    rejected[server.name, query.name] = status
                    continue
                events, position = split(body)
                contents.append((status, events))
                if is_bounded(position) and server is not humons[0]:
                    # A search that reaches its limit ends early; `next` leads to the rest.
                    bounded.add(f"{server.name}: {query.name}")
                elif contents[-1] != contents[0]:
                    differ([humons[0], server], target, [contents[0], contents[-1]])
            rows += [row_count(events) for _, events in contents[:1]]
        counts[query.name] = sum(rows) / max(len(rows), 1)
    for text in sorted(bounded):
        print(f"Searches that reached their bound, not compared: {text}", file=sys.stderr)
    return counts, rejected


def split(body):
    """Returns the body without `next`, and `next`."""
    content = json.loads(body or "[]")
    position = content.pop("next", None) if isinstance(content, dict) else None
    return content, position


def is_bounded(position):
    """Returns whether a search stopped at its limit: then the cursor has the greatest id."""
    return position is not None and base64.urlsafe_b64decode(position)[-8:] == GREATEST_ID


def row_count(content):
    if isinstance(content, dict):
        content = content.get("events", content.get("clusters", []))
    return len(content)


def check_postgis(humon, postgis, maker, requests, queries):
    """Exits if PostGIS finds other events, for 100 points or for samples of each query."""
    generator = random.Random(5)
    anywhere = [
        Request("/v1/events", {"lat": f"{generator.uniform(-90, 90):.4f}",
                               "lon": f"{generator.uniform(-180, 180):.4f}"}, {}, {})
        for _ in range(POINTS // 2)
    ]
    samples = maker.make("nearest", POINTS - len(anywhere)) + anywhere
    for query in queries:
        if query.name not in HUMON_ONLY:
            samples += requests[query.name][:SAMPLES]
    followed = 0
    for request in samples:
        other = json.loads(postgis.fetch(request.target(False))[2])
        own, pages = full_page(humon, request.target(True))
        followed += pages > 1
        if isinstance(other, dict):
            other = other["events"]
        if not are_equal(own[:len(other)] if pages > 1 else own, other):
            differ([humon, postgis], request.target(True), [own, other])
    if followed:
        print(f"Searches that needed more than one page for 20 events: {followed}",
              file=sys.stderr)


def full_page(humon, target):
    """Returns the events of a page and the number of requests; short pages are continued."""
    content = json.loads(humon.fetch(target)[2])
    if not isinstance(content, dict):
        return content, 1
    events, pages = content["events"], 1
    while len(events) < PER_PAGE and is_bounded(content["next"]) and pages < MOST_PAGES:
        path = target.split("&cursor=")[0]
        content = json.loads(humon.fetch(f"{path}&cursor={content['next']}")[2])
        events, pages = events + content["events"], pages + 1
    return events, pages


def are_equal(own, other):
    """Returns whether both have the same events in order; equal distances can be swapped."""
    if len(own) != len(other):
        return False
    distances = {event["id"]: event.get("distance", event["id"]) for event in other}
    for left, right in zip(own, other):
        if left["id"] not in distances:
            return False
        for event in (left, right):
            if abs(distances[event["id"]] - distances[right["id"]]) > TOLERANCE_KM:
                return False
        distance = left.get("distance")
        if distance is not None and abs(distance - distances[left["id"]]) > TOLERANCE_KM:
            return False
    return True
