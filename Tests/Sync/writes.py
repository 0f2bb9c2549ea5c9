"""Random writes for `Tests/Sync/oracle`, by the API and by SQL, and what could be seen when."""

import importlib.machinery
import importlib.util
import json
import os
import sqlite3
import time

import filters
import nodes as servers
import statements
from nodes import harness


def load_psql():
    """Returns the class `Psql` of the script Tests/Faults/psql-writes."""
    loader = importlib.machinery.SourceFileLoader(
        "psql_writes", os.path.join(servers.FAULTS, "psql-writes"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module.Psql


class SQLite:
    """A connection of another program to the database of a running server."""

    def __init__(self, storage):
        self.connection = sqlite3.connect(storage.path, timeout=20, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def run(self, sql):
        return self.connection.execute(sql).fetchall()

    def close(self):
        self.connection.close()


class History:
    """What each event was after each write, and who attended it or had it blocked."""

    def __init__(self):
        self.step = 0
        self.states, self.current = {}, {}
        self.blocks = [(0, frozenset())]
        self.own_events, self.attendances, self.tasks = set(), set(), set()

    def note(self, events, attendances, blocks, tasks):
        """Notes what the database has after a write."""
        self.step += 1
        for id in self.current.keys() | events.keys():
            if self.current.get(id) != events.get(id):
                self.states.setdefault(id, []).append((self.step, events.get(id)))
        self.current = events
        self.own_events |= {(state[0], id) for id, state in events.items()}
        for id, user, event in attendances:
            self.own_events.add((user, event))
            self.attendances |= {(user, id), (events[event][0], id)}
        self.tasks |= tasks
        if blocks != self.blocks[-1][1]:
            self.blocks.append((self.step, blocks))

    def could_show(self, reader, id, since):
        """Returns whether a search of a region could have an event at some time since a step."""
        states = self.states.get(id, [])
        for number, (step, state) in enumerate(states):
            end = states[number + 1][0] if number + 1 < len(states) else self.step + 1
            if end < since or state is None:
                continue
            owner, place, is_public = state
            if is_public and reader.region.may_contain(place) and not self._is_blocked(
                    reader.person, owner, max(step, since), end):
                return True
        return False

    def _is_blocked(self, person, owner, first, last):
        """Returns whether a person blocks an owner from one step to another without a pause."""
        if person is None:
            return False
        during = [blocks for number, (step, blocks) in enumerate(self.blocks)
                  if step <= last and (number + 1 == len(self.blocks)
                                       or self.blocks[number + 1][0] >= first)]
        return all((person.id, owner) in blocks for blocks in during)


class Writer:
    """Makes one random write after another."""

    def __init__(self, nodes, people, random):
        self.nodes, self.people, self.random = nodes, people, random
        self.history = History()
        self.is_sqlite = nodes.storage.name == "sqlite"
        self.statements = statements.Statements(random, people, self.is_sqlite, self.name)
        self.names = 0
        self.log = []
        self.connect()
        self.look()

    def connect(self):
        if self.is_sqlite:
            self.sql = SQLite(self.nodes.storage)
        else:
            self.sql = load_psql()(self.nodes.storage.url)

    def step(self):
        """Makes a random write and notes what the database then has."""
        event = self.random.choice(sorted(self.history.current) or [0])
        many = len(self.history.current) > 250
        kinds = {self.create_event: 4 if many else 22, self.edit_event: 18, self.attend: 12,
                 self.cancel: 6, self.delete_event: 12 if many else 4, self.block: 2,
                 self.create_task: 4, self.edit_task: 4, self.delete_task: 2,
                 self.run_sql: 30}
        self.random.choices(list(kinds), list(kinds.values()))[0](event)
        self.look()

    def look(self):
        """Notes what the database has."""
        self.history.note(*self.contents())

    def contents(self):
        """Returns what the database has, also within a transaction."""
        events = {int(id): (int(owner), (float(latitude), float(longitude)),
                            not visibility and int(hidden) == 0)
                  for id, owner, latitude, longitude, visibility, hidden in self.sql.run(
                      "SELECT id, owner_id, latitude, longitude, visibility, hidden FROM events")}
        numbers = self.numbers("SELECT id, user_id, event_id FROM attendances")
        blocks = frozenset(self.numbers("SELECT user_id, blocked_id FROM blocks"))
        tasks = set(self.numbers("SELECT account_id, id FROM todo_tasks"))
        return events, numbers, blocks, tasks

    def numbers(self, sql):
        return [tuple(map(int, row)) for row in self.sql.run(sql)]

    def pick(self, sql):
        """Returns a random row of numbers, or None."""
        rows = self.numbers(sql)
        return self.random.choice(rows) if rows else None

    # By the API

    def send(self, person, method, path, values=None):
        """Sends a write to one of the servers; returns the JSON of the response, or None."""
        for _ in range(100):
            number = self.random.randrange(self.nodes.count)
            response = self.nodes.request(method, path, person.headers, values, number)
            if response.status < 500:
                break
            time.sleep(0.05)
        self.log.append((self.history.step + 1, f"{method} {path} {values} {response.status}"))
        if response.status >= 500 or response.status in (400, 401, 429):
            raise harness.Failure(f"{method} {path} {values}: {response}")
        return json.loads(response.body) if response.body else None

    def attributes(self):
        """Returns attributes of an event that filters look for."""
        pick = self.random
        latitude, longitude = filters.random_place(pick)
        found = {"lat": latitude, "lon": longitude,
                 "started_at": f"2036-06-0{pick.randint(1, 9)}T{pick.randint(10, 20)}:00:00Z",
                 "category": pick.choice((*filters.CATEGORIES, None)),
                 "tags": pick.sample(filters.TAGS, pick.randint(0, 2)),
                 "status": pick.choice((*filters.STATUSES, "scheduled", "scheduled")),
                 "visibility": pick.choice(("public", "public", "public", "private")),
                 "ended_at": pick.choice((None, "2036-06-10T00:00:00Z"))}
        return found

    def name(self):
        self.names += 1
        words = self.random.choices(filters.WORDS, k=2)
        return f"{words[0]} {words[1]} {self.names}"

    def owner(self, event):
        owner = self.history.current.get(event, (None,))[0]
        return next((person for person in self.people if person.id == owner), self.people[0])

    def create_event(self, _):
        self.create_event_of(self.random.choice(self.people))

    def create_event_of(self, person):
        self.send(person, "POST", "/v1/events", {"name": self.name(), **self.attributes()})

    def edit_event(self, event):
        values = {"name": self.name(), **self.attributes()}
        keys = self.random.sample(sorted(values), self.random.randint(1, 3))
        chosen = {key: values[key] for key in keys}
        if "lat" in chosen or "lon" in chosen:
            chosen |= {"lat": values["lat"], "lon": values["lon"]}
        self.send(self.owner(event), "PATCH", f"/v1/events/{event}", chosen)

    def delete_event(self, event):
        self.send(self.owner(event), "DELETE", f"/v1/events/{event}")

    def attend(self, event):
        """Attends a public event, or a private one with a code of its owner."""
        person = self.random.choice(self.people)
        values = {"event": {"id": event}}
        if not self.history.current.get(event, (0, 0, True))[2]:
            made = self.send(self.owner(event), "POST", f"/v1/events/{event}/invitation",
                             {"replace": True})
            values = {"code": made["code"]} if made and "code" in made else values
        self.send(person, "POST", "/v1/attendances", values)

    def cancel(self, _):
        row = self.pick("SELECT attendances.id, user_id, owner_id FROM attendances"
                        " JOIN events ON events.id = event_id")
        if row:
            user = self.random.choice(row[1:])
            person = next(person for person in self.people if person.id == user)
            self.send(person, "DELETE", f"/v1/attendances/{row[0]}")

    def block(self, _):
        one, other = self.random.sample(self.people, 2)
        if (one.id, other.id) in self.history.blocks[-1][1] or self.random.random() < 0.4:
            self.send(one, "DELETE", f"/v1/users/me/blocks/{other.id}")
        else:
            self.send(one, "POST", "/v1/users/me/blocks", {"user": {"id": other.id}})

    def create_task(self, _):
        self.send(self.random.choice(self.people), "POST", "/v1/tasks",
                  {"task": {"title": self.name()}})

    def edit_task(self, _):
        self.task("PATCH", {"task": {"title": self.name()}})

    def delete_task(self, _):
        self.task("DELETE", None)

    def task(self, method, values):
        row = self.pick("SELECT id, account_id FROM todo_tasks")
        if row:
            person = next(person for person in self.people if person.account == row[1])
            self.send(person, method, f"/v1/tasks/{row[0]}", values)

    # By SQL

    def run_sql(self, _):
        """Runs a transaction as another program does."""
        transaction = self.statements.transaction()
        self.log.append((self.history.step + 1, "; ".join(transaction)))
        # The log has the changes of each statement. So the feed can name an event that was public
        # within a transaction only, which no search shows.
        within, saved = [], 0
        for statement in transaction:
            self.sql.run(statement)
            if statement == "SAVEPOINT one":
                saved = len(within)
            elif statement == "ROLLBACK TO one":
                del within[saved:]
            elif statement == "ROLLBACK":
                within = []
            elif statement not in ("BEGIN", "COMMIT"):
                within.append(self.contents())
        for contents in within:
            self.history.note(*contents)
