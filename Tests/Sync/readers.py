"""The readers of `Tests/Sync/oracle`: clients of the feed that record what the server reveals."""

import json
import sqlite3
import time

import client as reference
from nodes import harness


class Abandoned(BaseException):
    """The end of a reader between two pages."""


class Reader(reference.Client):
    """A client that follows a filter, with pages of random size, lost responses and two servers."""

    def __init__(self, number, filter, nodes, random, history):
        super().__init__(":memory:", "http://127.0.0.1", filter.headers, timeout=90)
        self.number, self.filter, self.nodes, self.random = number, filter, nodes, random
        self.history = history
        self.connections = {}
        self.saved = None
        self.is_hasty = False
        self.pages = self.starts = self.waits = 0
        self.begin()

    def begin(self):
        """Forgets what was received before, because the set begins anew."""
        self.since, self.received, self.trail = self.history.step, [], []

    def close(self):
        for connection in self.connections.values():
            connection.close()
        super().close()

    # A step of its life

    def step(self):
        """Reads some pages, and sometimes dies, or goes on from an older state."""
        self.is_hasty = True
        try:
            self.refresh(self.filter.query)
        except Abandoned:
            self.database.rollback()
        finally:
            self.is_hasty = False
        choice = self.random.random()
        if choice < 0.05:
            saved = sqlite3.connect(":memory:")
            self.database.backup(saved)
            self.saved = saved, self.since, list(self.received)
        elif choice < 0.1 and self.saved:
            saved, self.since, self.received = self.saved
            saved.backup(self.database)
            self.saved = None

    def catch_up(self):
        """Reads until nothing is left."""
        for _ in range(200):
            if self.refresh(self.filter.query):
                return
            if self.is_signed_out:
                raise harness.Failure(f"{self.filter}: the server returned 401")
            time.sleep(0.05)
        raise harness.Failure(f"{self.filter}: the set is not complete after 200 attempts: "
                              f"{self.trail[-3:]}")

    def _request(self, method, path, headers, body):
        """Sends a request to one of the servers, and notes what the response reveals."""
        port = self.random.choice(self.nodes.ports())
        if port not in self.connections:
            self.connections[port] = reference.Connection(f"http://127.0.0.1:{port}", 90)
        self.connection = self.connections[port]
        if method == "GET" and path.startswith("/v1/changes"):
            size = self.random.choice((1, 2, 5, 20, 100, 1000))
            path = path.replace("&limit=500", f"&limit={size}")
            if self.is_hasty and self.random.random() < 0.08:
                path += f"&wait={self.random.randint(1, 2)}"
                self.waits += 1
        response = super()._request(method, path, headers, body)
        self.trail.append((path.partition("&since=")[2], response.status, response.body[:2000]))
        del self.trail[:-20]
        if response.status == 410:
            self.starts += 1
            self.begin()
        elif response.status == 200:
            self.pages += 1
            page = json.loads(response.body)
            self.received += page["changes"]
        elif response.status is not None and response.status not in (401, 503):
            raise harness.Failure(f"{self.filter}: {path}: {response}")
        if self.is_hasty and self.random.random() < 0.04:
            return reference.NOTHING
        if self.is_hasty and self.random.random() < 0.04:
            raise Abandoned
        return response

    # What must be true

    def differences(self, number):
        """Returns how the set differs from what the searches of a server show."""
        view, person = self.filter.query, self.filter.person
        found = {}
        if self.filter.kind == "tasks":
            wanted = {"task": self.nodes.tasks(person.headers, number)}
        elif self.filter.kind == "mine":
            events, attendances = self.nodes.own_records(person.id, person.headers, number)
            wanted = {"event": events, "attendance": attendances}
            found["attendance"] = {
                id: (record["user"]["id"], record["event"]["id"])
                for id, record in self.records(view, "attendance").items()}
        else:
            wanted = {"event": self.nodes.events(view, self.filter.headers, number)}
        differences = []
        for type, records in wanted.items():
            own = found.get(type, self.records(view, type))
            differences += [(type, id, own.get(id), records.get(id))
                            for id in sorted(own.keys() | records.keys())
                            if own.get(id) != records.get(id)]
        return differences + self.wrong_versions(number)

    def wrong_versions(self, number):
        """Returns those of a few records whose version is not their `ETag`."""
        rows = self.database.execute(
            "SELECT type, id, version FROM record WHERE type <> 'attendance' AND NOT staged"
            " AND version IS NOT NULL").fetchall()
        wrong = []
        for type, id, version in self.random.sample(rows, min(2, len(rows))):
            response = self.nodes.request(
                "GET", f"{reference.PATHS[type]}/{id}", self.filter.headers, None, number)
            if response.headers.get("etag") != f'"{version}"':
                wrong.append((type, id, version, response))
        return wrong

    def leaks(self):
        """Returns those changes that no search of this reader could show since its beginning."""
        history, kind = self.history, self.filter.kind
        person = self.filter.person
        found = []
        for change in self.received:
            type, id = change["type"], change["id"]
            if kind == "tasks":
                is_known = type == "task" and (person.account, id) in history.tasks
            elif kind == "mine":
                known = history.own_events if type == "event" else history.attendances
                is_known = (person.id, id) in known
                if "attendance" in change:
                    event = change["attendance"]["event"]["id"]
                    is_known &= (person.id, event) in history.own_events
            else:
                is_known = type == "event" and history.could_show(self.filter, id, self.since)
                event = change.get("event", {})
                is_known &= "visibility" not in event and "hidden" not in event
                is_known &= not event or self.filter.region.may_contain(
                    (event["lat"], event["lon"]))
            if not is_known:
                found.append(change)
        # What was received before stays allowed: the next check begins with what comes then.
        self.received = []
        return found
