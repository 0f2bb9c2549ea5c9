"""Receives the messages of a Humon webhook, and mirrors its events in mirror.sqlite3."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sqlite3
import time

SECRET = base64.b64decode(os.environ["HUMON_WEBHOOK_SECRET"].removeprefix("whsec_"))
LARGEST_BODY = 4 << 20

database = sqlite3.connect("mirror.sqlite3", isolation_level=None)
database.executescript("""
    CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, event TEXT NOT NULL);
""")


def is_genuine(id, timestamp, signatures, body):
    """Returns whether Humon has signed the message in the last five minutes."""
    content = f"{id}.{timestamp}.".encode() + body
    digest = hmac.digest(SECRET, content, hashlib.sha256)
    expected = b"v1," + base64.b64encode(digest)
    # During a rotation, the header has two signatures.
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
        return False
    return timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= 300


def store(id, message):
    """Stores a message in one transaction. Ignores messages that it has stored before."""
    database.execute("BEGIN IMMEDIATE")
    try:
        new = database.execute("INSERT OR IGNORE INTO messages (id) VALUES (?)", (id,))
        if new.rowcount == 1:
            apply(message)
            # Humon repeats only the latest messages.
            database.execute(
                "DELETE FROM messages WHERE number <= (SELECT max(number) - 1000 FROM messages)")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def apply(message):
    kind = message["type"]
    if kind == "reset":
        database.execute("DELETE FROM events")
    if kind not in ("snapshot", "changes"):
        return
    for change in message["data"]["changes"]:
        if change["type"] == "event" and change["op"] == "leave":
            database.execute("DELETE FROM events WHERE id = ?", (change["id"],))
        elif change["type"] == "event" and change["op"] in ("enter", "change"):
            database.execute("INSERT OR REPLACE INTO events (id, event) VALUES (?, ?)",
                             (change["id"], json.dumps(change["event"])))
        if kind == "changes":
            news(change)


def news(change):
    """Is called once for each change, in the transaction. Queue pushes here."""


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return self.respond(413)
        body = self.rfile.read(int(length))
        id, timestamp, signatures = (
            self.headers.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
        if not is_genuine(id, timestamp, signatures, body):
            return self.respond(401)
        store(id, json.loads(body))
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()


def serve():
    address = ("127.0.0.1", int(os.environ.get("PORT", "8080")))
    with http.server.HTTPServer(address, Handler) as server:
        print(f"listening on port {server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    serve()
