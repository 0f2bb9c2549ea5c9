"""Requests over a persistent connection, which either have a complete response or none, and streams
of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

import collections
import http.client
import json
import urllib.parse

Response = collections.namedtuple("Response", "status headers body")

# A block of a stream. What it does not have is None, and its event then "message".
Block = collections.namedtuple("Block", "event id data retry")

# The request may have arrived, and the server may have executed it.
NOTHING = Response(None, {}, b"")


class Connection:
    """A connection to a server, such as "https://events.example.com"."""

    def __init__(self, server, timeout):
        self.server = server
        address = urllib.parse.urlsplit(server)
        secure = address.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self.connection = connect(address.hostname, address.port, timeout=timeout)

    def request(self, method, path, headers, body):
        """Sends a request. Returns `NOTHING` if no complete response has arrived."""
        try:
            self.connection.request(method, path, body and body.encode(), headers)
            response = self.connection.getresponse()
            body = response.read()
            if response.length is None and not response.chunked:
                # Python accepts a header that was cut before the length of the body.
                raise http.client.IncompleteRead(body)
            return Response(response.status, response.headers, body)
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return NOTHING

    def stream(self, path, headers, silence):
        """Opens a stream on a connection of its own, which ends after `silence` seconds without a
        byte. Returns the response: its body is an iterator of blocks if the status is 200."""
        connection = Connection(self.server, silence).connection
        try:
            connection.request("GET", path, None, {"Accept": "text/event-stream", **headers})
            response = connection.getresponse()
            if response.status == 200:
                return Response(200, response.headers, blocks(connection, response))
            body = response.read()
            connection.close()
            return Response(response.status, response.headers, body)
        except (OSError, http.client.HTTPException):
            connection.close()
            return NOTHING

    def close(self):
        self.connection.close()


def blocks(connection, response):
    """Yields the blocks of a stream until it ends, for any reason."""
    lines = []
    try:
        while (line := response.readline()).endswith(b"\n"):
            lines.append(line.decode().rstrip("\r\n"))
            if not lines[-1]:
                yield block(lines)
                lines = []
    except (OSError, http.client.HTTPException):
        # What has arrived of the next block is dropped.
        pass
    finally:
        connection.close()


def block(lines):
    """Returns the block that lines make; the event of a change is its operation."""
    fields, data = {}, []
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name in ("event", "id", "retry"):
            fields[name] = value
    retry = fields.get("retry", "")
    event, text = fields.get("event", "message"), "\n".join(data) if data else None
    if event == "change":
        event = json.loads(text)["op"]
    return Block(event, fields.get("id"), text, int(retry) if retry.isdigit() else None)


def tag(response):
    """Returns the version in the `ETag` of a response, or None."""
    text = response.headers.get("ETag")
    return text and text.removeprefix("W/").strip('"')
