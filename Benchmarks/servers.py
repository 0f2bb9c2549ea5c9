"""The servers to measure, and a PostgreSQL server for them."""

import contextlib
import csv
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TICK = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count()
SECRET = "secret"
USERS = 1000
GO_PACKAGES = "/usr/share/gocode"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """A PostgreSQL server with its data in `folder`, until `stack` ends."""

    def __init__(self, programs, folder, stack):
        self.programs, self.port = programs, free_port()
        # PostgreSQL refuses to run as root.
        user = {}
        if os.geteuid() == 0:
            user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        data = f"{folder}/postgresql"
        subprocess.run(
            [f"{programs}/initdb", "--no-sync", "--auth=trust", "--username=postgres",
             "--encoding=UTF8", "--locale=C", "--pgdata", data],
            check=True, cwd=folder, stdout=subprocess.DEVNULL, **user,
        )
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_048_576
        settings = {
            "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder,
            "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
            "shared_buffers": f"{min(memory // 4, 4096)}MB", "max_connections": 200,
            # Their work would count for the server that is measured at that moment.
            "autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "16GB",
        }
        self.process = subprocess.Popen(
            [f"{programs}/postgres", "-D", data, *(f"--{k}={v}" for k, v in settings.items())],
            cwd=folder, stderr=open(f"{folder}/postgresql.log", "w"), start_new_session=True,
            **user,
        )
        stack.callback(self.stop)
        deadline = time.monotonic() + 30
        while subprocess.run(
            [f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        ).returncode:
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(pathlib.Path(f"{folder}/postgresql.log").read_text())
            time.sleep(0.05)

    def url(self, database, parameters=""):
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}{parameters}"

    def sql(self, database, text, rows=None):
        """Runs statements, and copies `rows` into the first one if there are any."""
        words = [f"{self.programs}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", self.url(database)]
        if rows is None:
            return subprocess.run(
                words, input=text, check=True, stdout=subprocess.PIPE, text=True
            ).stdout.strip()
        with subprocess.Popen([*words, "-c", text], stdin=subprocess.PIPE, text=True) as process:
            csv.writer(process.stdin).writerows(rows)
        if process.returncode:
            sys.exit(f"the rows can't be copied into {database}")

    def cpu_seconds(self):
        """The CPU time of all processes of the server, also of those that have ended."""
        pid = self.process.pid
        total = sum(cpu_ticks(pid))
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            total += sum(cpu_ticks(child)[:2])
        return total / TICK

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=120)


def cpu_ticks(pid):
    """User and system time of a process, then the same of the children that it waited for."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return [int(field) for field in fields[11:15]]
    except OSError:
        return [0, 0, 0, 0]


class Server:
    """A server to measure, until `stack` ends. Its log is in `folder`."""

    def __init__(self, name, command, environment, folder, stack, cluster=None):
        self.name, self.cluster = name, cluster
        self.port = int(environment["PORT"])
        self.log = pathlib.Path(f"{folder}/{name}.log")
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, cwd=folder, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=open(self.log, "w"),
        )
        stack.callback(self.stop)
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                if self.get("/v1/events/1")[0] in (200, 404):
                    return
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{name} doesn't start: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def get(self, path):
        status, _, body = self.fetch(path)
        return status, body

    def fetch(self, path, headers={}):
        """Returns the status, the headers and the body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def cpu_seconds(self):
        return sum(cpu_ticks(self.process.pid)[:2]) / TICK

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def build_go_server(folder, source="go-postgresql"):
    """Builds a Go server and returns its path. Exits if something isn't installed."""
    missing = [name for name in ("go", "wrk") if not shutil.which(name)]
    program = f"{folder}/{source}"
    if missing or subprocess.run(
        ["go", "build", "-o", program, "."], cwd=HERE / source,
        env={**os.environ, "GO111MODULE": "off", "GOPATH": GO_PACKAGES},
    ).returncode:
        sys.exit("Install the packages wrk, golang-go, golang-github-lib-pq-dev and "
                 "golang-github-jackc-pgx-v4-dev.")
    return program


def copy_events(cluster, database, path):
    """Copies the events of an NDJSON file into the table `events`."""
    names = ("id", "name", "address", "lat", "lon", "started_at", "ended_at")
    with open(path) as file:
        events = map(json.loads, file)
        rows = ([event["owner"]["id"], *(event[name] for name in names)] for event in events)
        columns = ", ".join(("user_id", *names))
        cluster.sql(database, f"COPY events ({columns}) FROM STDIN (FORMAT csv)", rows)


def start_go_servers(arguments, folder, stack, cluster, program):
    """Fills the databases of the Go servers, and starts and returns them."""
    cluster.sql("postgres", "CREATE DATABASE go_pq;")
    cluster.sql("go_pq", (HERE / "go-postgresql/schema.sql").read_text())
    cluster.sql("go_pq", f"""
        INSERT INTO users SELECT n, 'token-' || n FROM generate_series(1, {USERS}) AS n;
    """)
    copy_events(cluster, "go_pq", f"{arguments.data}/{arguments.events}.ndjson")
    cluster.sql("go_pq", """
        CREATE INDEX events_place ON events USING gist (place);
    """)
    if arguments.same_indexes:
        cluster.sql("go_pq", """
            CREATE INDEX events_started_at ON events (started_at, id);
            CREATE INDEX events_user_id ON events (user_id, id);
        """)
    cluster.sql("go_pq", """
        SELECT setval(pg_get_serial_sequence('events', 'id'), max(id)) FROM events;
        VACUUM ANALYZE;
    """)
    cluster.sql("postgres", "CREATE DATABASE go_pgx TEMPLATE go_pq STRATEGY file_copy;")
    servers = []
    for driver in ("pq", "pgx"):
        port = free_port()
        url = cluster.url(f"go_{driver}", "?sslmode=disable&statement_timeout=5000")
        environment = {
            "DATABASE_URL": url, "POOL": str(arguments.pool), "ADDR": f"127.0.0.1:{port}",
            "PORT": str(port),
        }
        command = [program, driver]
        servers.append(Server(f"go-{driver}", command, environment, folder, stack, cluster))
    return servers


