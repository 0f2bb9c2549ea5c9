"""The checks of `Tests/Sync/streams` of limits, and of the end of a server."""

import json
import random
import time

from stream_site import HEARTBEAT, QUERY, Site, await_true, expect, expect_change
from wire import is_ready


def limits(options):
    """503 comes exactly beyond each limit; beyond that of a token, the oldest ends."""
    with Site(options, LIMIT_STREAMS="5") as site:
        for _ in range(5):
            site.open()
        refused = site.open(awaits=False)
        refused.read_until(lambda wire: wire.is_ended, 3)
        expect(refused.status == 503 and refused.fields.get("retry-after") == "5"
               and b"Too many streams are open. Try again in a moment." in refused.rest,
               f"the sixth: {refused.status} {refused.fields} {refused.rest}")
        get = site.server.client().request("GET", f"/v1/changes?{QUERY}&since=now")
        expect(get.status == 200, f"a page beside full streams: {get}")
        cursor = json.loads(get.body)["cursor"]
        waiting = site.server.client().request(
            "GET", f"/v1/changes?{QUERY}&since={cursor}&wait=1")
        expect(waiting.status == 503, f"a request that waits needs a place: {waiting}")
    with Site(options, LIMIT_STREAMS_PER_ADDRESS="3") as site:
        # The proxy, which this script is, has no limit.
        for address, wanted in (("192.0.2.7", [200, 200, 200, 503, 503]), ("192.0.2.8", [200] * 3),
                                (None, [200] * 5)):
            headers = {"X-Forwarded-For": address} if address else {}
            statuses = [site.status(headers=headers) for _ in wanted]
            expect(statuses == wanted, f"of the address {address}: {statuses}")
    return ""


def tokens(options):
    """Beyond the limit of a token, its oldest stream ends."""
    with Site(options, LIMIT_STREAMS_PER_TOKEN="2") as site:
        wires = [site.open(headers=site.headers) for _ in range(2)]
        others = [site.open() for _ in range(3)]
        newest = site.open(headers=site.headers)
        expect(wires[0].read_until(lambda wire: wire.is_ended, 5), "the oldest did not end")
        last = wires[0].blocks[-1]
        expect(wires[0].is_complete and last.event == "end"
               and json.loads(last.data) == {"message": "Replaced by a newer stream"}, f"{last}")
        for wire in [wires[1], newest, *others]:
            expect_change(site, wire, "a change on another stream")
        # A storm of reconnections: only the newest two remain.
        many = [site.open(headers=site.headers, awaits=False) for _ in range(50)]
        time.sleep(1)
        for wire in many + [wires[1], newest]:
            wire.read(0.05)
        left = [wire for wire in many + [wires[1], newest] if not wire.is_ended]
        expect(len(left) == 2, f"after 50 streams at once, {len(left)} of a token are open")
    return ""


def places(options):
    """Thousands of connections in a row leave no place behind."""
    count, limit = (300 if options.short else 2000), 20
    with Site(options, LIMIT_STREAMS=str(limit)) as site:
        chance, refused, longest = random.Random(options.seed), 0, 0
        for _ in range(count):
            wire = site.open(awaits=False)
            way = chance.random()
            if way < 0.5:
                wire.read(0.01, limit=chance.randrange(1, 300))
            wire.close(resets=way < 0.9)
            if wire.status == 503:
                refused += 1
        began = time.monotonic()
        freed = await_true(lambda: all_open(site, limit), 10 * HEARTBEAT)
        expect(freed is not None, "places are lost")
        expect(site.status() == 503, "there are more places than before")
    return f"{count} connections, all {limit} places free after {freed:.1f} s"


def all_open(site, count):
    """Opens so many streams at once; closes them again if there are not enough places."""
    opened = [site.open(awaits=False) for _ in range(count)]
    for wire in opened:
        wire.read_until(lambda wire: wire.status is not None)
    if all(wire.status == 200 for wire in opened):
        return True
    for wire in opened:
        wire.close(True)
    time.sleep(0.3)
    return False


def shutdown(options):
    """At SIGTERM, each stream gets a random `retry` and the last chunk."""
    count = 100 if options.short else 500
    with Site(options) as site:
        wires = [site.open(awaits=False) for _ in range(count)]
        for wire in wires:
            expect(wire.read_until(is_ready), "no stream")
        began = time.monotonic()
        site.terminate()
        retries = []
        for wire in wires:
            expect(wire.read_until(lambda wire: wire.is_ended, 20), "a stream does not end")
            expect(wire.is_complete and not wire.rest and not wire.raw, f"cut: {wire.blocks[-1]}")
            retries.append(wire.blocks[-1].retry)
            # The client ends its side, too.
            wire.close()
        expect(all(retry and 1000 <= retry <= 10_000 for retry in retries), f"{retries}")
        expect(max(retries) - min(retries) > 4000, f"all come back at once: {sorted(retries)}")
        code = site.server.process.wait(20)
        seconds = time.monotonic() - began
        expect(code == 0, f"it ended with {code}")
    return f"{count} streams, the process ended after {seconds:.2f} s"
