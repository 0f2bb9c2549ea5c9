"""Shared by the scripts that need PostgreSQL: a server and a pooler in a temporary folder."""

import atexit
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

import harness

MISSING = "no server of PostgreSQL is installed (postgresql-15)"


def binaries():
    """Returns the folder with the programs of the newest version, or None.

    The environment variable HUMON_POSTGRESQL_PROGRAMS names another folder.
    """
    if os.environ.get("HUMON_POSTGRESQL_PROGRAMS"):
        return os.environ["HUMON_POSTGRESQL_PROGRAMS"]
    folders = glob.glob("/usr/lib/postgresql/[0-9]*/bin")
    folders = [f for f in folders if os.access(f + "/postgres", os.X_OK)]
    return max(folders, key=lambda f: int(f.split("/")[-2]), default=None)


def unprivileged():
    """Returns the arguments of `subprocess` that run a program as a user that PostgreSQL accepts."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def psql(url, sql):
    """Runs SQL and returns its rows, as lists of texts."""
    program = shutil.which("psql") or binaries() + "/psql"
    done = subprocess.run(
        [program, "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql],
        capture_output=True, text=True,
    )
    if done.returncode:
        raise harness.Failure(done.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def processes_in(folder):
    """Returns the processes that work in a folder or below it."""
    found = []
    for process in os.listdir("/proc"):
        try:
            working = os.readlink(f"/proc/{process}/cwd")
        except OSError:
            # It is not a process, has ended, or belongs to another user.
            continue
        if process.isdigit() and (working + "/").startswith(folder + "/"):
            found.append(int(process))
    return found


def kill_processes(folder):
    """Kills the processes that work in a folder, and waits until they have ended."""
    while found := processes_in(folder):
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


def folder_of_server(parent=None):
    """Creates a folder that PostgreSQL accepts as its own."""
    if parent:
        os.chmod(parent, 0o755)
    folder = tempfile.mkdtemp(prefix="humon-cluster-", dir=parent)
    os.chmod(folder, 0o755)
    user = unprivileged()
    if user:
        os.chown(folder, user["user"], user["group"])
    return folder


class Cluster:
    """A server of PostgreSQL with a socket in `folder`, which this process ends and deletes."""

    def __init__(self, initdb=("--no-locale",), primary=None, parent=None, log_parent=None,
                 **settings):
        """Starts a server with an empty database, or a standby of another server.

        Its files are in a new folder in `parent`, by default in the one for temporary files. Its
        write-ahead log is in one in `log_parent`, by default among its other files.
        """
        self.folder = folder_of_server(parent)
        self.log_folder = folder_of_server(log_parent) if log_parent else None
        if log_parent:
            initdb = (*initdb, "--waldir", self.log_folder, "--wal-segsize", "1")
        atexit.register(self.remove)
        self.settings = {"listen_addresses": "", "max_connections": 200, "shared_buffers": "64MB",
                         "fsync": "off", "log_min_messages": "fatal", **settings}
        if primary:
            self.follow(primary)
            return
        self._run("initdb", "-N", "-D", "data", "-U", "humon", "-A", "trust", "-E", "UTF8", *initdb)
        self.start()

    def url(self, database="postgres", folder=None):
        return f"postgres:///{database}?host={folder or self.folder}&user=humon"

    def start(self):
        options = " ".join(f"-c {name}={value}" for name, value in self.settings.items())
        self._run("pg_ctl", "start", "-w", "-D", "data", "-l", "server.log",
                  "-o", f"-k {self.folder} {options}")

    def stop(self):
        """Ends the server as if it had crashed; `start` starts it again."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", "data")

    def kill(self):
        """Kills all processes at once, as a failure of the machine does.

        With `dynamic_shared_memory_type=mmap`, nothing remains but files in `folder`.
        """
        kill_processes(self.folder)
        path = self.folder + "/data/postmaster.pid"
        with open(path) as file:
            lines = file.read().splitlines()
        # PostgreSQL would delete this shared memory when it starts again.
        if len(lines) > 6:
            subprocess.run(["ipcrm", "-m", lines[6].split()[1]], capture_output=True)
        os.unlink(path)

    def is_alive(self):
        try:
            self._run("pg_ctl", "status", "-D", "data")
            return True
        except harness.Failure:
            return False

    def is_ready(self):
        """Returns whether the server accepts connections, after a second at most."""
        try:
            self._run("pg_isready", "-q", "-t", "1", "-h", self.folder)
            return True
        except harness.Failure:
            return False

    def revive(self):
        """Starts the server if it has ended by itself, and can be started."""
        if not self.is_alive():
            try:
                self.start()
            except harness.Failure:
                # For example because its disk is still full.
                pass

    def make_database(self, name, template="template1"):
        psql(self.url(), f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop_database(self, name):
        psql(self.url(), f"DROP DATABASE {name} WITH (FORCE)")

    def follow(self, primary, name="standby1"):
        """Deletes all data and starts as a standby, with the commands of docs/postgresql.md."""
        shutil.rmtree(self.folder + "/data", ignore_errors=True)
        self._run("pg_basebackup", "-h", primary.folder, "-U", "humon", "-D", "data", "-R",
                  "-C", "-S", name, "-X", "stream", "-c", "fast", "--no-sync")
        self.settings["cluster_name"] = name
        self.start()

    def begin_promotion(self):
        """Tells a standby to accept writes; `state` tells when it does."""
        self._run("pg_ctl", "promote", "--no-wait", "-D", "data")

    def state(self):
        """Returns a description, such as "in archive recovery" or "in production"."""
        done = subprocess.run([binaries() + "/pg_controldata", self.folder + "/data"],
                              capture_output=True, text=True, env={"LC_ALL": "C"}, check=True)
        line = next(line for line in done.stdout.splitlines() if "cluster state:" in line)
        return line.partition(":")[2].strip()

    def remove(self):
        if os.path.exists(self.folder + "/data/postmaster.pid"):
            try:
                self.stop()
            except harness.Failure:
                # `kill` was interrupted.
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.log_folder:
            shutil.rmtree(self.log_folder, ignore_errors=True)

    def _run(self, program, *arguments):
        # The server keeps the standard output open, so it is not a pipe.
        with open(self.folder + "/commands.log", "a+") as log:
            process = subprocess.Popen(
                [f"{binaries()}/{program}", *arguments], cwd=self.folder, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]},
                start_new_session=True, **unprivileged(),
            )
            try:
                process.wait()
            finally:
                # Also after Ctrl-C: a command that is killed leaves processes and shared memory.
                process.wait()
        if process.returncode:
            with open(self.folder + "/commands.log") as log:
                raise harness.Failure(f"{program} failed: {log.read()[-2000:]}")


