"""The devices of `Tests/Sync/clients`: a person's random writes, and what must come of them."""

import json
import os
import random
import sys
import threading
import time
import traceback

import client as reference

CENTRE = (51.05, 3.72)
REGION = "lat=51.05&lon=3.72&radius=10&status=any"
VIEWS = (REGION, "mine=1", "tasks=1")

# How much shorter the pauses of clients are than those of real ones.
HASTE = 0.02

# A device is killed at one of so many lines of client.py.
LINES_PER_KILL = 1500

# Stores what happens to each entry of the outbox, in the same transaction.
JOURNAL = """
CREATE TABLE IF NOT EXISTS journal (
    n INTEGER PRIMARY KEY, type TEXT, record TEXT, method TEXT, body TEXT, is_done INTEGER);
CREATE TRIGGER IF NOT EXISTS journal_new AFTER INSERT ON outbox BEGIN
    INSERT INTO journal VALUES (NEW.n, NEW.type, NEW.record, NEW.method, NEW.body, 0);
END;
CREATE TRIGGER IF NOT EXISTS journal_changed AFTER UPDATE ON outbox BEGIN
    UPDATE journal SET record = NEW.record, body = NEW.body WHERE n = NEW.n;
END;
CREATE TRIGGER IF NOT EXISTS journal_done AFTER DELETE ON outbox BEGIN
    UPDATE journal SET is_done = 1 WHERE n = OLD.n;
END;
"""


class Killed(BaseException):
    """The end of a device's process."""


def merged(current, values):
    """Merges a write with the server's record: it counts on, or repeats other values."""
    if values and "data" in values:
        return {"data": {"count": current["data"]["count"] + 1}}
    return values or {}


