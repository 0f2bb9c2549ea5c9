"""The checks of `Tests/Sync/streams` with one kind of client each."""

import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import time

import wire as network
from stream_site import FROM_NOW, HEARTBEAT, PATH, Site, await_true, expect, expect_change
from wire import is_ready


def curl(options):
    """curl prints each block at once."""
    with Site(options) as site, tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["curl", "-sNi", f"http://127.0.0.1:{site.port}{FROM_NOW}"], stdout=output)
        try:
            def text():
                return os.pread(output.fileno(), 1 << 20, 0).decode()

            expect(await_true(lambda: "event: ready" in text(), 10) is not None, text())
            site.create("of curl")
            expect(await_true(lambda: "of curl" in text(), 10) is not None, text())
            head = text().partition("\r\n\r\n")[0].lower()
            for field in ("content-type: text/event-stream; charset=utf-8", "connection: close",
                          "cache-control: no-store, no-transform", "x-accel-buffering: no"):
                expect(field in head, f"{field} is missing: {head}")
            site.terminate()
            expect(process.wait(20) == 0, "curl reports an incomplete response at SIGTERM")
        finally:
            process.kill()
    return ""


def trickle(options):
    """A request that arrives byte by byte."""
    with Site(options) as site:
        wire = network.Wire(site.port, FROM_NOW)
        site.wires.append(wire)
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in wire.head:
            wire.socket.sendall(bytes([byte]))
            time.sleep(0.002)
        expect(wire.read_until(is_ready), "no stream")
        expect_change(site, wire)
    return ""


def half_close(options):
    """A client that ends its sending side still reads."""
    with Site(options) as site:
        wire = site.open()
        wire.socket.shutdown(socket.SHUT_WR)
        time.sleep(2.5 * HEARTBEAT)
        expect_change(site, wire)
        expect(wire.read(0), "the stream ended")
    return ""


def reset(options):
    """A reset frees the place at once, and the end of a connection at the next heartbeat."""
    with Site(options, LIMIT_STREAMS="1") as site:
        times = []
        for resets in (True, False):
            wire = site.open()
            expect(site.status() == 503, "a second stream has a place")
            wire.close(resets)
            seconds = await_true(lambda: site.status() == 200, 4 * HEARTBEAT)
            expect(seconds is not None, f"the place is not free, reset: {resets}")
            times.append(seconds)
            site.wires[-1].close(True)
            await_true(lambda: site.status() == 200, 4)
            site.wires[-1].close(True)
            time.sleep(0.3)
        # In the middle of a snapshot.
        for number in range(200):
            site.create(f"{number} " + "x" * 200)
        for _ in range(5 if options.short else 50):
            wire = site.open(PATH, awaits=False, buffer=2048)
            wire.read(0.2, limit=3000)
            wire.close(True)
            expect(await_true(lambda: site.status() == 200, 4) is not None, "no place after RST")
            site.wires[-1].close(True)
            time.sleep(0.1)
    return f"free after a reset in {times[0]:.2f} s, after an end in {times[1]:.2f} s"


def stopped(options):
    """A process that is stopped for longer than heartbeats misses nothing."""
    with Site(options) as site, tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["curl", "-sN", f"http://127.0.0.1:{site.port}{FROM_NOW}"], stdout=output)
        try:
            def text():
                return os.pread(output.fileno(), 1 << 22, 0).decode()

            expect(await_true(lambda: "event: ready" in text(), 10) is not None, "no stream")
            process.send_signal(signal.SIGSTOP)
            client = site.server.client()
            # More than socket buffers and the stream have room for.
            made = [site.create("x" * 250, client, description="y" * 4000) for _ in range(400)]
            time.sleep(3 * HEARTBEAT)
            process.send_signal(signal.SIGCONT)
            last = f'"id":{made[-1]},'
            expect(await_true(lambda: f'"type":"event",{last}' in text(), 20) is not None,
                   f"the last of {len(made)} changes did not arrive")
            found = [line for line in text().split("\n") if line.startswith("data: {\"op\"")]
            got = [json.loads(line[6:])["id"] for line in found]
            expect(set(got) == set(made), f"missed {sorted(set(made) - set(got))}")
            again = len(got) - len(set(got))
            expect(again == 0, f"{again} changes arrived twice: {got}")
        finally:
            process.kill()
            process.wait()
    return f"{len(made)} changes arrived afterwards"


def http10(options):
    """HTTP/1.0 has no chunks, and HEAD no body."""
    with Site(options, LIMIT_STREAMS="1") as site:
        for _ in range(3):
            wire = site.open(awaits=False, method="HEAD")
            expect(not wire.read_until(lambda wire: False, 10), "")
            expect(wire.status == 200 and not wire.rest and not wire.raw, f"HEAD: {vars(wire)}")
            expect(wire.fields["content-type"].startswith("text/event-stream"), f"{wire.fields}")
            wire.close()
        wire = site.open(version="1.0")
        expect("transfer-encoding" not in wire.fields, "HTTP/1.0 has chunks")
        expect_change(site, wire)
        site.terminate()
        expect(wire.read_until(lambda wire: wire.is_ended), "it does not end")
        expect(wire.blocks[-1].retry and not wire.rest, f"the end: {wire.blocks[-1:]} {wire.rest}")
    return ""


def pipelined(options):
    """A request behind the stream gets no response, and the stream goes on."""
    with Site(options) as site:
        wire = network.Wire(site.port, FROM_NOW)
        site.wires.append(wire)
        other = b"GET /v1/events/1 HTTP/1.1\r\nHost: a\r\n\r\n"
        wire.socket.sendall(wire.head + other)
        expect(wire.read_until(is_ready), "no stream")
        expect_change(site, wire)
        wire.socket.sendall(other * 1000)
        expect_change(site, wire, "a change behind other requests")
        site.terminate()
        expect(wire.read_until(lambda wire: wire.is_complete, 10), "it has no last chunk")
        expect(not wire.raw, f"after the last chunk: {wire.raw[:80]}")
    return ""


def last_event_id(options):
    """Any `Last-Event-ID` gets a stream or 422."""
    chance = random.Random(options.seed)
    with Site(options, LIMIT_STREAMS="10000") as site:
        site.create()
        cursor = next(block.id for block in site.open(PATH).blocks if block.event == "ready")
        counts = {}
        for _ in range(150 if options.short else 3000):
            text = bytearray(cursor.encode("latin-1"))
            for _ in range(chance.randint(0, 4)):
                place = chance.randrange(len(text) + 1)
                kind = chance.randrange(3)
                new = chance.choice(b"0123456789abcdef-.. \t,%\xff9999")
                if kind == 0:
                    text.insert(place, new)
                elif place < len(text):
                    text[place:place + 1] = bytes([new]) if kind == 1 else b""
            if chance.random() < 0.1:
                text = bytearray(str(chance.getrandbits(chance.choice((8, 63, 64, 200)))).encode())
            wire = network.Wire(site.port, PATH)
            wire.head = wire.head[:-2] + b"Last-Event-ID: " + bytes(text) + b"\r\n\r\n"
            wire.request()
            expect(wire.read_until(lambda wire: wire.status in (400, 422) or is_ready(wire), 10),
                   f"Last-Event-ID {bytes(text)}: {wire.status} {wire.blocks}")
            counts[wire.status] = counts.get(wire.status, 0) + 1
            wire.close(True)
        expect(site.server.is_alive(), "the server has ended")
    return f"statuses {counts}"
