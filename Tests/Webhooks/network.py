#!/usr/bin/env python3
"""Sends a server's webhooks to receivers that misbehave, and checks what they got.

    Tests/Webhooks/network.py [-v] [NAME…]      such as NetworkTests.test_redirect

HUMON_PROGRAM is the program to test, by default .build/debug/humon. All webhooks run at once, so
the script takes a minute. Signatures are verified by PyPI's standardwebhooks, which is installed
into a temporary folder unless this Python has it. Certificates are made by openssl.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT / "Tests/Faults"))
import harness  # noqa: E402
from shared import packages  # noqa: E402

PROGRAM = os.path.realpath(os.environ.get("HUMON_PROGRAM") or ROOT / ".build/debug/humon")
# A pause of 5 s can be 6 s, and one of 15 s can be 18 s. Machines can be slow.
SLACK = 4


def response(status, fields="", body=b""):
    return f"HTTP/1.1 {status} X\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Request:
    def __init__(self, head, body):
        self.line, *fields = head.decode().split("\r\n")
        self.fields = {}
        for field in fields:
            name, _, value = field.partition(":")
            self.fields[name.lower()] = value.strip()
        self.body = body
        self.at = time.time()

    @property
    def id(self):
        return self.fields["webhook-id"]

    @property
    def changes(self):
        return json.loads(self.body)["data"]["changes"]


class Receiver:
    """A receiver whose response to its n-th request is that of a function."""

    def __init__(self, behave=lambda connection, number, request: response(204), host="127.0.0.1",
                 certificate=None):
        self.behave, self.certificate = behave, certificate
        self.requests, self.connections, self.id, self.secret = [], 0, None, None
        self.listener = socket.create_server(
            (host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self.certificate)
                connection = context.wrap_socket(connection, server_side=True)
            while request := self.read(connection):
                self.requests.append(request)
                connection.sendall(self.behave(connection, len(self.requests), request))
        except OSError:
            pass
        finally:
            connection.close()

    def read(self, connection):
        received = b""
        while b"\r\n\r\n" not in received:
            if not (piece := connection.recv(65536)):
                return None
            received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        request = Request(head, b"")
        while len(body) < int(request.fields["content-length"]):
            body += connection.recv(65536)
        request.body = body
        return request

    def ids(self):
        return [request.id for request in self.requests]


class Behaviours:
    """What receivers do with their first request, or with all."""

    def __init__(self):
        self.sent = 0
        self.closed_after = {}
        self.all_created = threading.Event()

    def first(self, behave):
        return lambda connection, number, request: (
            behave(connection) if number == 1 else response(204))

    def drip(self, name, head):
        """Sends a byte from time to time, until the client closes the connection."""
        def behave(connection):
            began = time.monotonic()
            try:
                connection.sendall(head)
                while time.monotonic() - began < 60:
                    connection.sendall(b"a")
                    time.sleep(0.2)
            finally:
                self.closed_after[name] = time.monotonic() - began
        return self.first(behave)

    def silence(self, connection, number, request):
        time.sleep(60)
        return b""

    def reset(self, connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise OSError

    def close(self, connection):
        raise OSError

    def flood(self, connection):
        """Sends a body of 100 MiB, as far as the client reads it."""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n")
        for _ in range(1600):
            connection.sendall(bytes(65536))
            self.sent += 65536
        return b""

    def small(self, connection, number, request):
        """Accepts one change in a message, and keeps the first message until there are more."""
        if number == 1:
            self.all_created.wait(10)
        return response(413 if len(request.changes) > 1 else 204)


class Certificates:
    """A certification authority, and certificates of it and of another one."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("ca", "foreign-ca"):
            self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key",
                         "-out", f"{name}.pem", "-subj", f"/CN={name}", "-days", "2")
        self.valid = self.make("valid", "IP:127.0.0.1,DNS:localhost")
        self.expired = self.make("expired", "IP:127.0.0.1", days=-1)
        self.other_name = self.make("other", "DNS:other.example")
        self.foreign = self.make("foreign", "IP:127.0.0.1", authority="foreign-ca")

    def make(self, name, subject, days=2, authority="ca"):
        (self.folder / f"{name}.ext").write_text(f"subjectAltName={subject}")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out",
                     f"{name}.csr", "-subj", "/CN=Tests")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey",
                     f"{authority}.key", "-CAcreateserial", "-days", str(days), "-extfile",
                     f"{name}.ext", "-out", f"{name}.pem")
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class NetworkTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="humon-network-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        certificates = Certificates(cls.folder)
        cls.server = harness.Server(
            PROGRAM, str(cls.folder), WEBHOOK_KEY=bytes(range(32)).hex(), LIMIT_WEBHOOKS="100",
            CA_FILE=str(cls.folder / "ca.pem"))
        cls.addClassCleanup(cls.server.kill)
        cls.behaviours = behave = Behaviours()
        cls.receivers = {
            "good": Receiver(), "moved": Receiver(), "ipv6": Receiver(host="::1"),
            "name": Receiver(),
            "silent": Receiver(behave.silence),
            "head": Receiver(behave.drip("head", b"HTTP/1.1 200 OK\r\nX-A: ")),
            "body": Receiver(behave.drip(
                "body", b"HTTP/1.1 500 X\r\nContent-Length: 1000000\r\n\r\n")),
            "reset": Receiver(behave.first(behave.reset)),
            "closed": Receiver(behave.first(behave.close)),
            "garbage": Receiver(behave.first(lambda _: b"\x16\x03\x01\r\n\r\n")),
            "flood": Receiver(behave.first(behave.flood)),
            "gone": Receiver(behave.first(lambda _: response(410))),
            "small": Receiver(behave.small),
            "busy": Receiver(behave.first(lambda _: response(429, "Retry-After: 8\r\n"))),
            "broken": Receiver(lambda _, number, __: response(500 if number < 3 else 204)),
            "valid": Receiver(certificate=certificates.valid),
            "expired": Receiver(certificate=certificates.expired),
            "other name": Receiver(certificate=certificates.other_name),
            "foreign": Receiver(certificate=certificates.foreign),
            "private": Receiver(certificate=certificates.valid),
            "rotated": Receiver(),
        }
        moved = f"Location: http://127.0.0.1:{cls.receivers['moved'].port}/moved\r\n"
        cls.receivers["redirect"] = Receiver(behave.first(lambda _: response(301, moved)))
        for name, receiver in cls.receivers.items():
            if name not in ("moved", "private"):
                scheme = "https" if receiver.certificate else "http"
                host = {"ipv6": "[::1]", "name": "localhost"}.get(name, "127.0.0.1")
                cls.add(receiver, f"{scheme}://{host}:{receiver.port}/secret-path",
                        "--allow-private")
        cls.former = cls.receivers["rotated"].secret
        cls.rotated = cls.humon("rotate", cls.receivers["rotated"].id).stdout.strip()
        client = cls.server.client()
        client.request("POST", "/v1/users", {
            "tb-app-secret": harness.SECRET, "tb-device-token": harness.TOKEN})
        client.close()
        # Servers notice new webhooks within 5 s.
        cls.wait(lambda: cls.events_sent())
        for name in ("two", "three", "four"):
            cls.create(name)
        behave.all_created.set()

    @classmethod
    def events_sent(cls):
        """Creates the first event, and returns whether every receiver was called."""
        if not hasattr(cls, "created"):
            cls.created = time.time()
            cls.create("one")
        return all(receiver.connections > 0 for name, receiver in cls.receivers.items()
                   if name not in ("moved", "private"))

    @classmethod
    def create(cls, name):
        client = cls.server.client()
        result = client.post_event(name)
        client.close()
        assert result.status == 200, result

    @classmethod
    def humon(cls, *arguments):
        return subprocess.run([PROGRAM, "webhook", *map(str, arguments)], capture_output=True,
                              text=True, cwd=cls.folder, env=cls.server.environment)

    @classmethod
    def add(cls, receiver, url, *options):
        added = cls.humon("add", url, *options)
        assert added.returncode == 0, added.stderr
        receiver.id = int(re.match(r"webhook (\d+) added\.", added.stdout)[1])
        receiver.secret = re.search(r"^whsec_[A-Za-z0-9+/]{43}=$", added.stdout, re.M)[0]

    @classmethod
    def wait(cls, isTrue, seconds=30):
        end = time.monotonic() + seconds
        while not isTrue():
            if time.monotonic() > end:
                raise AssertionError("it does not happen: " + cls.humon("list").stdout)
            time.sleep(0.05)

    def row(self, receiver):
        """The line of `humon webhook list`."""
        listed = self.humon("list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return next(line for line in listed.stdout.splitlines()
                    if line.split()[0] == str(receiver.id))

    def verify(self, request, *secrets):
        from standardwebhooks import Webhook
        for secret in secrets:
            Webhook(secret).verify(request.body, request.fields)

    def names(self, receiver):
        return [change["event"]["name"] for request in receiver.requests
                for change in request.changes]

    def check_retried(self, name, count=2, gaps=((4, 6),)):
        """Checks that the first message came again, unchanged, after these pauses, and the rest."""
        receiver = self.receivers[name]
        self.wait(lambda: len(receiver.requests) >= count and "four" in self.names(receiver), 60)
        first, others = receiver.requests[0], receiver.requests[1:count]
        for one, two, (least, most) in zip(receiver.requests, others, gaps):
            self.assertGreater(two.at - one.at, least)
            self.assertLess(two.at - one.at, most + SLACK)
        for other in others:
            self.assertEqual((other.id, other.changes), (first.id, first.changes))
        for request in receiver.requests:
            self.verify(request, receiver.secret)
        ids = receiver.ids()[count - 1:]
        self.assertEqual(len(set(ids)), len(ids))
        # Another test creates more.
        names = self.names(receiver)[count - 1:][:4]
        self.assertEqual(names, ["one", "two", "three", "four"])
        self.assertIn(" 204", self.row(receiver))
        return receiver

    def test_good_receiver(self):
        receiver = self.check_retried("good", count=1)
        request = receiver.requests[0]
        self.assertEqual(request.line, "POST /secret-path HTTP/1.1")
        self.assertEqual(request.fields["content-type"], "application/json")
        self.assertRegex(request.fields["user-agent"], r"^Humon/\S+$")
        self.assertLess(abs(int(request.fields["webhook-timestamp"]) - request.at), 2)
        ends = [int(re.fullmatch(rf"msg_[0-9a-f]{{8}}_{receiver.id}_(\d+)", id)[1])
                for id in receiver.ids()]
        self.assertEqual(ends, sorted(ends))
        message = json.loads(request.body)
        self.assertEqual((message["type"], message["data"]["webhook"]), ("changes", receiver.id))
        self.assertEqual([change["op"] for change in request.changes], ["enter"])
        self.assertNotIn("expect", request.fields)
        self.assertIn(receiver.secret, self.humon("secret", receiver.id).stdout)

    def test_silent_receiver_delays_no_other(self):
        self.wait(lambda: len(self.receivers["silent"].requests) > 0)
        # Servers look at new webhooks every 5 s.
        self.assertLess(self.receivers["good"].requests[0].at - self.created, 5 + SLACK)

    def test_head_that_drips(self):
        self.check_retried("head", gaps=[(15 + 4, 15 + 6)])
        self.assertLess(self.behaviours.closed_after["head"], 15 + SLACK)

    def test_body_that_drips(self):
        receiver = self.receivers["body"]
        self.wait(lambda: "four" in self.names(receiver), 60)
        self.assertLess(self.behaviours.closed_after["body"], 15 + SLACK)
        self.assertEqual(receiver.ids()[0], receiver.ids()[1])

    def test_reset(self):
        self.check_retried("reset")

    def test_connection_that_is_closed(self):
        self.check_retried("closed")

    def test_garbage(self):
        self.check_retried("garbage")

    def test_flood(self):
        self.check_retried("flood", count=1)
        self.assertLess(self.behaviours.sent, 8 << 20)

    def test_redirect(self):
        self.check_retried("redirect")
        self.assertEqual(self.receivers["moved"].connections, 0)

    def test_gone(self):
        receiver = self.receivers["gone"]
        self.wait(lambda: "disabled" in self.row(receiver))
        self.assertEqual(len(receiver.requests), 1)
        self.assertEqual(self.humon("resume", receiver.id).returncode, 0)
        self.check_retried("gone", gaps=[(0, 30)])

    def test_too_large(self):
        receiver = self.receivers["small"]

        def accepted():
            return [request for request in receiver.requests if len(request.changes) == 1]

        self.wait(lambda: len(accepted()) >= 4)
        self.assertGreater(max(len(request.changes) for request in receiver.requests), 1)
        self.assertEqual([request.changes[0]["event"]["name"] for request in accepted()[:4]],
                         ["one", "two", "three", "four"])
        ids = [request.id for request in accepted()]
        self.assertEqual(len(set(ids)), len(ids))
        for one, two in zip(receiver.requests, receiver.requests[1:]):
            if len(one.changes) > len(two.changes):
                self.assertNotEqual(one.id, two.id)

    def test_retry_after(self):
        self.check_retried("busy", gaps=[(8, 8)])

    def test_broken_receiver(self):
        self.check_retried("broken", count=3, gaps=[(4, 6), (12, 18)])

    def test_valid_certificate(self):
        self.check_retried("valid", count=1)

    def test_invalid_certificates(self):
        for name in ("expired", "other name", "foreign"):
            receiver = self.receivers[name]
            self.wait(lambda: "failing" in self.row(receiver))
            self.assertRegex(self.row(receiver), "(?i)certificate|ssl|peer")
            self.assertEqual(receiver.requests, [], name)

    def test_ipv6_and_names(self):
        self.check_retried("ipv6", count=1)
        self.check_retried("name", count=1)

    def test_private_addresses(self):
        """Whatever a URL looks like, it leads nowhere."""
        receiver = self.receivers["private"]
        hosts = ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]",
                 "0.0.0.0", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
        rejected = []
        for host in hosts:
            url = f"https://{host}:{receiver.port}/"
            added = self.humon("add", url)
            self.assertIn(added.returncode, (0, 64), added.stderr)
            if added.returncode == 0:
                rejected.append(re.match(r"webhook (\d+) ", added.stdout)[1])
        # With --allow-private, too.
        for host in ("169.254.169.254", "0.0.0.0", "224.0.0.1", "[fe80::1]", "[ff02::1]", "[::]"):
            added = self.humon("add", f"http://{host}:{receiver.port}/", "--allow-private")
            self.assertIn(added.returncode, (0, 64), added.stderr)
            if added.returncode == 0:
                rejected.append(re.match(r"webhook (\d+) ", added.stdout)[1])
        self.create("five")
        for id in rejected:
            receiver.id = id
            self.wait(lambda: "failing" in self.row(receiver))
            self.assertIn("its address is not allowed", self.row(receiver))
            tested = self.humon("test", id)
            self.assertEqual(tested.returncode, 1, tested.stdout)
            self.humon("remove", id)
        self.assertEqual(receiver.connections, 0)

    def test_url_with_a_query(self):
        receiver = Receiver()
        url = f"http://127.0.0.1:{receiver.port}?token=secret-query"
        self.add(receiver, url, "--allow-private", "--category", "none")
        self.humon("test", receiver.id)
        self.assertEqual(receiver.requests[0].line, "POST /?token=secret-query HTTP/1.1")

    def test_rotation(self):
        receiver = self.receivers["rotated"]
        self.wait(lambda: "four" in self.names(receiver))
        self.assertNotEqual(self.rotated, self.former)
        for request in receiver.requests:
            self.assertEqual(len(request.fields["webhook-signature"].split()), 2)
            self.verify(request, self.rotated, self.former)

    def test_test_message(self):
        good, silent = Receiver(), Receiver(lambda *_: response(500))
        for receiver in (good, silent):
            url = f"http://127.0.0.1:{receiver.port}/"
            self.add(receiver, url, "--allow-private", "--category", "none")
        tested = self.humon("test", good.id)
        self.assertEqual(tested.returncode, 0, tested.stderr)
        self.assertIn("204", tested.stdout)
        self.assertEqual(json.loads(good.requests[0].body)["type"], "test")
        self.verify(good.requests[0], good.secret)
        tested = self.humon("test", silent.id)
        self.assertEqual(tested.returncode, 1, tested.stdout)
        self.assertIn("500", tested.stderr)

    def test_urls_and_options_that_are_rejected(self):
        for arguments in (
                ["http://example.com/"], ["ftp://example.com/", "--allow-private"], ["example.com"],
                ["https://user:password@example.com/"], ["https://"],
                ["https://example.com/" + "a" * 2000],
                ["https://example.com/", "--lat", "1"], ["https://example.com/", "--batch", "101"],
                ["https://example.com/", "--lat", "1", "--lon", "1", "--radius", "300"],
                ["https://example.com/", "--when", "now"],
                ["https://example.com/", "--types", "task"]):
            added = self.humon("add", *arguments)
            self.assertEqual(added.returncode, 64, arguments)
            self.assertNotEqual(added.stderr, "")

    def test_log_has_no_secrets(self):
        self.check_retried("broken", count=3, gaps=[(4, 6), (12, 18)])
        log = self.server.log()
        for text in ("secret-path", "secret-query", "whsec_", bytes(range(32)).hex()):
            self.assertNotIn(text, log)


if __name__ == "__main__":
    folder = packages()
    try:
        unittest.main()
    finally:
        if folder:
            folder.cleanup()
