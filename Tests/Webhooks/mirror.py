#!/usr/bin/env python3
"""Compares what the receivers of docs/webhooks.md mirror with what searches return.

    Tests/Webhooks/mirror.py [--writes 300] [--seed N]

HUMON_PROGRAM is the program to test, by default .build/debug/humon. Random writes create, move,
cancel and delete events, while the server and the receivers are killed. Then a backup is restored,
so that the receivers have events that the database has lost.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Faults"))
import harness  # noqa: E402
from shared import RECEIVERS, HTTPReceiver  # noqa: E402

REGION = {"lat": 1, "lon": 2, "radius": 20}
HEADERS = {"tb-device-token": harness.TOKEN, "Content-Type": "application/json"}


class Mirror:
    """A receiver in a folder of its own, which can be killed."""

    def __init__(self, test, name, *command):
        self.name, self.command, self.process = name, command, None
        self.folder = test.folder / name
        self.folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        added = test.humon(
            "webhook", "add", f"http://127.0.0.1:{self.port}/", "--allow-private", "--batch", "3",
            "--snapshot", *[word for key, value in REGION.items() for word in (f"--{key}", value)])
        self.id, self.secret = added.split()[1], added.split()[-1]
        self.start()

    def start(self):
        self.process = HTTPReceiver(self.folder, self.secret, *self.command, port=self.port)

    def kill(self):
        if self.process:
            self.process.close()
        self.process = None

    def events(self):
        if (file := self.folder / "mirror.json").exists():
            return {int(id): event for id, event in json.loads(file.read_text())["events"].items()}
        if not (file := self.folder / "mirror.sqlite3").exists():
            return {}
        database = sqlite3.connect(file)
        rows = database.execute("SELECT id, event FROM events").fetchall()
        database.close()
        return {id: json.loads(event) for id, event in rows}


class Test:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="humon-mirror-"))
        self.program = os.path.realpath(
            os.environ.get("HUMON_PROGRAM") or ROOT / ".build/debug/humon")
        self.server = harness.Server(
            self.program, str(self.folder), WEBHOOK_KEY=bytes(range(32)).hex())
        self.ids, self.kills = [], 0
        self.request("POST", "/v1/users", headers={
            "tb-app-secret": harness.SECRET, "tb-device-token": harness.TOKEN})
        for _ in range(10):
            self.create()
        commands = {"python": (sys.executable, RECEIVERS / "receiver.py")}
        if shutil.which("node"):
            commands["js"] = ("node", RECEIVERS / "receiver.js")
        self.mirrors = [Mirror(self, name, *command) for name, command in commands.items()]

    def humon(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, env=self.server.environment)
        if done.returncode != 0:
            raise harness.Failure(f"humon {arguments} failed: {done.stderr}")
        return done.stdout

    def request(self, method, path, values=None, headers=HEADERS):
        client = self.server.client()
        body = b"" if values is None else json.dumps(values).encode()
        response = client.request(method, path, headers, body)
        client.close()
        if response.status not in (200, 204, 404):
            raise harness.Failure(f"{method} {path} failed: {response}")
        return json.loads(response.body or b"null")

    def place(self):
        """A place that is as often in the region as not."""
        uniform = self.random.uniform
        return {"lat": 1 + uniform(-0.3, 0.3), "lon": 2 + uniform(-0.1, 0.1)}

    def create(self):
        values = {"name": f"Event {len(self.ids)}", "started_at": "2036-01-01T00:00:00Z"}
        self.ids.append(self.request("POST", "/v1/events", {**values, **self.place()})["id"])

    def write(self):
        id = self.random.choice(self.ids)
        match self.random.randrange(6):
            case 0 | 1: self.create()
            case 2: self.request("PATCH", f"/v1/events/{id}", self.place())
            case 3: self.request("DELETE", f"/v1/events/{id}")
            case 4:
                status = self.random.choice(["cancelled", "scheduled"])
                self.request("PATCH", f"/v1/events/{id}", {"status": status})
            case 5: self.request("PATCH", f"/v1/events/{id}", {"name": f"Name {len(self.ids)}"})

    def run(self, count):
        for _ in range(count):
            self.write()
            mirror = self.random.choice(self.mirrors)
            if self.random.random() < 0.05:
                self.kills += 1
                mirror.kill() if mirror.process else mirror.start()
            if self.random.random() < 0.02:
                self.kills += 1
                self.server.kill()
                self.server.start()
            if self.random.random() < 0.1:
                time.sleep(self.random.random())

    def restore(self):
        """Makes the server forget its latest writes."""
        file = self.folder / "copy.sqlite3"
        self.humon("backup", file)
        lost = len(self.ids)
        self.run(30)
        self.compare()
        self.server.stop()
        self.humon("restore", file)
        self.server.start()
        del self.ids[lost:]
        self.run(10)

    def compare(self):
        """Waits until each mirror has what a search returns."""
        query = "&".join(f"{key}={value}" for key, value in REGION.items())
        found = self.request("GET", f"/v1/events?{query}&limit=1000")["events"]
        wanted = {event["id"]: {key: value for key, value in event.items()
                                if key not in ("distance", "bearing")} for event in found}
        for mirror in self.mirrors:
            if mirror.process is None:
                mirror.start()
            self.humon("webhook", "resume", mirror.id)
        end = time.monotonic() + 60
        for mirror in self.mirrors:
            while (events := mirror.events()) != wanted:
                if time.monotonic() > end:
                    differ = [id for id in events.keys() | wanted.keys()
                              if events.get(id) != wanted.get(id)]
                    raise harness.Failure(f"{mirror.name} differs in {differ}: "
                                          + self.humon("webhook", "list"))
                time.sleep(0.1)
        return len(wanted)

    def close(self):
        for mirror in self.mirrors:
            mirror.kill()
        self.server.kill()
        shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    test = Test(options)
    try:
        test.run(options.writes)
        test.compare()
        test.restore()
        count = test.compare()
        names = ", ".join(mirror.name for mirror in test.mirrors)
        print(f"{names}: {count} events mirrored, after {test.kills} kills and a restore")
    except harness.Failure as failure:
        sys.exit(f"FAILED: {failure}")
    finally:
        test.close()


if __name__ == "__main__":
    main()
