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

    The settings are those of `PostgreSQL`.
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

    def is_alive(self):
        """Returns whether the processes of the database run."""
        return True

    def accepts_connections(self):
        """Returns whether the database can be used."""
        return True

    def write_pages(self):
        """Writes and syncs the pages that only the write-ahead log has, where that takes a command."""

    def rows(self, sql):
        """Returns the rows of a query."""
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def run(self, sql):
        """Runs statements, which may call the function that the program defines for migrations."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.create_function("cell_key", 2, lambda *_: 0, deterministic=True)
        connection.execute("PRAGMA journal_mode = wal")
        connection.executescript(sql)
        connection.close()

    def tables(self):
        return {name for name, in self.rows("SELECT name FROM sqlite_schema")}

    def schema(self):
        """Returns the definitions of all objects."""
        return sorted(self.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))

    def problems(self):
        """Returns what is wrong with the contents, also while the server is running."""
        rows = self.rows("PRAGMA integrity_check") + self.rows("PRAGMA foreign_key_check")
        return [row for row in rows if row != ("ok",)]

    def digest(self):
        """Returns a text that changes with the contents of the database."""
        with open(self.path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def prepare_restore(self):
        """Creates an empty database instead, if a restore doesn't replace the old one."""

    def remove(self):
        """Ends the processes of the database, and deletes their files outside `folder`."""


class PostgreSQL:
    """A database on a server of its own, whose files are in `folder`.

    Its write-ahead log is in `log_parent`, if that is given.
    """

    name = "postgresql"
    copies = 0

    def __init__(self, folder, log_parent=None, **settings):
        self.cluster = cluster.Cluster(parent=folder, log_parent=log_parent, **settings)
        self.database = "humon"
        # Every new database is a copy of template1.
        cluster.psql(self.cluster.url("template1"), "CREATE EXTENSION amcheck")
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

    def is_alive(self):
        return self.cluster.is_alive()

    def accepts_connections(self):
        return self.cluster.is_ready()

    def write_pages(self):
        try:
            cluster.psql(self.url, "CHECKPOINT")
        except harness.Failure:
            # It is the call that fails.
            pass

    def rows(self, sql):
        return cluster.psql(self.url, sql)

    def run(self, sql):
        cluster.psql(self.url, sql)

    def tables(self):
        return {name for name, in self.rows(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")}

    def schema(self):
        return self._dump("--schema-only")

    def problems(self):
        check = subprocess.run(
            [cluster.binaries() + "/pg_amcheck", "--heapallindexed",
             "-h", self.cluster.folder, "-U", "humon", self.database],
            capture_output=True, text=True)
        return [check.stdout + check.stderr] if check.returncode else []

    def digest(self):
        return hashlib.sha256("\n".join(self._dump()).encode()).hexdigest()

    def _dump(self, *arguments):
        dump = subprocess.run([cluster.binaries() + "/pg_dump", "-d", self.url, *arguments],
                              capture_output=True, text=True, check=True).stdout
        # Each dump has another key in the lines that begin with a backslash.
        return [line for line in dump.splitlines() if not line.startswith("\\")]

    def prepare_restore(self):
        self.database += "_new"
        self.url = self.cluster.make_database(self.database)

    def remove(self):
        self.cluster.remove()
