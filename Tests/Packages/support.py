#!/usr/bin/env python3
"""Helps Tests/Packages/run: waits for responses, and upgrades a server under load.

    support.py loopback                 enables the network interface `lo` of a new namespace
    support.py await URL SECONDS        waits for a response with status 200
    support.py upgrade OLD NEW FOLDER   replaces program OLD by NEW under load, as systemd does
    support.py load SECRET COMMAND…     runs a command while clients use the server on port 3000
"""

import collections
import fcntl
import http.client
import json
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

CLIENTS = 32
SECRET = "secret"
# Leaves the database as it was before the newest migration, as in Tests/HumonTests/Program.swift.
UNDOING = """
    DROP TABLE admin_tokens;
    DROP TABLE admins;
    DELETE FROM schema_migrations WHERE name = '0022_create_admins';
"""


def loopback():
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, get_flags, struct.pack("16sH14s", b"lo", 0, b""))
        flags = struct.unpack("16sH14s", request)[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14s", b"lo", flags | up, b""))


def await_response(url, seconds):
    end = time.monotonic() + float(seconds)
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                if response.status == 200:
                    return
        except (OSError, urllib.error.URLError) as error:
            last = error
        if time.monotonic() > end:
            sys.exit(f"{url} did not return 200 within {seconds} s: {last}")
        time.sleep(0.01)


class Service:
    """What systemd does for humon.socket and humon.service."""

    def __init__(self, folder):
        self.folder = folder
        self.database = os.path.join(folder, "humon.sqlite3")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(os.path.join(folder, "notify"))
        self.notices.settimeout(120)
        self.log = os.path.join(folder, "log")

    def start(self, program):
        """Starts a program, and waits until it is ready."""
        environment = {
            "LISTEN_FDS": "1", "NOTIFY_SOCKET": os.path.join(self.folder, "notify"),
            "TB_APP_SECRET": SECRET, "DATABASE_URL": "sqlite:" + self.database,
            "RATE_LIMIT": "off", "ADMIN_PORT": "off", "LOG_LEVEL": "info", "LOG_FORMAT": "json",
        }

        def prepare():
            os.dup2(self.listener.fileno(), 3)
            os.set_inheritable(3, True)

        with open(self.log, "ab") as log:
            # The shell has the process id of the program.
            process = subprocess.Popen(
                ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$0" serve', program], env=environment,
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=[3, self.listener.fileno()], preexec_fn=prepare,
            )
        self.expect(b"READY=1")
        return process

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        self.expect(b"STOPPING=1")
        status = process.wait(timeout=60)
        if status != 0:
            sys.exit(f"the server ended with status {status}")

    def expect(self, notice):
        received = self.notices.recv(256)
        if received != notice:
            sys.exit(f"the server said {received}, not {notice}")


class Load:
    """Clients that read and write without a pause, and note what goes wrong."""

    def __init__(self, port, secret=SECRET):
        self.port = port
        self.failures = collections.Counter()
        self.responses = collections.Counter()
        self.written, self.longest, self.ending = [], 0.0, False
        self.lock = threading.Lock()
        status, body = self.send(
            http.client.HTTPConnection("127.0.0.1", port), "POST", "/v1/users",
            {"tb-app-secret": secret})
        if status != 200:
            sys.exit(f"sign-up failed: {status} {body}")
        self.token = json.loads(body)["auth_token"]
        self.threads = [
            threading.Thread(target=self.run, args=(number,)) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def send(connection, method, path, headers, body=None):
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()

    def run(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        turn = 0
        while not self.ending:
            turn += 1
            name = f"event {number} {turn}"
            began = time.monotonic()
            try:
                if turn % 4 == 0:
                    event = {"name": name, "lat": 1, "lon": 2, "started_at": "2030-01-01T00:00:00Z"}
                    status, body = self.send(
                        connection, "POST", "/v1/events",
                        {"tb-auth-token": self.token, "Content-Type": "application/json"},
                        json.dumps(event))
                else:
                    status, body = self.send(
                        connection, "GET", "/v1/events?lat=1&lon=2&limit=5", {})
                failure = None if 200 <= status < 300 else f"status {status}: {body[:100]}"
            except ConnectionRefusedError:
                failure = "refused"
            except (OSError, http.client.HTTPException) as error:
                failure = f"lost: {error!r}"
                connection.close()
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - began)
                if failure:
                    self.failures[failure] += 1
                else:
                    self.responses["write" if turn % 4 == 0 else "read"] += 1
                    if turn % 4 == 0:
                        self.written.append((json.loads(body)["id"], name))
        connection.close()

    def await_responses(self, count):
        goal = sum(self.responses.values()) + count
        end = time.monotonic() + 60
        while sum(self.responses.values()) < goal:
            if time.monotonic() > end:
                sys.exit(f"no more responses; failures: {dict(self.failures)}")
            time.sleep(0.01)

    def finish(self):
        self.ending = True
        for thread in self.threads:
            thread.join()


def undo_newest_migration(path):
    database = sqlite3.connect(path)
    database.executescript("BEGIN;" + UNDOING + "COMMIT;")
    database.close()


def upgrade(old, new, folder):
    """Replaces the program three times, and each time the newest migration is pending."""
    service = Service(folder)
    process = service.start(old)
    load = Load(service.port)
    for _ in range(3):
        load.await_responses(5000)
        service.stop(process)
        undo_newest_migration(service.database)
        process = service.start(new)
    load.await_responses(5000)
    load.finish()
    service.stop(process)

    database = sqlite3.connect(service.database)
    stored = set(database.execute("SELECT id, name FROM events"))
    integrity = database.execute("PRAGMA integrity_check").fetchall()
    database.close()
    missing = [event for event in load.written if event not in stored]
    backups = sorted(os.listdir(os.path.join(folder, "backups")))
    report(load, missing)
    if integrity != [("ok",)] or not backups:
        sys.exit(f"{integrity} {backups}")


def report(load, missing):
    """Prints what the clients saw, and fails if anything was lost."""
    refused = load.failures.pop("refused", 0)
    print(f"{load.responses['read']} reads, {load.responses['write']} writes, {refused} refused, "
          f"{sum(load.failures.values())} lost, {len(missing)} acknowledged writes missing, "
          f"longest wait {load.longest:.1f} s")
    if refused or load.failures or missing:
        sys.exit(f"{dict(load.failures)} {missing[:5]}")


def load_during(secret, *command):
    """Runs a command under load. Every event that was acknowledged must be there afterwards."""
    load = Load(3000, secret)
    load.await_responses(5000)
    result = subprocess.run(command, capture_output=True, text=True)
    load.await_responses(5000)
    load.finish()
    connection = http.client.HTTPConnection("127.0.0.1", 3000)
    missing = []
    for identifier, name in load.written:
        status, body = load.send(connection, "GET", f"/v1/events/{identifier}", {})
        if status != 200 or json.loads(body)["name"] != name:
            missing.append((identifier, name))
    report(load, missing)
    if result.returncode != 0:
        sys.exit(f"{command} ended with {result.returncode}: {result.stdout}{result.stderr}")


COMMANDS = {
    "loopback": loopback, "await": await_response, "upgrade": upgrade, "load": load_during,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
