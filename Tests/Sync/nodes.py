"""Shared by the scripts in this folder: the servers under test, their database and their users."""

import json
import os
import shutil
import sys

FAULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Faults")
sys.path.insert(0, FAULTS)
import harness  # noqa: E402
import storages  # noqa: E402

# A build without optimisation on a busy machine needs this time to be ready.
READY_SECONDS = 30


class Nodes:
    """The servers of one database: one on SQLite, two on PostgreSQL."""

    def __init__(self, humon, storage, **settings):
        """Starts the servers on a new database of the engine with the name `storage`."""
        os.environ["HUMON_TEST_STORAGE"] = storage
        engine = storages.engine()
        self.folder = harness.folder_for_tests()
        self.storage = engine(self.folder)
        self.count = 1 if engine is storages.SQLite else 2
        self.servers = []
        for number in range(self.count):
            own = os.path.join(self.folder, str(number))
            os.mkdir(own)
            self.servers.append(harness.Server(
                humon, own, DATABASE_URL=self.storage.url, NODES=str(self.count), **settings))
            self.servers[-1].await_ready(READY_SECONDS)
            # Started again, it listens on the same ports, which clients know.
            self.servers[-1].environment.update(
                PORT=str(self.servers[-1].port), ADMIN_PORT=str(self.servers[-1].admin_port))

    def ports(self):
        return [server.port for server in self.servers]

    def kill(self, number):
        """Kills a server and starts it again."""
        self.servers[number].kill()
        self.start(number)

    def stop(self, number):
        """Stops a server with SIGTERM; it must end without an error."""
        code = self.servers[number].stop()
        if code:
            raise harness.Failure(f"the server ended with {code}: {self.log(number)}")

    def start(self, number):
        if not self.servers[number].start():
            raise harness.Failure("the server doesn't restart: " + self.log(number))
        self.servers[number].await_ready(READY_SECONDS)

    def log(self, number):
        return self.servers[number].log()[-3000:]

    def request(self, method, path, headers={}, values=None, number=0):
        """Sends a request on a connection of its own, without a proxy; returns the response."""
        client = self.servers[number].client()
        body = b"" if values is None else json.dumps(values).encode()
        try:
            return client.request(method, path, headers, body)
        finally:
            client.close()

    def result(self, method, path, headers={}, values=None, number=0):
        """Returns the JSON of a response, which must be a success."""
        response = self.request(method, path, headers, values, number)
        if not 200 <= response.status < 300:
            raise harness.Failure(f"{method} {path}: {response}")
        return json.loads(response.body) if response.body else None

    def user(self, name):
        """Creates a user; returns the id and the headers of the user's requests."""
        headers = {"tb-auth-token": f"token-of-{name}"}
        created = self.result("POST", "/v1/users", {
            "tb-app-secret": harness.SECRET, "tb-device-token": headers["tb-auth-token"]})
        return created["id"], headers

    def account(self, name):
        """Creates a Todo account; returns its id and the headers of its requests."""
        created = self.result("POST", "/v1/users", values={"user": {
            "email": f"{name}@example.com", "password": "correct horse battery"}})
        return created["id"], {"Authorization": "Bearer " + created["authentication_token"]}

    def events(self, query, headers={}, number=0):
        """Returns the events that a search shows, by id, without what depends on its point."""
        events, cursor = {}, ""
        while cursor is not None:
            page = self.result(
                "GET", f"/v1/events?{query}&sort=id&limit=1000{cursor}", headers, None, number)
            for event in page["events"]:
                event.pop("distance", None)
                event.pop("bearing", None)
                events[event["id"]] = event
            cursor = page["next"] and f"&cursor={page['next']}"
        return events

    def own_records(self, user, headers, number=0):
        """Returns the events and the attendances that `mine=1` shows, by id."""
        events = {**self.events("owner=me&status=any", headers, number),
                  **self.events("attendee=me&status=any", headers, number)}
        attendances = {}
        for id, event in events.items():
            listed = self.result("GET", f"/v1/events/{id}/attendances", headers, None, number)
            for attendance in listed["attendances"]:
                if user in (event["owner"]["id"], attendance["user"]["id"]):
                    attendances[attendance["id"]] = (attendance["user"]["id"], id)
        return events, attendances

    def tasks(self, headers, number=0):
        tasks = self.result("GET", "/v1/tasks", headers, None, number)
        return {task["id"]: task for task in tasks}

    def latest(self):
        """Returns the number of the last row of the log."""
        return int(self.storage.rows("SELECT coalesce(max(seq), 0) FROM changes")[0][0])

    def close(self):
        """Ends the servers and deletes their files; returns what was wrong."""
        problems = []
        for number, server in enumerate(self.servers):
            if server.is_alive() and (code := server.stop()):
                problems.append(f"a server ended with {code}: {self.log(number)}")
        self.storage.remove()
        shutil.rmtree(self.folder)
        return problems
