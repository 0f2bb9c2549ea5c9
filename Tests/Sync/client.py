"""A client that loses no write, repeats no write, and has a copy of what filters show.

    client = Client("app.sqlite3", "https://events.example.com", {"tb-auth-token": token})
    concert = client.write("POST", "event", values={"name": "Concert", "lat": 51.05, "lon": 3.72,
                                                    "started_at": "2036-06-01T18:00:00.000Z"})
    client.write("PATCH", "event", concert, {"name": "Big concert"})
    client.refresh("lat=51.05&lon=3.72&radius=5")
    client.records("lat=51.05&lon=3.72&radius=5", "event")

- `write` stores a write in the outbox before it sends it, so the app works offline. Each entry
  has an `Idempotency-Key`: the server executes it once, however often it is sent.
- `drain` sends the outbox. Call it at start, when the app comes to the foreground, when the network
  is back, in a background refresh, and by a timer while entries wait.
- `refresh` brings the copy of a filter up to date.
- `follow` keeps it up to date while the app is in the foreground.

The process can be killed between any two lines: the next one continues where this one was. Only
one thread can use a client.
"""

import json
import random
import sqlite3
import time
import uuid

from transport import NOTHING, Connection, Response, tag

PATHS = {"event": "/v1/events", "attendance": "/v1/attendances", "task": "/v1/tasks"}

# The filter that shows the user's own records of each type.
VIEWS = {"event": "mine=1", "attendance": "mine=1", "task": "tasks=1"}

# The server stores keys for 7 days (IDEMPOTENCY_KEEP). A day is left for clocks that differ.
KEY_SECONDS = 6 * 86400

LONGEST_PAUSE = 60

# Servers send at least an id in a shorter time.
SILENCE_SECONDS = 45

SCHEMA = """
-- What each filter shows. A staged record belongs to a set that is not complete yet.
CREATE TABLE IF NOT EXISTS record (
    view TEXT NOT NULL,
    type TEXT NOT NULL,
    id INTEGER NOT NULL,
    json TEXT NOT NULL,
    version TEXT,
    staged INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (view, staged, type, id)
);
-- The writes that the server has not accepted yet, in the order in which they were made.
CREATE TABLE IF NOT EXISTS outbox (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    record TEXT NOT NULL,
    key TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body TEXT,
    if_match TEXT,
    first_sent REAL,
    failure INTEGER
);
-- The ids that the server has given to records that were made here.
CREATE TABLE IF NOT EXISTS identity (local TEXT PRIMARY KEY, id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursor (
    view TEXT PRIMARY KEY,
    cursor TEXT NOT NULL,
    is_staging INTEGER NOT NULL
);
"""

def keep_failed(current, values):
    """Leaves a conflict to the person: the entry stays in the outbox as failed."""
    return None


