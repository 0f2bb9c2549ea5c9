"""Requests over a persistent connection, which either have a complete response or none."""

import collections
import http.client
import urllib.parse

Response = collections.namedtuple("Response", "status headers body")

# The request may have arrived, and the server may have executed it.
NOTHING = Response(None, {}, b"")


class Connection:
    """A connection to a server, such as "https://events.example.com"."""

    def __init__(self, server, timeout):
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

    def close(self):
        self.connection.close()


def tag(response):
    """Returns the version in the `ETag` of a response, or None."""
    text = response.headers.get("ETag")
    return text and text.removeprefix("W/").strip('"')
