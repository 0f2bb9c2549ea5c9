"""The server of each check of `Tests/Sync/streams`, and what the checks share."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Load"))
import clients as load  # noqa: E402
import nodes as servers  # noqa: E402
import wire as network  # noqa: E402
from nodes import harness  # noqa: E402
from wire import is_ready  # noqa: E402

QUERY = "lat=51&lon=4&radius=5"
PATH = f"/v1/changes/stream?{QUERY}"
FROM_NOW = f"{PATH}&since=now"
HEARTBEAT = 1


class Site:
    """A server, a user, and streams that end with it."""

    def __init__(self, options, **settings):
        defaults = {"STREAM_HEARTBEAT_S": str(HEARTBEAT), "LIMIT_STREAMS_PER_ADDRESS": "100000",
                    "LIMIT_CONNECTIONS": "20000"}
        self.nodes = servers.Nodes(os.path.realpath(options.program), options.storage,
                                   **{**defaults, **settings})
        self.server = self.nodes.servers[0]
        self.port = self.server.port
        self.user, self.headers = self.nodes.user("a")
        self.wires = []
        self.is_terminated = False

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for wire in self.wires:
            wire.close()
        # A second signal would end it at once.
        code = self.server.process.wait(30) if self.is_terminated else 0
        problems = self.nodes.close() + ([f"the server ended with {code}"] if code else [])
        if problems and kind is None:
            raise harness.Failure("; ".join(problems))

    def create(self, name="a", client=None, **values):
        body = json.dumps({"name": name, "lat": 51, "lon": 4,
                           "started_at": "2036-06-01T18:00:00Z", **values}).encode()
        response = (client or self.server.client()).request(
            "POST", "/v1/events", self.headers, body)
        if response.status != 200:
            raise harness.Failure(f"{response}")
        return json.loads(response.body)["id"]

    def open(self, path=FROM_NOW, headers={}, awaits=True, **options):
        """Opens a stream; by default, returns it once it is ready."""
        wire = network.Wire(self.port, path, headers, **options)
        self.wires.append(wire)
        wire.request()
        if awaits:
            expect(wire.read_until(is_ready), f"no ready: {wire.status} {wire.fields} {wire.rest}")
        return wire

    def status(self, path=FROM_NOW, **options):
        """Returns the status of a stream, which stays open if there is one."""
        wire = self.open(path, awaits=False, **options)
        wire.read_until(lambda wire: wire.status is not None)
        if wire.status != 200:
            wire.read(0.5)
            wire.close()
        return wire.status

    def terminate(self):
        """Sends SIGTERM. The server ends once its clients have."""
        self.server.process.terminate()
        self.is_terminated = True

    def megabytes(self):
        return load.resident_megabytes(self.server)

    def cpu_seconds(self):
        with open(f"/proc/{self.server.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def expect(condition, text):
    if not condition:
        raise harness.Failure(text)


def expect_change(site, wire, what="a change"):
    """Creates an event, which must reach a stream."""
    id = site.create()
    expect(wire.read_until(lambda wire: str(id) in ids(wire, "enter")), f"{what} did not arrive")


def ids(wire, name):
    return [str(json.loads(block.data)["id"]) for block in wire.blocks if block.event == name]


def await_true(condition, seconds):
    """Waits for a condition; returns the seconds, or None if it did not become true."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            return None
        time.sleep(0.005)
    return time.monotonic() - began