class Client:
    """The outbox and the records of one user, in a database of their own."""

    def __init__(self, path, server, headers, merge=keep_failed, timeout=30,
                 clock=time.time, sleep=time.sleep, chance=random.random):
        """Opens or creates the database at `path`.

        `headers` identify the user. If a record has changed since a write was made, `merge` gets
        the server's record and the values of the write, which are None for a DELETE. It returns
        the values to send instead, or None to keep the write as failed.
        """
        self.headers, self.merge = headers, merge
        self.clock, self.sleep, self.chance = clock, sleep, chance
        self.failed_attempts = 0
        self.retry_seconds = 3
        self.is_signed_out = False
        self.connection = Connection(server, timeout)
        self.database = sqlite3.connect(path)
        self.database.row_factory = sqlite3.Row
        self.database.executescript(SCHEMA)

    def close(self):
        self.connection.close()
        self.database.close()

    def sign_in(self, headers):
        """Continues with new credentials after the server has rejected the old ones."""
        self.headers, self.is_signed_out = headers, False
        self.drain()

    # Writes

    def write(self, method, type, id=None, values=None):
        """Stores a write, then sends the outbox; returns the id of the record.

        `method` is POST, PATCH or DELETE. A record that is made here has an id of its own, such as
        "new-8e03978e…", until the server has given it one. `write` accepts both.
        """
        with self.database:
            id = self._server_id(id) if id else f"new-{uuid.uuid4()}"
            path = PATHS[type] if method == "POST" else f"{PATHS[type]}/{id}"
            # The body is encoded once, because each attempt must have the same content.
            body = None if values is None else json.dumps(values)
            self.database.execute(
                "INSERT INTO outbox (type, record, key, method, path, body, if_match)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (type, id, str(uuid.uuid4()), method, path, body, self._version(type, id)))
        self.drain()
        return id

    def drain(self):
        """Sends the outbox. Returns when each entry was accepted or has failed, or at a sign-out.

        An entry that fails stops only the later entries of its record. Show it to the person.
        """
        while not self.is_signed_out and (entries := self._first_record()):
            for number in entries:
                if not self._send(number):
                    break

    def discard(self, number):
        """Removes a failed entry, so that the later entries of its record are sent."""
        with self.database:
            self._execute("DELETE FROM outbox WHERE n = ?", number)

    def _first_record(self):
        """Returns the entries of that record whose first entry is the oldest."""
        return [number for number, in self._execute(
            "SELECT n FROM outbox, (SELECT type, record, min(n) AS first, max(failure) AS failure"
            " FROM outbox GROUP BY type, record HAVING failure IS NULL ORDER BY first LIMIT 1)"
            " AS oldest WHERE outbox.type = oldest.type AND outbox.record = oldest.record"
            " ORDER BY n")]

    def _send(self, number):
        """Sends an entry until the server accepts or rejects it; returns whether it accepted it."""
        while True:
            entry = self._execute("SELECT * FROM outbox WHERE n = ?", number).fetchone()
            if not entry:
                return True
            if entry["first_sent"] and self.clock() - entry["first_sent"] > KEY_SECONDS:
                if not self._renew(entry):
                    return False
                continue
            # Before the first byte leaves: the server may execute a request that fails here.
            with self.database:
                self._execute("UPDATE outbox SET first_sent = coalesce(first_sent, ?) WHERE n = ?",
                              self.clock(), number)
            response = self._request(entry["method"], entry["path"], self._fields(entry),
                                     entry["body"])
            status = response.status
            if status is None or status in (408, 429) or status >= 500:
                self._pause(response)
                continue
            self.failed_attempts = 0
            if 200 <= status < 300 or (status == 404 and entry["method"] == "DELETE"):
                if self._accept(entry, response):
                    return True
            elif status == 401:
                self.is_signed_out = True
                return False
            elif status != 412 or not self._merge(entry):
                self._fail(number, status)
                return False

    @staticmethod
    def _fields(entry):
        fields = {"Idempotency-Key": f'"{entry["key"]}"', "Prefer": "return=representation"}
        if entry["body"]:
            fields["Content-Type"] = "application/json"
        if entry["if_match"]:
            fields["If-Match"] = f'"{entry["if_match"]}"'
        return fields

    def _accept(self, entry, response):
        """Removes an entry that the server has executed; returns False to send it again."""
        type, values = entry["type"], json.loads(response.body) if response.body else {}
        id, version = values.get("id", entry["record"]), tag(response)
        if "Idempotent-Replayed" in response.headers and entry["method"] != "DELETE":
            # This is what the first request returned. A refresh may have brought a newer version.
            response = self._get(type, id)
            if response is NOTHING:
                self._pause(response)
                return False
        with self.database:
            if entry["method"] == "DELETE" or response.status == 404:
                self._remove(VIEWS[type], 0, type, id)
            elif response.body:
                self._store(VIEWS[type], 0, type, json.loads(response.body), tag(response))
            self._conclude(entry, id, version)
        return True

    def _conclude(self, entry, id, version):
        """Removes an entry, and gives the later ones of its record the server's id and version."""
        self._execute("DELETE FROM outbox WHERE n = ?", entry["n"])
        self._execute("UPDATE outbox SET record = ?, path = replace(path, record, ?), if_match = ?"
                      " WHERE type = ? AND record = ?",
                      str(id), str(id), version, entry["type"], entry["record"])
        if str(id) != entry["record"]:
            self._execute("INSERT INTO identity VALUES (?, ?)", entry["record"], str(id))

    def _merge(self, entry):
        """Makes a new entry of one whose record has changed; returns False if nobody merged it."""
        type, response = entry["type"], self._get(entry["type"], entry["record"])
        if response is NOTHING:
            self._pause(response)
            return True
        body, version = entry["body"], entry["if_match"]
        if response.status == 200:
            current, version = json.loads(response.body), tag(response)
            values = self.merge(current, body and json.loads(body))
            if values is None:
                return False
            body = body and json.dumps(values)
        # If the record is gone, the next attempt gets 404: a DELETE is done, other writes fail.
        with self.database:
            if response.status == 200:
                self._store(VIEWS[type], 0, type, current, version)
            self._execute("UPDATE outbox SET key = ?, body = ?, if_match = ?, first_sent = NULL"
                          " WHERE n = ?", str(uuid.uuid4()), body, version, entry["n"])
        return True

    def _renew(self, entry):
        """Handles an entry whose key the server may have forgotten; returns False at a sign-out.

        If the server's record has the values of the entry, the entry was executed. Otherwise it
        gets a new key.
        """
        type, id = entry["type"], entry["record"]
        while not self.refresh(VIEWS[type]):
            if self.is_signed_out:
                return False
            self._pause(NOTHING)
        values, records = json.loads(entry["body"] or "null"), self.records(VIEWS[type], type)
        if entry["method"] == "POST":
            id = next((id for id, record in records.items() if has(record, values)), None)
            is_done = id is not None
        else:
            record = records.get(int(id))
            is_done = record is None if entry["method"] == "DELETE" else has(record, values)
        with self.database:
            if is_done:
                self._conclude(entry, id, self._version(type, id))
            else:
                self._execute("UPDATE outbox SET key = ?, first_sent = NULL WHERE n = ?",
                              str(uuid.uuid4()), entry["n"])
        return True

    def _fail(self, number, status):
        with self.database:
            self._execute("UPDATE outbox SET failure = ? WHERE n = ?", status, number)

    def _pause(self, response):
        """Waits after a failed attempt, longer after each one, so that a server can recover."""
        self.failed_attempts = min(self.failed_attempts + 1, 10)
        pause = (0.5 + self.chance() / 2) * min(LONGEST_PAUSE, 2 ** self.failed_attempts)
        demanded = response.headers.get("Retry-After") or ""
        self.sleep(max(int(demanded) if demanded.isdigit() else 0, pause))

    # The feed

    def refresh(self, view, limit=500):
        """Brings the records of a filter up to date; returns False if that failed on the way.

        `view` is the filter as a query, such as "mine=1". After a failure, the next call continues.
        """
        while True:
            cursor, is_staging = self._cursor(view)
            response = self._request(
                "GET", f"/v1/changes?{view}&since={cursor}&limit={limit}", {}, None)
            if response.status == 410:
                with self.database:
                    self._stage(view, "0")
                continue
            if response.status == 401:
                self.is_signed_out = True
            if response.status != 200:
                return False
            page = json.loads(response.body)
            with self.database:
                for change in page["changes"]:
                    self._apply(view, is_staging, change)
                if is_staging and not page["more"]:
                    self._swap(view)
                    is_staging = 0
                self._execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?)",
                              view, page["cursor"], is_staging)
            if not page["more"]:
                return True

    def follow(self, view, is_over=lambda: False):
        """Keeps the records of a filter up to date, in the foreground.

        Asks `is_over` after each block. Returns why the server has ended the stream, after which
        only the person starts it again; otherwise None.
        """
        while not is_over():
            pause = self.retry_seconds
            # First, because a page has many changes at once, and says that a token has ended.
            if self.refresh(view):
                cursor, _ = self._cursor(view)
                response = self.connection.stream(
                    f"/v1/changes/stream?{view}", {**self.headers, "Last-Event-ID": cursor},
                    SILENCE_SECONDS)
                if response.status == 200:
                    for block in response.body:
                        if block.event == "end":
                            return json.loads(block.data)["message"]
                        self._receive(view, block)
                        if is_over():
                            response.body.close()
                            return None
                    pause = self.retry_seconds
                demanded = response.headers.get("Retry-After") or ""
                pause = max(int(demanded) if demanded.isdigit() else 0, pause)
            if self.is_signed_out:
                return None
            # Not all clients of a server that was restarted must come back at once.
            self.sleep(pause * (0.5 + self.chance()))
        return None

    def _receive(self, view, block):
        """Applies a block of a stream, and stores where the next one begins."""
        if block.retry is not None:
            self.retry_seconds = block.retry / 1000
        if block.id is None:
            return
        with self.database:
            if block.event == "reset":
                self._stage(view, block.id)
                return
            _, is_staging = self._cursor(view)
            if block.event == "ready" and is_staging:
                self._swap(view)
                is_staging = 0
            elif block.event in ("enter", "change", "leave"):
                self._apply(view, is_staging, json.loads(block.data))
            self._execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?)",
                          view, block.id, is_staging)

    def _stage(self, view, cursor):
        """Begins a new set. The person sees the old one until the new one is complete."""
        self._execute("DELETE FROM record WHERE view = ? AND staged = 1", view)
        self._execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, 1)", view, cursor)

    def _swap(self, view):
        """Shows the new set, which is complete."""
        self._execute("DELETE FROM record WHERE view = ? AND staged = 0", view)
        self._execute("UPDATE record SET staged = 0 WHERE view = ?", view)

    def records(self, view, type):
        """Returns the records of a filter by id, without the writes in the outbox."""
        return {id: json.loads(text) for id, text in self._execute(
            "SELECT id, json FROM record WHERE view = ? AND type = ? AND staged = 0", view, type)}

    def shown(self, type):
        """Returns the user's own records by id, with the writes in the outbox."""
        records = {str(id): record for id, record in self.records(VIEWS[type], type).items()}
        for method, id, body in self._execute(
                "SELECT method, record, body FROM outbox WHERE type = ? ORDER BY n", type):
            if method == "DELETE":
                records.pop(id, None)
            else:
                records[id] = {**records.get(id, {}), **unwrapped(json.loads(body))}
        return records

    def _apply(self, view, staged, change):
        """Applies a change of the feed. Clients ignore unknown operations and types."""
        type, id = change["type"], change["id"]
        if change["op"] == "leave":
            self._remove(view, staged, type, id)
        elif change["op"] in ("enter", "change") and type in PATHS:
            self._store(view, staged, type, change[type], change.get("version"))

    def _store(self, view, staged, type, record, version):
        if type == "attendance" and len(record["event"]) > 1:
            # The user's own attendance has its whole event, but not the version of the event.
            self._store(view, staged, "event", record["event"], None)
            record = {**record, "event": {"id": record["event"]["id"]}}
        self._execute(
            "INSERT INTO record (view, staged, type, id, json, version) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET json = excluded.json, version = CASE"
            " WHEN excluded.version IS NULL AND json = excluded.json THEN version"
            " ELSE excluded.version END",
            view, staged, type, record["id"], json.dumps(record), version)

    def _remove(self, view, staged, type, id):
        self._execute("DELETE FROM record WHERE view = ? AND staged = ? AND type = ? AND id = ?",
                      view, staged, type, id)
        if type == "event":
            self._execute("DELETE FROM record WHERE view = ? AND staged = ? AND type = 'attendance'"
                          " AND json_extract(json, '$.event.id') = CAST(? AS INTEGER)",
                          view, staged, id)

    # The database and the network

    def _execute(self, sql, *values):
        return self.database.execute(sql, values)

    def _server_id(self, id):
        row = self._execute("SELECT id FROM identity WHERE local = ?", str(id)).fetchone()
        return row["id"] if row else str(id)

    def _version(self, type, id):
        row = self._execute("SELECT version FROM record WHERE view = ? AND type = ? AND id = ?"
                            " AND staged = 0", VIEWS[type], type, id).fetchone()
        return row and row["version"]

    def _cursor(self, view):
        row = self._execute("SELECT cursor, is_staging FROM cursor WHERE view = ?", view).fetchone()
        # The first set is staged, too: a record that a write has stored may be gone by now.
        return tuple(row) if row else ("0", 1)

    def fetch(self, type, id):
        """Stores the server's version of an own record; returns whether the server has it."""
        response = self._get(type, id)
        if response.status == 200:
            with self.database:
                self._store(VIEWS[type], 0, type, json.loads(response.body), tag(response))
        return response.status == 200

    def _get(self, type, id):
        """Returns the response to GET of a record, or `NOTHING` if the server could not say."""
        if type == "attendance":
            # No request returns a single attendance. The next refresh brings it.
            return Response(204, {}, b"")
        response = self._request("GET", f"{PATHS[type]}/{id}", {}, None)
        return response if response.status in (200, 404) else NOTHING

    def _request(self, method, path, headers, body):
        """Sends a request. Returns `NOTHING` if no complete response has arrived."""
        return self.connection.request(method, path, {**self.headers, **headers}, body)


def unwrapped(values):
    """Returns the attributes of a record in the body of a request: Todo has them in `task`."""
    return values.get("task", values)


def has(record, values):
    """Returns whether a record has all values of a write."""
    return record is not None and all(
        record.get(key) == value for key, value in unwrapped(values).items())
