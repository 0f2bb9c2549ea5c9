"""Shared by the scripts that run on either engine: the database of a server under test.

The environment variable HUMON_TEST_STORAGE names the engine: sqlite, which is the default, or
postgresql.
"""

import copy
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys

import cluster
import harness


def engine():
    """Returns the class of the engine that HUMON_TEST_STORAGE names.

    Ends the script if this machine lacks the engine.
    """
    name = os.environ.get("HUMON_TEST_STORAGE") or SQLite.name
    found = {chosen.name: chosen for chosen in (SQLite, PostgreSQL)}.get(name)
    if not found:
        sys.exit(f"HUMON_TEST_STORAGE is {name}, but must be sqlite or postgresql.")
    if found is PostgreSQL and not cluster.binaries():
        script = os.path.basename(sys.argv[0])
        print(f"SKIPPED: Tests/Faults/{script}: {cluster.MISSING}.")
        sys.exit()
    return found


def create(folder, **settings):
    """Returns an empty database of the engine that HUMON_TEST_STORAGE names.

    The settings are those of a server of PostgreSQL.
    """
    return engine()(folder, **settings)


class SQLite:
    """A database in a file, which the server under test writes itself."""

    name = "sqlite"

    def __init__(self, folder, **_):
        self.path = os.path.join(folder, "humon.sqlite3")
        self.url = "sqlite:" + self.path

    def copy(self, folder):
        """Returns a copy of the database, which nothing has open, with its own files in `folder`."""
        copied = SQLite(folder)
        for path in self.paths()[1:]:
            if os.path.exists(path):
                shutil.copy(path, folder)
        return copied

    def drop(self):
        """Deletes what a copy has outside `folder`."""

    def paths(self):
        """Returns the paths of the files that the server under test can write."""
        return [os.path.dirname(self.path),
                *(self.path + suffix for suffix in ("", "-wal", "-shm", "-lock", "-journal"))]

    def processes(self, server):
        """Returns the processes that write the database."""
        return [server.pid]

    def crash(self):
        """Ends the processes of the database at once, as far as it has any, and starts them."""

    def revive(self):
        """Starts the processes of the database if they have ended."""

    def write_pages(self):
        """Writes and syncs the pages that only the write-ahead log has, where that takes a command."""

    def problems(self):
        """Returns what is wrong with the contents, also while the server is running."""
        connection = sqlite3.connect(self.path)
        try:
            rows = connection.execute("PRAGMA integrity_check").fetchall()
            rows += connection.execute("PRAGMA foreign_key_check").fetchall()
            rows += harness.misplaced_events(connection.execute(harness.PLACES))
            return [row for row in rows if row != ("ok",)]
        finally:
            connection.close()

    def digest(self):
        """Returns a text that changes with the contents of the database."""
        with open(self.path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def prepare_restore(self):
        """Creates an empty database instead, if a restore doesn't replace the old one."""

    def remove(self):
        """Ends the processes of the database, and deletes their files outside `folder`."""


class PostgreSQL:
    """A database on a server of its own, whose files are in `folder`."""

    name = "postgresql"
    copies = 0

    def __init__(self, folder, **settings):
        self.cluster = cluster.Cluster(parent=folder, **settings)
        self.database = "humon"
        self.url = self.cluster.make_database(self.database)

    def copy(self, _):
        copied = copy.copy(self)
        PostgreSQL.copies += 1
        copied.database = f"copy_{PostgreSQL.copies}"
        copied.url = self.cluster.make_database(copied.database, template=self.database)
        return copied

    def drop(self):
        self.cluster.drop_database(self.database)

    def paths(self):
        return []

    def processes(self, _):
        return cluster.processes_in(self.cluster.folder + "/data")

    def crash(self):
        self.cluster.stop()
        self.cluster.start()

    def revive(self):
        self.cluster.revive()

    def write_pages(self):
        try:
            cluster.psql(self.url, "CHECKPOINT")
        except harness.Failure:
            # It is the call that fails.
            pass

    def problems(self):
        check = subprocess.run(
            [cluster.binaries() + "/pg_amcheck", "--install-missing", "--heapallindexed",
             "-h", self.cluster.folder, "-U", "humon", self.database],
            capture_output=True, text=True)
        found = [check.stdout + check.stderr] if check.returncode else []
        return found + harness.misplaced_events(
            (int(number), float(latitude), float(longitude), int(cell))
            for number, latitude, longitude, cell in cluster.psql(self.url, harness.PLACES))

    def digest(self):
        dump = subprocess.run([cluster.binaries() + "/pg_dump", "-d", self.url],
                              capture_output=True, text=True, check=True).stdout
        # Each dump has another key in the lines that begin with a backslash.
        lines = [line for line in dump.splitlines() if not line.startswith("\\")]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def prepare_restore(self):
        self.database += "_new"
        self.url = self.cluster.make_database(self.database)

    def remove(self):
        self.cluster.remove()
