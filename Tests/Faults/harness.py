"""Shared by the scripts in this folder: the server as a process, its clients, and strace."""

import atexit
import collections
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

SECRET = "secret"
TOKEN = "token-of-the-load"


class Failure(Exception):
    """A check that failed."""


def folder_for_tests():
    """Creates a folder; TMPDIR decides where."""
    return tempfile.mkdtemp(prefix="humon-faults-")


def can_trace():
    """Returns None if strace can trace processes here, otherwise the reason."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, text=True
    )
    if tried.returncode == 0:
        return None
    return "strace has no permission to trace: " + tried.stderr.strip()


class Server:
    """`humon serve` on free ports, with its database in `folder`."""

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
            raise Failure("the server doesn't start: " + self.log())

    def start(self, prefix=()):
        """Starts the server; returns whether it is listening. If not, it has exited."""
        self.forget_log()
        # Not in `folder`, because its file system may be full.
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
        """Stops the server and returns its exit code."""
        self.process.terminate()
        return self.process.wait(timeout=30)

    def client(self):
        return Client(self.port)

    def sign_up(self):
        response = self.client().request("POST", "/v1/users", {
            "tb-app-secret": SECRET, "tb-device-token": TOKEN})
        if response.status != 200:
            raise Failure(f"sign-up failed: {response}")

    def await_ready(self, limit):
        """Waits until /readyz returns 200; returns the seconds."""
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


Response = collections.namedtuple("Response", "status headers body")


class Client:
    """A persistent connection; raises OSError if it breaks."""

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
            raise ConnectionResetError("closed before the response")
        status, fields = int(line.split()[1]), {}
        while (line := self.input.readline().strip()):
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        # Responses with these statuses have no body, even with a length (RFC 9112, section 6.3).
        has_body = method != "HEAD" and status not in (204, 304)
        count = int(fields.get("content-length", 0)) if has_body else 0
        body = self.input.read(count)
        if len(body) < count:
            raise ConnectionResetError("closed during the response")
        return Response(status, fields, body)

    def post_event(self, name, latitude=1.0, longitude=2.0):
        body = json.dumps({"lat": latitude, "lon": longitude,
                           "started_at": "2013-09-16T00:00:00.000Z", **attributes(name)}).encode()
        return self.request("POST", "/v1/events", {"tb-device-token": TOKEN}, body)

    def holds(self, number, name):
        """Whether the server returns the event with this name, whole; None if it returns 503."""
        response = self.request("GET", f"/v1/events/{number}")
        if response.status == 503:
            return None
        return response.status == 200 and is_whole(json.loads(response.body), name)

    def events(self):
        """Returns the latest 1000 events."""
        return json.loads(self.request("GET", "/v1/events?status=any&sort=-id&limit=1000").body)["events"]

    def close(self):
        self.input.close()
        self.socket.close()


def attributes(name):
    """Returns the attributes of an event but its place and time.

    Events whose names begin with "whole" have all that an event can have.
    """
    if not name.startswith("whole"):
        return {"name": name}
    return {"name": name, "address": f"Address of {name}", "description": f"All of {name}",
            "url": f"https://example.com/{name}", "image_url": f"https://example.com/{name}.png",
            "category": "concerts", "tags": ["jazz", name], "status": "postponed",
            "series_id": f"series {name}", "data": {"name": name, "seats": [1, 2, 3]}}


def is_whole(event, name):
    """Whether an event has all attributes with which `post_event` has posted it."""
    return all(event.get(key) == value for key, value in attributes(name).items())


def lost(server, acknowledged):
    """Returns those events of a dictionary of ids and names that the server doesn't return."""
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
    """Writers that post events one after another, and a reader that requests acknowledged events.

    `problems` contains what a failing disk doesn't excuse: a response that is neither 200 nor a
    proper 503, a lost event, or an id that was assigned twice.
    """

    def __init__(self, server, label, writers=3, pause=0.0, reads=True, polls=False):
        self.server, self.label, self.pause = server, label, pause
        self.acknowledged, self.rejected, self.problems = {}, [], []
        self.reads = self.rejected_reads = self.polls = self.failed_polls = 0
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

    def await_responses(self, count, limit=30):
        """Waits until `count` writes have got a response."""
        deadline = time.monotonic() + limit
        while len(self.acknowledged) + len(self.rejected) < count and self.server.is_alive():
            if time.monotonic() > deadline:
                log = self.server.log()[-2000:]
                raise Failure(f"fewer than {count} responses within {limit} s: {log}")
            time.sleep(0.002)

    def finish(self):
        """Stops the load and returns it."""
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
                response = client.post_event(name, number % 180 - 90, writer)
                self._note(name, response)
                number += 1
                # A rejected client waits, though for less than Retry-After says.
                time.sleep(self.pause or (0.005 if response.status == 503 else 0))
            client.close()
        except OSError:
            # The server has ended. The test caused that, or notices it.
            pass

    def _note(self, name, response):
        with self.lock:
            if response.status == 200:
                number = json.loads(response.body)["id"]
                if number in self.acknowledged:
                    self.problems.append(f"id {number} was assigned twice")
                self.acknowledged[number] = name
                return
            self.rejected.append(name)
            if response.status != 503 or "retry-after" not in response.headers:
                self.problems.append(f"{response}")
                return
            message = json.loads(response.body).get("message", "")
            self.messages[message] += 1
            if not message:
                self.problems.append(f"503 without a message: {response}")

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
                        self.rejected_reads += 1
                    elif not held:
                        self.problems.append(f"reading does not return {latest}")
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


def tasks(pid):
    """Returns the threads of a process; none if it has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return []


class Injection:
    """Makes system calls of running processes fail while strace is attached."""

    def __init__(self, processes, faults, output):
        """Each fault is a call, an error, and which of each thread's calls fail (see strace)."""
        self.output = output
        arguments = ["-e", "trace=" + ",".join(call for call, _, _ in faults)]
        for call, error, when in faults:
            arguments += ["-e", f"inject={call}:error={error}:when={when}"]
        self.process = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", output, *arguments,
             *(text for process in processes for text in ("-p", str(process)))],
            stderr=subprocess.DEVNULL,
        )
        while not all(self._traces(process) for process in processes):
            if self.process.poll() is not None:
                raise Failure("strace has exited")
            time.sleep(0.002)

    def _traces(self, pid):
        for task in tasks(pid):
            try:
                with open(f"/proc/{pid}/task/{task}/status") as status:
                    if re.search(r"^TracerPid:\t0$", status.read(), re.M):
                        return False
            except FileNotFoundError:
                pass
        return True

    def fired(self, call):
        """Returns the number of calls of this name that have failed so far."""
        with open(self.output, errors="replace") as trace:
            return sum(1 for line in trace if "(INJECTED)" in line and call in line)

    def end(self):
        """Detaches strace."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait()
