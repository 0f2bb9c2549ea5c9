"""Connections to streams whose bytes are read as they come, and which can be cut at any byte."""

import os
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from transport import block  # noqa: E402

MOST_BYTES = 65536


class Malformed(Exception):
    """Bytes that are no chunked response, or no stream of events."""


class Wire:
    """A connection that requests a stream. `status` is None until the head has arrived.

    `blocks` has those that have arrived, and `rest` the bytes of the next one.
    """

    def __init__(self, port, path, headers={}, buffer=None, version="1.1", method="GET",
                 host="127.0.0.1"):
        self.socket = socket.socket()
        if buffer:
            # Before the connection, because it limits the window.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(30)
        self.socket.connect((host, port))
        self.raw, self.rest = b"", b""
        self.status, self.fields, self.blocks = None, {}, []
        self.is_ended = self.is_complete = False
        self.received = 0
        lines = [f"{method} {path} HTTP/{version}", "Host: a"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.head = "\r\n".join(lines).encode() + b"\r\n\r\n"

    def request(self):
        """Sends the request; returns itself."""
        self.socket.sendall(self.head)
        return self

    def read(self, seconds, limit=None, once=False):
        """Reads what arrives until nothing has come for some time, at most `limit` bytes.

        Returns whether the connection is still open.
        """
        left, is_first = limit, True
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        while not self.is_ended and left != 0 and (is_first or not once):
            is_first = False
            # Not select, whose descriptors are below 1024.
            if not poll.poll(seconds * 1000):
                break
            try:
                received = self.socket.recv(MOST_BYTES if left is None else min(left, MOST_BYTES))
            except OSError:
                received = b""
            if not received:
                self.is_ended = True
                break
            self.received += len(received)
            left = left and left - len(received)
            self.raw += received
            self._parse()
        return not self.is_ended

    def read_until(self, condition, seconds=20):
        """Reads until a condition of this wire is true; returns whether it became true."""
        deadline = time.monotonic() + seconds
        while not condition(self):
            if self.is_ended or time.monotonic() > deadline:
                return False
            self.read(0.02, once=True)
        return True

    def names(self):
        """Returns the names of the events that have arrived; "message" for ids alone."""
        return [block.event for block in self.blocks]

    def take(self):
        """Returns and removes the blocks that have arrived."""
        blocks, self.blocks = self.blocks, []
        return blocks

    def close(self, resets=False):
        if resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.is_ended = True

    def _parse(self):
        if self.status is None:
            head, separator, rest = self.raw.partition(b"\r\n\r\n")
            if not separator:
                return
            self.raw = rest
            first, *lines = head.decode("latin-1").split("\r\n")
            self.status = int(first.split()[1])
            for line in lines:
                name, _, value = line.partition(":")
                self.fields[name.lower()] = value.strip()
        if self.fields.get("transfer-encoding") == "chunked":
            self._decode()
        else:
            self.rest, self.raw = self.rest + self.raw, b""
        if self.fields.get("content-type", "").startswith("text/event-stream"):
            self._split()

    def _decode(self):
        """Moves the bytes of complete and partial chunks from `raw` to `rest`."""
        while (end := self.raw.find(b"\r\n")) >= 0:
            try:
                size = int(self.raw[:end], 16)
            except ValueError:
                raise Malformed(self.raw[:80]) from None
            chunk = self.raw[end + 2:end + 2 + size + 2]
            if len(chunk) < size + 2:
                return
            if not chunk.endswith(b"\r\n"):
                raise Malformed(chunk[-80:])
            self.rest += chunk[:-2]
            self.raw = self.raw[end + 2 + size + 2:]
            self.is_complete |= size == 0

    def _split(self):
        while (end := self.rest.find(b"\n\n")) >= 0:
            lines = self.rest[:end].decode().split("\n")
            self.blocks.append(block(lines))
            self.rest = self.rest[end + 2:]


def is_ready(wire):
    """Returns whether a stream has everything that there was at its beginning."""
    return any(block.event == "ready" for block in wire.blocks)


def number(cursor):
    """Returns the position of a cursor in the log, or None within a snapshot."""
    middle = cursor.split("-")[1]
    return int(middle) if middle.isdigit() else None
