"""What the scripts beside this one share: the program as a process, clients of it, and strace."""

import atexit
import collections
import json
import math
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

SECRET = "secret"
TOKEN = "token-of-the-load"


class Failure(Exception):
    """What must hold does not."""


def folder_for_tests():
    """A new folder; in a file system on a disk unless TMPDIR says otherwise."""
    return tempfile.mkdtemp(prefix="humon-faults-")


def can_trace():
    """None if strace can trace a process here, or else why not."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, text=True
    )
    return None if tried.returncode == 0 else "strace may not trace: " + tried.stderr.strip()


class Server:
    """`humon serve` on ports that the system chooses, with its database in `folder`."""

    def __init__(self, humon, folder, prefix=(), start=True, **settings):
        self.humon, self.folder = humon, folder
        self.database = os.path.join(folder, "humon.sqlite3")
        self.environment = {
            "PATH": os.environ["PATH"], "TB_APP_SECRET": SECRET, "PORT": "0", "ADMIN_PORT": "0",
            "DATABASE_URL": "sqlite:" + self.database, "RATE_LIMIT": "off", "WORKERS": "2",
            "LOG_FORMAT": "json", "HUMON_ENV_FILE": "", **settings,
        }
        self.process = self.log_path = None
        atexit.register(self.forget_log)
        if start and not self.start(prefix):
            raise Failure("the server does not start: " + self.log())

    def start(self, prefix=()):
        """Starts it and returns whether it listens; if not, it has ended by itself."""
        self.forget_log()
        # Outside of the folder, whose file system may be full.
        descriptor, self.log_path = tempfile.mkstemp(prefix="humon-log-")
        with os.fdopen(descriptor, "wb") as log:
            self.process = subprocess.Popen(
                [*prefix, self.humon, "serve"], stderr=log, stdout=subprocess.DEVNULL,
                env=self.environment, cwd=self.folder,
            )
        while True:
            ports = re.findall(r'"port":"(\d+)"', self.log())
            if len(ports) == 2:
                self.port, self.admin_port = map(int, ports)
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.002)

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def forget_log(self):
        if self.log_path:
            os.unlink(self.log_path)
            self.log_path = None

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Asks it to end and returns its exit code."""
        self.process.terminate()
        return self.process.wait(timeout=30)

    def client(self):
        return Client(self.port)

    def sign_up(self):
        answer = self.client().request("POST", "/v1/users", {
            "tb-app-secret": SECRET, "tb-device-token": TOKEN})
        if answer.status != 200:
            raise Failure(f"no sign-up: {answer}")

    def await_ready(self, limit):
        """How many seconds it took until /readyz said so."""
        began = time.monotonic()
        while True:
            try:
                if Client(self.admin_port).request("GET", "/readyz").status == 200:
                    return time.monotonic() - began
            except OSError:
                pass
            if time.monotonic() - began > limit:
                raise Failure(f"not ready within {limit} s: {self.log()[-2000:]}")
            time.sleep(0.005)

    def integrity_problems(self):
        """What SQLite finds wrong; the server may be running."""
        connection = sqlite3.connect(self.database)
        try:
            rows = connection.execute("PRAGMA integrity_check").fetchall()
            rows += connection.execute("PRAGMA foreign_key_check").fetchall()
            rows += misplaced_events(connection)
            return [row for row in rows if row != ("ok",)]
        finally:
            connection.close()


def cell_key(latitude, longitude):
    """The cell of a place: the program's own function of that name, from its definition."""
    if abs(latitude) == 90:
        vector = (0.0, 0.0, latitude / 90)
    else:
        phi, theta = math.radians(latitude), math.radians(180 if longitude == -180 else longitude)
        vector = (math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi))
    axis = max(range(3), key=lambda number: abs(vector[number]))
    key = (axis + 3 if vector[axis] < 0 else axis) << 58
    others = [vector[number] / abs(vector[axis]) for number in range(3) if number != axis]
    for shift, coordinate in zip((1, 0), others):
        place = math.floor(2**29 * (0.5 + 2 / math.pi * math.atan(coordinate)))
        place = max(0, min(2**29 - 1, place))
        key |= sum((place >> bit & 1) << 2 * bit + shift for bit in range(29))
    return key


def misplaced_events(connection):
    """The ids of the events whose cells are not those of their places, which no search finds."""
    rows = connection.execute("SELECT id, latitude, longitude, cell FROM events")
    return [(number,) for number, latitude, longitude, cell in rows
            if cell != cell_key(latitude, longitude)]


Answer = collections.namedtuple("Answer", "status headers body")