class Pooler:
    """pgbouncer before a cluster, with one connection for each transaction."""

    def __init__(self, cluster):
        self.folder = folder_of_server()
        atexit.register(self.remove)
        with open(self.folder + "/users.txt", "w") as users:
            users.write('"humon" ""\n')
        with open(self.folder + "/pgbouncer.ini", "w") as settings:
            settings.write(
                f"[databases]\n* = host={cluster.folder} user=humon\n[pgbouncer]\n"
                f"unix_socket_dir = {self.folder}\nlisten_port = 5432\nauth_type = any\n"
                f"auth_file = {self.folder}/users.txt\npool_mode = transaction\n"
                "default_pool_size = 6\nmax_client_conn = 500\n"
                f"logfile = {self.folder}/log\n"
            )
        with open(self.folder + "/output", "w") as output:
            self.process = subprocess.Popen(
                [shutil.which("pgbouncer") or "/usr/sbin/pgbouncer", self.folder + "/pgbouncer.ini"],
                stdout=output, stderr=output, **unprivileged(),
            )
        deadline = time.monotonic() + 10
        while not os.path.exists(self.folder + "/.s.PGSQL.5432"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.folder + "/output") as output:
                    raise harness.Failure("pgbouncer does not start: " + output.read())
            time.sleep(0.02)

    def remove(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
