"""Servers on each storage with the same events, and a model of their content."""

import json
import os
import random
import shutil
import sqlite3
import sys

import corpus
import model
import terms
import times

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Faults"))
import cluster
import harness

STORAGES = ["memory", "sqlite", "postgresql", "postgresql-rows", "postgresql-nodes"]
TOKENS = [f"token-{number}" for number in range(1, corpus.OWNERS + 1)]
LATEST_CREATION = times.parse_time("2026-10-01T00:00:00Z", times.Zone())


class Stored:
    """A server, its database, and a model of its content.

    `storage` is `memory` (SQLite with the contents of all events in memory), `sqlite` (without),
    `postgresql` (with the contents of all events in memory), `postgresql-rows` (without), or
    `postgresql-nodes`: two servers, of which one stores and the other one is asked right after.
    """

    def __init__(self, humon, storage, seed, count, now, open_end_hours=3, text_search=True):
        self.humon, self.storage = humon, storage
        self.folder = harness.folder_for_tests()
        settings = {"LIMIT_EVENT_CACHE_MB": "0"} if storage in ("sqlite", "postgresql-rows") else {}
        settings["OPEN_END_HOURS"] = str(open_end_hours)
        settings["TEXT_SEARCH"] = "on" if text_search else "off"
        self.url = None
        if storage.startswith("postgresql"):
            self.cluster = cluster.Cluster()
            self.url = settings["DATABASE_URL"] = self.cluster.make_database("humon")
        if storage == "postgresql-nodes":
            settings["NODES"] = "2"
        self.server = harness.Server(humon, self.folder, **settings)
        self.server.await_ready(30)
        self.client = self.server.client()
        self.model = model.Model(tokens={}, open_end_hours=open_end_hours,
                                 text_search=text_search)
        for token in TOKENS:
            secret = {"tb-app-secret": harness.SECRET}
            user = self._send("POST", "/v1/users", token, b"", **secret)
            self.model.tokens[token] = user["id"]
        self._fill(random.Random(seed), count, now)
        self._date()
        self.reading = self.server
        if storage == "postgresql-nodes":
            other = os.path.join(self.folder, "other")
            os.mkdir(other)
            self.reading = harness.Server(humon, other, **settings)
            self.reading.await_ready(30)
        self.reader = self.reading.client()

    def _send(self, method, path, token, body, **headers):
        response = self.client.request(method, path, {"tb-device-token": token, **headers}, body)
        if response.status not in (200, 204):
            raise harness.Failure(f"{method} {path} {body!r}: {response}")
        return json.loads(response.body) if response.body else None

    def _fill(self, random, count, now):
        for draft in corpus.drafts(random, count, now):
            self.insert(random.choice(TOKENS), draft)
        for number in random.sample(sorted(self.model.events), count // 5):
            self.attend(random.choice(TOKENS), number)
        for token in random.sample(TOKENS, 3):
            self.block(token, random.choice([other for other in TOKENS if other != token]))
        for number in random.sample(sorted(self.model.events), count // 20):
            self.hide(number)

    def _date(self):
        """Sets different creation times of the events."""
        self.client.close()
        if self.server.stop() != 0:
            raise harness.Failure("the server failed: " + self.server.log()[-2000:])
        for number, event in self.model.events.items():
            event.created_at = LATEST_CREATION - number // 3 * 86_399_001
            event.updated_at = event.created_at + number % 7 * 1_234_567
        created = f"{LATEST_CREATION} - id / 3 * 86399001"
        self.execute(f"UPDATE events SET created_at = {created},"
                     f" updated_at = {created} + id % 7 * 1234567")
        if not self.server.start():
            raise harness.Failure("the server doesn't start: " + self.server.log())
        self.server.await_ready(30)
        self.client = self.server.client()
        self.model.installation = self.installation()

    def execute(self, sql):
        """Runs SQL on the database, and returns its rows."""
        if self.url:
            return cluster.psql(self.url, sql)
        connection = sqlite3.connect(self.server.database, timeout=30)
        try:
            rows = connection.execute(sql).fetchall()
            connection.commit()
            return rows
        finally:
            connection.close()

    def installation(self):
        """Returns the installation's UUID, from which the events' UUIDs are computed."""
        (value,), = self.execute("SELECT uuid FROM installation")
        return str(value).lower()

    def _note(self, number, owner, draft):
        """Stores an event in the model, with the times of its writes from the database."""
        rows = self.execute(f"SELECT created_at, updated_at FROM events WHERE id = {number}")
        (created, updated), = rows
        instant = {name: draft[name] and times.parse_time(draft[name], times.Zone())
                   for name in ("started_at", "ended_at")}
        address = None if draft["address"] is None else draft["address"]
        self.model.events[number] = model.Event(
            # SQLite stores whole numbers as integers, which have no -0.
            number, owner, draft["name"], address, draft["lat"] + 0.0, draft["lon"] + 0.0,
            instant["started_at"], instant["ended_at"], int(created), int(updated),
            _details(draft),
            is_hidden=number in self.model.events and self.model.events[number].is_hidden)

    def insert(self, token, draft):
        number = self._send("POST", "/v1/events", token, _json(draft))["id"]
        self._note(number, self.model.tokens[token], draft)

    def update(self, number, draft):
        owner = self.model.events[number].owner
        token = next(token for token, user in self.model.tokens.items() if user == owner)
        self._send("PUT", f"/v1/events/{number}", token, _json(draft))
        self._note(number, owner, draft)

    def delete(self, number):
        owner = self.model.events[number].owner
        token = next(token for token, user in self.model.tokens.items() if user == owner)
        self._send("DELETE", f"/v1/events/{number}", token, b"")
        del self.model.events[number]
        self.model.attendances = {a for a in self.model.attendances if a[1] != number}

    def attend(self, token, number):
        body = _json({"event": {"id": number}})
        self._send("POST", "/v1/attendances", token, body)
        self.model.attendances.add((self.model.tokens[token], number))

    def block(self, token, other):
        """Makes a user not see the events of another one, who attend no event of each other then."""
        user, blocked = self.model.tokens[token], self.model.tokens[other]
        self._send("POST", "/v1/users/me/blocks", token, _json({"user": {"id": blocked}}))
        self.model.blocks.add((user, blocked))
        self.model.attendances = {
            (guest, number) for guest, number in self.model.attendances
            if {guest, self.model.events[number].owner} != {user, blocked}}

    def unblock(self, token, other):
        user, blocked = self.model.tokens[token], self.model.tokens[other]
        if (user, blocked) in self.model.blocks:
            self._send("DELETE", f"/v1/users/me/blocks/{blocked}", token, b"")
            self.model.blocks.remove((user, blocked))

    def hide(self, number, is_hidden=True):
        """Hides an event, or shows it, as another program would."""
        self.execute(f"UPDATE events SET hidden = {int(is_hidden)} WHERE id = {number}")
        self.model.events[number].is_hidden = is_hidden

    def can_attend(self, token, number):
        user, event = self.model.tokens[token], self.model.events[number]
        pair = {(user, event.owner), (event.owner, user)}
        return not self.model.blocks & pair and (not event.is_hidden or event.owner == user)

    def write(self, random, now):
        """Makes a random change."""
        numbers = sorted(self.model.events)
        kind = random.random()
        if kind < 0.35 and len(numbers) < 360 or len(numbers) < 240:
            self.insert(random.choice(TOKENS), corpus.draft(random, now))
        elif kind < 0.7:
            self.update(random.choice(numbers), corpus.draft(random, now))
        elif kind < 0.85:
            self.delete(random.choice(numbers))
        elif kind < 0.9:
            number = random.choice(numbers)
            self.hide(number, not self.model.events[number].is_hidden)
        elif kind < 0.93:
            token, other = random.sample(TOKENS, 2)
            self.block(token, other)
        elif kind < 0.95:
            self.unblock(*random.sample(TOKENS, 2))
        else:
            token, number = random.choice(TOKENS), random.choice(numbers)
            if self.can_attend(token, number):
                self.attend(token, number)

    def get(self, target, headers, method="GET"):
        try:
            return self.reader.request(method, target, headers)
        except OSError as error:
            state = "is running" if self.reading.is_alive() else "has ended"
            log = self.reading.log()[-2000:]
            raise harness.Failure(f"{method} {target}: {error}; the server {state}: {log}") from None

    def stop(self):
        """Stops the server in any state, and deletes its files."""
        self.client.close()
        self.reader.close()
        self.server.kill()
        self.reading.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _details(draft):
    """Returns the attributes of a draft that are set, in their stored form."""
    found = {
        "description": draft.get("description"),
        "category": draft.get("category") and terms.category_of(draft["category"]),
        "tags": terms.tags_of(draft.get("tags", [])),
        "status": None if draft.get("status") == "scheduled" else draft.get("status"),
        "all_day": draft.get("all_day"),
        "series_id": draft.get("series_id"),
    }
    return {name: value for name, value in found.items() if value}


def _json(value):
    return json.dumps(value).encode()
