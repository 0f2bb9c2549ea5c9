"""The checks of `Tests/Sync/streams` with many streams or many changes."""

import concurrent.futures
import json
import multiprocessing
import random
import resource
import threading
import time

import clients as load
import wire as network
from stream_site import PATH, QUERY, Site, expect
from wire import is_ready

LARGEST_RATIO, LARGEST_MB = 1.2, 16


def handover(options):
    """Events that are created, changed and deleted exactly while a stream opens are not lost."""
    counts = {"streams": 0, "again": 0, "events": 0}
    with Site(options) as site:
        for number in range(250):
            site.create(str(number))
        end = time.monotonic() + (5 if options.short else 60)
        stop, states, lock = threading.Event(), {}, threading.Lock()

        def write(seed):
            chance = random.Random(f"{options.seed} {seed}")
            client = site.nodes.servers[seed % site.nodes.count].client()
            own = []
            while not stop.is_set():
                way = chance.random()
                if way < 0.5 or not own:
                    own.append(site.create(f"{seed}", client))
                elif way < 0.7:
                    client.request("PATCH", f"/v1/events/{chance.choice(own)}", site.headers,
                                   json.dumps({"name": str(way)}).encode())
                else:
                    id = own.pop(chance.randrange(len(own)))
                    client.request("DELETE", f"/v1/events/{id}", site.headers)
                time.sleep(chance.random() * 0.004)
            with lock:
                counts["events"] += len(own)

        def read(seed):
            chance = random.Random(f"{options.seed} reader {seed}")
            found = []
            while time.monotonic() < end:
                # From the beginning, or from a cursor a moment ago.
                path = PATH
                if chance.random() < 0.7:
                    page = site.server.client().request("GET", f"/v1/changes?{QUERY}&since=now")
                    path = f"{PATH}&since={json.loads(page.body)['cursor']}"
                    time.sleep(chance.random() * 0.01)
                is_slow = chance.random() < 0.1
                wire = network.Wire(chance.choice(site.nodes.ports()), path,
                                    buffer=4096 if is_slow else None).request()
                if not is_slow:
                    wire.read_until(lambda wire: is_ready(wire) or wire.is_ended)
                for _ in range(chance.randrange(3)):
                    wire.read(0.01, chance.choice((None, 700)), once=True)
                found.append((wire, path == PATH))
                if len(found) > 30:
                    found.pop(0)[0].close(True)
                with lock:
                    counts["streams"] += 1
            return found

        writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
        for writer in writers:
            writer.start()
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            opened = sum(pool.map(read, range(3)), [])
        stop.set()
        for writer in writers:
            writer.join()
        latest = site.nodes.latest()
        wanted = {id: event["name"] for id, event in site.nodes.events(QUERY).items()}
        for wire, is_whole in opened:
            expect(wire.read_until(lambda wire: has_all(wire, latest), 20),
                   f"a stream stays behind {latest}: {wire.blocks[-1:]}")
            counts["again"] += check_blocks(wire, wanted if is_whole else None)
            wire.close()
    expect(counts["again"] == 0,
           f"{counts['again']} times, an event entered again or an id was less, in {counts}")
    return f"{counts}"


def has_all(wire, latest):
    """Returns whether a heartbeat has come after the last row of the log."""
    last = wire.blocks[-1] if wire.blocks else None
    return last is not None and last.event == "message" and last.id is not None \
        and (network.number(last.id) or 0) >= latest


def check_blocks(wire, wanted):
    """Compares the set of a stream with the wanted one.

    Returns how often an event entered again after `ready`, or an id was less than the last one.
    """
    known, again, is_after, last = {}, 0, False, -1
    for block in wire.blocks:
        if block.event == "reset":
            known, is_after = {}, False
        if block.id and (number := network.number(block.id)) is not None:
            again += number < last
            last = number
        if block.event == "ready":
            is_after = True
        elif block.event == "leave":
            known.pop(json.loads(block.data)["id"], None)
        elif block.event in ("enter", "change"):
            change = json.loads(block.data)
            again += is_after and block.event == "enter" and change["id"] in known
            known[change["id"]] = change["event"]["name"]
    if wanted is not None:
        expect(known == wanted, "a stream has another set: "
               f"{sorted(known.items() ^ wanted.items())[:6]}")
    return again