class Device:
    """A client with its database, on one of the two devices of a person."""

    def __init__(self, number, person, folder, port, seed, has_feed):
        self.number, self.person, self.port, self.has_feed = number, person, port, has_feed
        self.path = os.path.join(folder, f"device-{number}.sqlite3")
        self.random = random.Random(f"{seed} {number}")
        self.names = self.deaths = self.follows = 0
        self.is_over = self.is_abandoned = False
        self.client = None
        self.problems = []
        self.thread = None
        self.open()

    def open(self):
        self.client = reference.Client(
            self.path, f"http://127.0.0.1:{self.port}", self.person.headers, merge=merged,
            timeout=30, sleep=self.sleep, chance=self.random.random)
        self.client.database.executescript(JOURNAL)

    def sleep(self, seconds):
        if self.is_abandoned:
            raise Killed
        time.sleep(seconds * HASTE)

    def close(self):
        if self.client:
            self.client.close()
        self.client = None

    # The life of a device

    def start(self):
        self.close()
        self.is_over = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def finish(self):
        """Ends the writes, and sends what is left."""
        self.is_over = True
        self.thread.join()
        self.open()

    def abandon(self):
        """Ends the writes, because the server is gone."""
        self.is_over = self.is_abandoned = True
        if self.thread:
            self.thread.join()
        if not self.client:
            self.open()

    def run(self):
        """Makes writes, and dies at random lines of the client."""
        try:
            while not self.is_over:
                sys.settrace(self.trace)
                try:
                    if not self.client:
                        self.open()
                    self.step()
                except Killed:
                    self.deaths += 1
                    self.close()
                finally:
                    sys.settrace(None)
                time.sleep(self.random.random() * 0.05)
        except Exception:
            # A failure of the client or of this script, and not of the network.
            self.problems.append(f"device {self.number}: {traceback.format_exc()}")
        self.close()

    def trace(self, frame, *_):
        return self.trace_line if frame.f_code.co_filename == reference.__file__ else None

    def trace_line(self, frame, event, _):
        if event == "line" and self.random.random() < 1 / LINES_PER_KILL:
            raise Killed
        return self.trace_line

    # Random writes

    def name(self):
        self.names += 1
        return f"{self.number}-{self.names}"

    def place(self):
        return {"lat": CENTRE[0] + self.random.uniform(-0.15, 0.15),
                "lon": CENTRE[1] + self.random.uniform(-0.2, 0.2)}

    def step(self):
        steps = {self.create_event: 22, self.edit_event: 20, self.delete_event: 5,
                 self.attend: 12, self.cancel: 5, self.count: 10,
                 self.create_task: 9, self.edit_task: 8, self.delete_task: 3,
                 self.refresh: 10 if self.has_feed else 0, self.client.drain: 2,
                 self.follow: 4 if self.has_feed else 0}
        self.random.choices(list(steps), list(steps.values()))[0]()

    def own(self, type):
        """Returns the ids of the events or tasks that this device has made."""
        key = "name" if type == "event" else "title"
        own = [id for id, record in self.client.shown(type).items()
               if record.get(key, "").startswith(f"{self.number}-")]
        self.person.published.update(int(id) for id in own if type == "event" and id.isdigit())
        return own

    def pick(self, type):
        own = self.own(type)
        return self.random.choice(own) if own else None

    def create_event(self):
        visibility = {"visibility": "private"} if self.random.random() < 0.2 else {}
        self.client.write("POST", "event", values={
            "name": self.name(), "started_at": "2036-06-01T18:00:00.000Z", **self.place(),
            **visibility})

    def edit_event(self):
        if id := self.pick("event"):
            other = self.random.choice(({}, self.place(), {"visibility": "private"},
                                        {"visibility": "public"}, {"status": "cancelled"}))
            self.client.write("PATCH", "event", id, {"name": self.name(), **other})

    def delete_event(self):
        if id := self.pick("event"):
            self.client.write("DELETE", "event", id)

    def attend(self):
        """Attends an event of another person. The two devices of a person choose different ones."""
        attended = {record["event"]["id"] for record in self.client.shown("attendance").values()
                    if record.get("user", {}).get("id", self.person.id) == self.person.id}
        events = {id for person in self.person.others for id in person.published.copy()}
        choice = sorted(id for id in events - attended if id % 2 == self.number % 2)
        if choice:
            id = self.random.choice(choice[-20:])
            self.client.write("POST", "attendance", values={"event": {"id": id}})

    def cancel(self):
        own = [id for id, record in self.client.shown("attendance").items()
               if record.get("user", {}).get("id", self.person.id) == self.person.id
               and record["event"]["id"] % 2 == self.number % 2]
        if own:
            self.client.write("DELETE", "attendance", self.random.choice(own))

    def count(self):
        """Adds one to the counter of both devices, if this one knows its version."""
        counter, database = self.person.counter, self.client.database
        known = database.execute(
            "SELECT json FROM record WHERE type = 'event' AND id = ? AND view = 'mine=1'"
            " AND staged = 0 AND version IS NOT NULL AND NOT EXISTS"
            " (SELECT 1 FROM outbox WHERE record = ?)", (counter, str(counter))).fetchone()
        if known:
            count = json.loads(known[0])["data"]["count"] + 1
            self.client.write("PATCH", "event", counter, {"data": {"count": count}})
        else:
            self.client.fetch("event", counter)

    def create_task(self):
        self.client.write("POST", "task", values={"task": {"title": self.name()}})

    def edit_task(self):
        if id := self.pick("task"):
            completed = self.random.choice(({}, {"completed": True}, {"completed": False}))
            self.client.write("PATCH", "task", id, {"task": {"title": self.name(), **completed}})

    def delete_task(self):
        if id := self.pick("task"):
            self.client.write("DELETE", "task", id)

    def refresh(self):
        self.client.refresh(self.random.choice(VIEWS), self.random.choice((5, 50, 500)))

    def follow(self):
        """Follows a stream for up to a second, or a heartbeat longer."""
        end = time.monotonic() + self.random.random()
        self.follows += 1
        self.client.follow(self.random.choice(VIEWS),
                           lambda: self.is_over or time.monotonic() > end)

    # What must come of them

    def settle(self):
        """Sends all that is left, and returns what the server rejected, as texts."""
        self.client.drain()
        left = self.client.database.execute(
            "SELECT type, method, failure, body FROM outbox WHERE failure IS NOT NULL"
            " AND NOT (type = 'attendance' AND method = 'POST' AND failure = 404)").fetchall()
        found = [f"device {self.number}: rejected: {dict(row)}" for row in left]
        if self.client.is_signed_out:
            found.append(f"device {self.number}: the server returned 401")
        return found

    def entries(self, type):
        """Returns the method, the server's id and the values of each accepted write of a type."""
        rows = self.client.database.execute(
            "SELECT method, coalesce(id, record), body FROM journal"
            " LEFT JOIN identity ON local = record"
            " WHERE type = ? AND is_done ORDER BY n", (type,))
        return [(method, int(id), reference.unwrapped(json.loads(body or "{}")))
                for method, id, body in rows]

    def expected(self, type):
        """Returns the values that each event or task of this device must have, by id."""
        records = {}
        for method, id, values in self.entries(type):
            if id == self.person.counter and type == "event":
                continue
            if method == "DELETE":
                records.pop(id, None)
            else:
                records[id] = {**records.get(id, {}), **values}
        return records

    def attended(self):
        """Returns the events that this device attends, if they still exist."""
        events, attended = {}, set()
        for method, id, values in self.entries("attendance"):
            if method == "POST":
                events[id] = values["event"]["id"]
                attended.add(events[id])
            else:
                attended.discard(events[id])
        return attended

    def counted(self):
        return sum(id == self.person.counter for _, id, _ in self.entries("event"))

    def acknowledged(self):
        return self.client.database.execute(
            "SELECT count(*) FROM journal WHERE is_done").fetchone()[0]


class Person:
    """A user with a Todo account and two devices."""

    def __init__(self, nodes, number):
        self.id, headers = nodes.user(f"person-{number}")
        self.account, others = nodes.account(f"person-{number}")
        self.headers = {**headers, **others}
        self.published, self.others = set(), []
        self.counter = nodes.result("POST", "/v1/events", self.headers, {
            "name": f"counter-{number}", "lat": 51.05, "lon": 3.72, "data": {"count": 0},
            "started_at": "2036-06-01T18:00:00.000Z"})["id"]