class Client:
    """A connection that is kept open; raises OSError if it breaks."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")

    def request(self, method, path, headers={}, body=b""):
        lines = [f"{method} {path} HTTP/1.1", "Host: a", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        line = self.input.readline()
        if not line:
            raise ConnectionResetError("closed before the answer")
        status, fields = int(line.split()[1]), {}
        while (line := self.input.readline().strip()):
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        count = int(fields.get("content-length", 0))
        body = self.input.read(count)
        if len(body) < count:
            raise ConnectionResetError("closed within the answer")
        return Answer(status, fields, body)

    def post_event(self, name, latitude=1.0, longitude=2.0):
        body = json.dumps({"name": name, "lat": latitude, "lon": longitude,
                           "started_at": "2013-09-16T00:00:00.000Z"}).encode()
        return self.request("POST", "/v1/events", {"tb-device-token": TOKEN}, body)

    def holds(self, number, name):
        """Whether the server answers the event with its name; None if it answers 503."""
        answer = self.request("GET", f"/v1/events/{number}")
        if answer.status == 503:
            return None
        return answer.status == 200 and json.loads(answer.body)["name"] == name

    def close(self):
        self.input.close()
        self.socket.close()


def lost(server, acknowledged):
    """The events of a dictionary of ids and names that the server does not answer."""
    client = server.client()
    missing = []
    for number, name in acknowledged.items():
        for _ in range(200):
            held = client.holds(number, name)
            if held is not None:
                break
            time.sleep(0.01)
        if not held:
            missing.append((number, name))
    client.close()
    return missing


class Load:
    """Writers that post events one after another, and a reader that asks for what is acknowledged.

    What is wrong whatever the disk does is in `problems`: an answer that is neither 200 nor a
    proper 503, a lost event, or an id that was given twice.
    """

    def __init__(self, server, label, writers=3, pause=0.0, reads=True, polls=False):
        self.server, self.label, self.pause = server, label, pause
        self.acknowledged, self.refused, self.problems = {}, [], []
        self.reads = self.refused_reads = self.polls = self.failed_polls = 0
        self.messages = collections.Counter()
        self.is_over = False
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._write, args=(n,)) for n in range(writers)]
        if reads:
            self.threads.append(threading.Thread(target=self._read))
        if polls:
            self.threads.append(threading.Thread(target=self._poll))
        for thread in self.threads:
            thread.start()

    def await_answers(self, count, limit=30):
        """Waits until there are so many answers to writes."""
        deadline = time.monotonic() + limit
        while len(self.acknowledged) + len(self.refused) < count and self.server.is_alive():
            if time.monotonic() > deadline:
                raise Failure(f"no {count} answers within {limit} s: {self.server.log()[-2000:]}")
            time.sleep(0.002)

    def finish(self):
        """Ends the load; returns itself."""
        self.is_over = True
        for thread in self.threads:
            thread.join()
        return self

    def _write(self, writer):
        try:
            client = self.server.client()
            number = 0
            while not self.is_over:
                name = f"{self.label}-{writer}-{number}"
                answer = client.post_event(name, number % 180 - 90, writer)
                self._note(name, answer)
                number += 1
                # A refused client waits a little, as it is told to, though not for as long.
                time.sleep(self.pause or (0.005 if answer.status == 503 else 0))
            client.close()
        except OSError:
            # The server is gone, which the test asked for or notices by itself.
            pass

    def _note(self, name, answer):
        with self.lock:
            if answer.status == 200:
                number = json.loads(answer.body)["id"]
                if number in self.acknowledged:
                    self.problems.append(f"id {number} was given twice")
                self.acknowledged[number] = name
                return
            self.refused.append(name)
            if answer.status != 503 or "retry-after" not in answer.headers:
                self.problems.append(f"{answer}")
                return
            message = json.loads(answer.body).get("message", "")
            self.messages[message] += 1
            if not message:
                self.problems.append(f"503 without a message: {answer}")

    def _read(self):
        try:
            client = self.server.client()
            while not self.is_over:
                with self.lock:
                    latest = next(reversed(self.acknowledged.items()), None)
                if latest:
                    held = client.holds(*latest)
                    self.reads += 1
                    if held is None:
                        self.refused_reads += 1
                    elif not held:
                        self.problems.append(f"{latest} is not read back")
                time.sleep(0.001)
            client.close()
        except OSError:
            pass

    def _poll(self):
        try:
            client = Client(self.server.admin_port)
            while not self.is_over:
                status = client.request("GET", "/readyz").status
                self.polls += 1
                if status == 503:
                    self.failed_polls += 1
                elif status != 200:
                    self.problems.append(f"/readyz: {status}")
            client.close()
        except OSError:
            pass


class Injection:
    """Lets system calls of a running process fail while it is attached."""

    def __init__(self, pid, faults, output):
        """Each fault is a call, an error, and which of each thread's calls fail."""
        self.output = output
        arguments = ["-e", "trace=" + ",".join(call for call, _, _ in faults)]
        for call, error, when in faults:
            arguments += ["-e", f"inject={call}:error={error}:when={when}"]
        self.process = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", output, "-p", str(pid), *arguments],
            stderr=subprocess.DEVNULL,
        )
        while not self._traces(pid):
            if self.process.poll() is not None:
                raise Failure("strace has ended")
            time.sleep(0.002)

    def _traces(self, pid):
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                with open(f"/proc/{pid}/task/{task}/status") as status:
                    if re.search(r"^TracerPid:\t0$", status.read(), re.M):
                        return False
            except FileNotFoundError:
                pass
        return True

    def fired(self, call):
        """How many calls of this name have failed so far."""
        with open(self.output, errors="replace") as trace:
            return sum(1 for line in trace if "(INJECTED)" in line and call in line)

    def end(self):
        """Detaches."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait()