class Humon:
    """A version of Humon and its database: SQLite, or one in the PostgreSQL `cluster`."""

    def __init__(self, program, folder, name, cluster=None, **settings):
        self.program, self.folder, self.name = str(pathlib.Path(program).resolve()), folder, name
        self.cluster = cluster
        url = cluster.url("humon") if cluster else f"sqlite:{folder}/{name}.sqlite3"
        self.settings = {
            "DATABASE_URL": url, "PORT": str(free_port()), "ADMIN_PORT": "0",
            "TB_APP_SECRET": SECRET, "HUMON_ENV_FILE": "", "LOG_FORMAT": "json", **settings,
        }

    def run(self, *words):
        """Runs a command of the program."""
        return subprocess.run(
            [self.program, *words], env={**os.environ, **self.settings}, cwd=self.folder,
            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )

    def start(self, stack):
        command = [self.program, "serve"]
        return Server(self.name, command, self.settings, self.folder, stack, self.cluster)

    def fill(self, stack, events, attendances=None):
        """Creates the tables and the users, and imports files. Returns False if unsupported."""
        if self.cluster:
            self.cluster.sql("postgres", "CREATE DATABASE humon;")
        migration = self.run("migrate")
        if migration.returncode:
            print(f"Skipped: {self.name}. {migration.stderr.strip()}", file=sys.stderr)
            return False
        server = self.start(stack)
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for number in range(1, USERS + 1):
            headers = {"tb-app-secret": SECRET, "tb-device-token": f"token-{number}"}
            connection.request("POST", "/v1/users", headers=headers)
            response = connection.getresponse()
            if json.loads(response.read()).get("id") != number:
                sys.exit(f"{self.name}: user {number} was not created: {response.status}")
        connection.close()
        server.stop()
        self.import_records(events, "events")
        if attendances:
            self.import_records(attendances, "attendances")
        # After the last import: statistics of empty tables would cause plans with table scans.
        if self.cluster:
            self.cluster.sql("humon", "VACUUM ANALYZE;")
        return True

    def import_records(self, path, kind):
        result = self.run("import", os.path.abspath(path), "--of", kind)
        if result.returncode:
            sys.exit(f"{self.name} can't import {path}: {result.stderr}")


def start_humon(arguments, folder, stack, name, cluster=None):
    """Fills a database with Humon, and starts the server; [] if Humon doesn't support it."""
    humon = Humon(arguments.humon, folder, name, cluster)
    filled = humon.fill(stack, f"{arguments.data}/{arguments.events}.ndjson")
    return [humon.start(stack)] if filled else []


class Wrk:
    """Runs wrk with a Lua script, and measures CPU time."""

    def __init__(self, script):
        self.script = script

    def run(self, server, connections, seconds, words):
        """Returns the measurements of a run."""
        before = self.clocks(server)
        output = subprocess.run(
            ["wrk", f"-t{min(2, connections)}", f"-c{connections}", f"-d{seconds}s",
             "--timeout", "10s", "-s", self.script, f"http://127.0.0.1:{server.port}", "--",
             *map(str, words)],
            capture_output=True, text=True,
        )
        after = self.clocks(server)
        elapsed, own, postgres, busy, wrk = (b - a for a, b in zip(before, after))
        found = re.search(r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)", output.stdout, re.M)
        if not found:
            sys.exit(f"wrk: {output.stdout} {output.stderr}")
        requests, duration, p50, p99, status, broken = map(int, found.groups())
        if abs(duration / 1e6 - seconds) > 0.5:
            # wrk uses the wall clock, which virtual machines sometimes set.
            print(f"Repeated: by wrk's clock {seconds} s took {duration / 1e6:.1f} s.",
                  file=sys.stderr)
            return self.run(server, connections, seconds, words)
        each = 1e6 / max(requests, 1)
        return {
            "requests": requests, "rate": requests / duration * 1e6,
            "p50": p50 / 1000, "p99": p99 / 1000,
            "status_errors": status, "socket_errors": broken,
            "cpu_us": (own + postgres) * each, "server_us": own * each,
            "postgres_us": postgres * each,
            "other": max(0.0, (busy - own - postgres - wrk) / (elapsed * CORES)),
        }

    @staticmethod
    def clocks(server):
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        machine = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
        busy = sum(int(machine[index]) for index in (0, 1, 2, 5, 6, 7)) / TICK
        postgres = server.cluster.cpu_seconds() if server.cluster else 0
        return (time.monotonic(), server.cpu_seconds(), postgres, busy,
                ended.ru_utime + ended.ru_stime)
