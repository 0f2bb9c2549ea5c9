"""A TCP proxy between clients and servers that loses, repeats and delays requests and responses."""

import collections
import random
import select
import socket
import threading
import time

# Each request has one of these faults, or none.
FAULTS = {
    # The request does not arrive.
    "lose request": 0.04,
    # The request arrives in part, and the connection ends.
    "cut request": 0.02,
    # The request arrives, but its response does not.
    "lose response": 0.06,
    # The client gets a part of the response.
    "cut response": 0.03,
    # The same bytes arrive on two connections at once.
    "double": 0.06,
    # The same bytes arrive again later, as from a network that repeats packets.
    "double later": 0.05,
    # The response is lost, and the client's next attempt overtakes the request.
    "overtake": 0.03,
    "delay": 0.05,
}
LONGEST_DELAY = 0.3
# A stream whose response is cut has at most so many bytes.
LONGEST_CUT = 4000
TIMEOUT = 60


class Proxy:
    """Listens on `port`, and forwards each request to one of the ports that `targets` returns.

    The seed determines the fault and the target of the n-th request.
    """

    def __init__(self, targets, seed, faults=FAULTS):
        self.targets, self.faults = targets, faults
        self.random, self.lock = random.Random(seed), threading.Lock()
        self.is_faulty = True
        self.counts = collections.Counter()
        self.replays = 0
        self.threads = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def settle(self):
        """Waits until the server has the last repeated request."""
        while True:
            with self.lock:
                threads = list(self.threads)
            if not threads:
                return
            for thread in threads:
                thread.join()

    def close(self):
        self.listener.close()

    def _listen(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        """Forwards the requests of a connection, one after another."""
        client.settimeout(TIMEOUT)
        stream = client.makefile("rb")
        try:
            while (request := read_message(stream)) and self._forward(client, request):
                pass
        except OSError:
            # The client or the server has closed the connection.
            pass
        finally:
            stream.close()
            client.close()

    def _decide(self):
        """Returns the fault of a request, a fraction for it, and the order of the servers."""
        with self.lock:
            ports = self.targets()
            self.random.shuffle(ports)
            fault, fraction = None, self.random.random()
            if self.is_faulty:
                names = [*self.faults, None]
                weights = [*self.faults.values(), 1 - sum(self.faults.values())]
                fault = self.random.choices(names, weights)[0]
            self.counts[fault or "none"] += 1
            return fault, fraction, ports

    def _forward(self, client, request):
        """Forwards a request, and its response; returns whether the connection goes on."""
        fault, fraction, ports = self._decide()
        first, other = ports[0], ports[-1]
        if fault == "lose request":
            return False
        if fault == "cut request":
            with connect(first) as server:
                server.sendall(request[:int(len(request) * fraction)])
            return False
        if request.startswith(b"GET /v1/changes/stream"):
            limit = LONGEST_CUT * fraction if fault in ("lose response", "cut response") else None
            forward_stream(client, first, request, limit)
            return False
        if fault == "overtake":
            self._send_later(first, request, LONGEST_DELAY * fraction)
            return False
        if fault == "delay":
            time.sleep(LONGEST_DELAY * fraction)
        if fault == "double":
            self._send_later(other, request, 0)
        if fault == "double later":
            self._send_later(other, request, LONGEST_DELAY * fraction)
        response = exchange(first, request)
        if b"\r\nidempotent-replayed:" in response.partition(b"\r\n\r\n")[0].lower():
            self.replays += 1
        if fault == "lose response" or not response:
            return False
        if fault == "cut response":
            client.sendall(response[:int(len(response) * fraction)])
            return False
        client.sendall(response)
        return True

    def _send_later(self, port, request, seconds):
        """Sends a request after some time, and drops its response."""
        def send():
            try:
                time.sleep(seconds)
                exchange(port, request)
            except OSError:
                # The server was killed.
                pass
            finally:
                with self.lock:
                    self.threads.discard(threading.current_thread())

        thread = threading.Thread(target=send, daemon=True)
        with self.lock:
            self.threads.add(thread)
        thread.start()


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)


def exchange(port, request):
    """Sends a request on a connection of its own; returns the bytes of the response."""
    with connect(port) as server, server.makefile("rb") as stream:
        server.sendall(request)
        response = read_message(stream)
        while response.startswith(b"HTTP/1.1 1"):
            response = read_message(stream)
        return response


def forward_stream(client, port, request, limit):
    """Forwards a response as it comes, up to a number of bytes, until either side ends it."""
    with connect(port) as server:
        server.sendall(request)
        while limit is None or limit > 0:
            ready = select.select([client, server], [], [], TIMEOUT)[0]
            data = server.recv(65536) if server in ready else b""
            if not data:
                return
            if limit is not None:
                data, limit = data[:int(limit)], limit - len(data)
            client.sendall(data)


def read_message(stream):
    """Returns the bytes of a request or a response, or none if the connection has ended."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return b""
        head += line
    fields = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip().lower()
    if head.startswith((b"HTTP/1.1 204", b"HTTP/1.1 304")):
        return head
    if fields.get(b"transfer-encoding") == b"chunked":
        return head + read_chunks(stream)
    length = int(fields.get(b"content-length", 0))
    body = stream.read(length)
    return head + body if len(body) == length else b""


def read_chunks(stream):
    """Returns the bytes of a chunked body; raises ConnectionError if it is incomplete."""
    chunks = b""
    while True:
        line = stream.readline()
        size = int(line.strip() or b"-1", 16)
        data = stream.read(size + 2) if size >= 0 else b""
        if size < 0 or len(data) < size + 2:
            raise ConnectionError("the response ends early")
        chunks += line + data
        if size == 0:
            return chunks
