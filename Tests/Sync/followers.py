"""The readers of `Tests/Sync/oracle` that follow streams."""

import json
import random
import time
from urllib.parse import quote

import readers
import wire as network
from nodes import harness

# The time in which a stream must have everything: heartbeats and looks at the log of others take
# a second each.
LIMIT_SECONDS = 30


class Follower(readers.Reader):
    """A client that follows a stream, which is cut at any byte, and sometimes reads pages."""

    def __init__(self, number, filter, nodes, seed, history):
        super().__init__(number, filter, nodes, random.Random(f"{seed} {number}"), history)
        self.wire = self.last = None
        self.blocks = self.cuts = self.streams = self.resets = self.ends = 0

    def begin(self):
        super().begin()
        # The step at which everything that had been sent was read.
        self.settled = self.history.step

    def close(self):
        self.end()
        super().close()

    def end(self, resets=False):
        if self.wire:
            self.wire.close(resets)
            self.wire = None

    # A step of its life

    def step(self):
        """Reads what has arrived, and sometimes dies, or goes on from an older state."""
        way, cut, count = self.random.random(), self.random.random(), self.random.randrange(3000)
        if way < 0.1:
            # The hand-over from pages to the stream.
            self.end()
            super().step()
            return
        if not self.wire:
            self.open()
        # A client that reads little at once is behind what happens.
        limit = count if cut < 0.1 else 500 if way < 0.3 else None
        self.read(0.02 if way < 0.5 else 0, limit)
        if cut < 0.1 and self.wire:
            self.cuts += 1
            self.end(resets=cut < 0.05)

    def open(self):
        """Opens a stream from the stored cursor on one of the servers."""
        query, headers = self.filter.query, dict(self.filter.headers)
        cursor, _ = self._cursor(query)
        path = f"/v1/changes/stream?{query}"
        if self.random.random() < 0.5 and cursor != "0":
            # It precedes the parameter.
            headers["Last-Event-ID"] = cursor
            path += self.random.choice(("", "&since=now"))
        elif cursor != "0":
            path += f"&since={quote(cursor)}"
        self.settled = self.history.step
        self.last = None
        try:
            self.wire = network.Wire(self.random.choice(self.nodes.ports()), path, headers,
                                     self.random.choice((None, 4096))).request()
            self.streams += 1
        except OSError:
            # The server is not there at the moment.
            self.wire = None

    def read(self, seconds, limit=None):
        """Applies what arrives, each block in a transaction."""
        if not self.wire:
            return
        try:
            is_open = self.wire.read(seconds, limit)
        except network.Malformed as error:
            raise harness.Failure(f"{self.filter}: malformed: {error}") from error
        for block in self.wire.take():
            self.apply(block)
        if self.wire.status not in (None, 200, 503):
            raise harness.Failure(f"{self.filter}: {self.wire.status} {self.wire.rest}")
        if not is_open or self.wire.status == 503:
            self.ends += 1
            self.end()

    def apply(self, block):
        self.trail.append(tuple(block))
        del self.trail[:-20]
        self.blocks += 1
        if block.event == "end":
            raise harness.Failure(f"{self.filter}: the stream ended with {block}")
        self.check_order(block)
        if block.event == "reset":
            self.resets += 1
            since = self.settled
            self.begin()
            # The server began the set anew after it, but possibly before the last write.
            self.since = self.settled = since
        elif block.event in ("enter", "change", "leave"):
            change = json.loads(block.data)
            if change["op"] != block.event:
                raise harness.Failure(f"{self.filter}: {block}")
            self.received.append(change)
        self._receive(self.filter.query, block)

    def check_order(self, block):
        """Checks that the ids of a stream ascend, because it would repeat changes otherwise."""
        number = network.number(block.id) if block.id else None
        if number is None:
            return
        epoch = block.id.partition("-")[0]
        if self.last and self.last[0] == epoch and number < self.last[1]:
            raise harness.Failure(f"{self.filter}: {block.id} after {self.last}: {self.trail[-5:]}")
        self.last = epoch, number

    def catch_up(self):
        """Reads until the cursor is that of the last row of the log."""
        latest = self.nodes.latest()
        deadline = time.monotonic() + LIMIT_SECONDS
        while not self.has_all(latest):
            if time.monotonic() > deadline:
                raise harness.Failure(
                    f"{self.filter}: the cursor is not {latest} after {LIMIT_SECONDS} s: "
                    f"{self.trail[-3:]}")
            if not self.wire:
                self.open()
            self.read(0.05)
        self.settled = self.history.step

    def has_all(self, latest):
        cursor, is_staging = self._cursor(self.filter.query)
        if is_staging or not self.wire:
            return False
        number = network.number(cursor)
        return number is not None and number >= latest
