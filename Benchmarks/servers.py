"""The servers that `Benchmarks/postgresql` measures, and a PostgreSQL server for them."""

import contextlib
import csv
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TICK = os.sysconf("SC_CLK_TCK")
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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()

    def cpu_seconds(self):
        return sum(cpu_ticks(self.process.pid)[:2]) / TICK

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def build_go_server(folder):
    """Builds the Go server and returns its path. Exits if something isn't installed."""
    missing = [name for name in ("go", "wrk") if not shutil.which(name)]
    program = f"{folder}/go-postgresql"
    if missing or subprocess.run(
        ["go", "build", "-o", program, "."], cwd=HERE / "go-postgresql",
        env={**os.environ, "GO111MODULE": "off", "GOPATH": GO_PACKAGES},
    ).returncode:
        sys.exit("Install the packages wrk, golang-go, golang-github-lib-pq-dev and "
                 "golang-github-jackc-pgx-v4-dev.")
    return program


def start_go_servers(arguments, folder, stack, cluster, program):
    """Fills the databases of the Go servers, and starts and returns them."""
    cluster.sql("postgres", "CREATE DATABASE go_pq;")
    cluster.sql("go_pq", (HERE / "go-postgresql/schema.sql").read_text())
    cluster.sql("go_pq", f"""
        INSERT INTO users SELECT n, 'token-' || n FROM generate_series(1, {USERS}) AS n;
    """)
    names = ("id", "name", "address", "lat", "lon", "started_at", "ended_at")
    with open(f"{arguments.data}/{arguments.events}.ndjson") as file:
        events = map(json.loads, file)
        rows = ([event["owner"]["id"], *(event[name] for name in names)] for event in events)
        columns = ", ".join(("user_id", *names))
        cluster.sql("go_pq", f"COPY events ({columns}) FROM STDIN (FORMAT csv)", rows)
    cluster.sql("go_pq", """
        CREATE INDEX events_place ON events USING gist (place);
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


def start_humon(arguments, folder, stack, name, cluster=None):
    """Fills a database with Humon, and starts the server; [] if Humon doesn't support it."""
    program, port = str(pathlib.Path(arguments.humon).resolve()), free_port()
    url = f"sqlite:{folder}/{name}.sqlite3"
    if cluster:
        cluster.sql("postgres", "CREATE DATABASE humon;")
        url = cluster.url("humon")
    settings = {
        "DATABASE_URL": url, "PORT": str(port), "ADMIN_PORT": "0", "TB_APP_SECRET": SECRET,
        "HUMON_ENV_FILE": "", "LOG_FORMAT": "json",
    }

    def run(*words):
        return subprocess.run(
            [program, *words], env={**os.environ, **settings}, cwd=folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )

    migration = run("migrate")
    if migration.returncode:
        print(f"Skipped: {name}. {migration.stderr.strip()}", file=sys.stderr)
        return []
    command = [program, "serve"]
    server = Server(name, command, settings, folder, stack, cluster)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(1, USERS + 1):
        headers = {"tb-app-secret": SECRET, "tb-device-token": f"token-{number}"}
        connection.request("POST", "/v1/users", headers=headers)
        response = connection.getresponse()
        if json.loads(response.read()).get("id") != number:
            sys.exit(f"{name}: user {number} was not created: {response.status}")
    connection.close()
    server.stop()
    events = run("import", f"{os.path.abspath(arguments.data)}/{arguments.events}.ndjson")
    if events.returncode:
        sys.exit(f"{name} can't import the events: {events.stderr}")
    if cluster:
        cluster.sql("humon", "VACUUM ANALYZE;")
    return [Server(name, command, settings, folder, stack, cluster)]