def slow_readers(options):
    """Readers that are slower than what happens miss nothing."""
    with Site(options) as site:
        chance, client = random.Random(options.seed), site.server.client()
        wires = [site.open(PATH, buffer=16384) for _ in range(6)]
        own = []
        for number in range(400 if options.short else 3000):
            if own and chance.random() < 0.5:
                id = chance.choice(own)
                if chance.random() < 0.3:
                    own.remove(id)
                    client.request("DELETE", f"/v1/events/{id}", site.headers)
                else:
                    client.request("PATCH", f"/v1/events/{id}", site.headers,
                                   json.dumps({"name": f"new {number}"}).encode())
            else:
                own.append(site.create(str(number), client, description="y" * 1500))
            wires[number % len(wires)].read(0, chance.randrange(20_000))
        latest = site.nodes.latest()
        wanted = {id: event["name"] for id, event in site.nodes.events(QUERY).items()}
        blocks = 0
        for wire in wires:
            expect(wire.read_until(lambda wire: has_all(wire, latest), 120),
                   f"a stream stays behind: {wire.blocks[-1:]}")
            again = check_blocks(wire, wanted)
            expect(again == 0, f"{again} times, an event entered again or an id was less")
            blocks += len(wire.blocks)
    return f"{latest} changes, {blocks // len(wires)} blocks a stream"


def never_read(options):
    """Clients that never read hardly slow others, and take little memory."""
    count, seconds = (200, 1) if options.short else (1000, 8)
    with Site(options) as site:
        client = site.server.client()
        for number in range(500):
            site.create(f"{number}", client, description="y" * options.description)
        measure(site, 2)
        without, before, queued = measure(site, seconds), site.megabytes(), socket_megabytes()
        for _ in range(count):
            site.open(PATH, awaits=False, buffer=2048)
        for _ in range(100):
            site.create("new", client, description="y" * options.description)
            time.sleep(0.02)
        beside, after = measure(site, seconds), site.megabytes()
        queued = socket_megabytes() - queued
        statuses = set()
        for wire in site.wires[:20]:
            wire.read(0.1, 2000)
            statuses.add(wire.status)
        expect(statuses == {200}, f"statuses {statuses}")
    figures = (f"{count} clients: p99 {without:.2f} ms without, {beside:.2f} ms beside; "
               f"{before:.0f} MB, then {after:.0f} MB, and {queued:.0f} MB of sockets")
    if not options.short:
        expect(beside <= without * LARGEST_RATIO and after - before <= LARGEST_MB, figures)
    return figures


def socket_megabytes():
    """Returns the memory of all TCP sockets of this machine."""
    with open("/proc/net/sockstat") as file:
        pages = next(line for line in file if line.startswith("TCP:")).split()[-1]
    return int(pages) * resource.getpagesize() / 1e6


def measure(site, seconds):
    """Returns the 99th percentile of GET in ms, while events are created."""
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=load.good, args=(site.port, 300, seconds, results))
    process.start()
    end = time.monotonic() + seconds
    client = site.server.client()
    while time.monotonic() < end:
        site.create("beside", client)
        time.sleep(0.02)
    durations, failures = results.get()
    process.join()
    expect(not failures, f"{failures[:3]}")
    return load.percentile(durations, 0.99)


def idle(options):
    """Idle streams need little CPU and memory."""
    count, seconds = (200, 2) if options.short else (5000, 60)
    with Site(options, STREAM_HEARTBEAT_S="1" if options.short else "20",
              LIMIT_STREAMS="20000") as site:
        before = site.megabytes()
        for number in range(count):
            site.open(f"/v1/changes/stream?lat={number % 80}&lon={number / 30:.3f}&radius=5"
                      "&since=now", awaits=False)
        for wire in site.wires:
            expect(wire.read_until(is_ready), f"no stream: {wire.status}")
        memory, cpu, began = site.megabytes(), site.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        share = (site.cpu_seconds() - cpu) / (time.monotonic() - began)
        for wire in site.wires:
            wire.read(0)
            expect("message" in wire.names(), "no heartbeat")
    return (f"{count} streams: {share * 100:.1f} % of a core, "
            f"{(memory - before) * 1024 / count:.1f} kB each")
