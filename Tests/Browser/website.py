"""A server for the tests of a file, with shared functions."""

import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.request

import checks
from browser import free_port, wait_for_url

SECRET = "known-secret"


class Site:
    """`humon serve` on a free port with a temporary database.

    - `page`: a tab, new for each test.
    - `origin`: the server's address, such as http://127.0.0.1:3000.
    - `admin`: the address of its admin port; off without the argument `has_admin`.
    - `secret`: the app secret.
    """

    secret = SECRET

    def __init__(self, program, browser, folder, settings=None, seeds=False, allowed=(),
                 has_admin=False):
        self.program, self.browser, self.allowed = program, browser, allowed
        self.folder = pathlib.Path(folder)
        self.screenshots = None
        self.page = None
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "PATH": os.environ["PATH"], "HUMON_ENV_FILE": "", "PORT": str(self.port),
            "ADMIN_PORT": "off", "TB_APP_SECRET": SECRET, "RATE_LIMIT": "off",
            "LOG_LEVEL": "error", "DATABASE_URL": f"sqlite:{folder}/humon.sqlite3",
            **(settings or {}),
        }
        if has_admin:
            port = free_port()
            self.environment["ADMIN_PORT"] = str(port)
            self.admin = f"http://127.0.0.1:{port}"
            self.allowed += (self.admin + "/",)
        if seeds:
            self.humon("migrate")
            self.humon("seed")
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            [self.program, "serve"], cwd=self.folder, env=self.environment,
            stdout=subprocess.DEVNULL,
        )
        wait_for_url(self.origin + "/openapi.json", self.server)

    def close(self):
        self.server.terminate()
        self.server.wait()

    def humon(self, *arguments):
        """Runs a command of the program on the server's database, and returns its output."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.folder, env=self.environment, capture_output=True, text=True,
        )
        assert done.returncode == 0, f"humon {' '.join(arguments)}: {done.stderr}{done.stdout}"
        return done.stdout

    def add_admin(self, name):
        """Adds an admin, and returns the password, which is a line of 26 characters."""
        lines = self.humon("admin", "add", name).split("\n")
        return [line.strip() for line in lines if len(line.strip()) == 26][-1]

    def request(self, method, path, body=None, origin=None, **headers):
        """Sends a request without the browser; returns the status and the body's text or JSON.

        Write headers with underscores: `tb_auth_token=…`.
        """
        request = urllib.request.Request((origin or self.origin) + path, method=method)
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read().decode()
            is_json = "json" in (response.headers["Content-Type"] or "")
            return response.status, json.loads(text) if is_json and text else text

    def serves(self, path):
        """Returns whether the API's description has this path."""
        return path in self.request("GET", "/openapi.json")[1]["paths"]

    def open(self, path, size=checks.DESKTOP, dark=False):
        """Opens a path of the server in the test's tab, and returns the tab."""
        self.page.open(self.origin + path, size, dark)
        return self.page

    def look(self, name, path, prepare=None, least_text=checks.SMALLEST_TEXT):
        """Checks the usability of a path on a phone and a desktop, light and dark.

        With --screenshots, it also saves screenshots as NAME-VIEW.png.

        - prepare: called with the tab before the checks, such as to unfold something.
        """
        problems = []
        for view, size, dark in checks.VIEWS:
            page = self.open(path, size, dark)
            if prepare:
                prepare(page)
            self.screenshot(f"{name}-{view}")
            try:
                checks.check_usability(page, least_text, only_colors=dark)
            except checks.Failures as failures:
                problems += [f"{view}: {line}" for line in str(failures).split("\n")]
        if problems:
            raise checks.Failures(problems)

    def screenshot(self, name, whole=False):
        """Saves the tab as NAME.png if --screenshots was given."""
        if self.screenshots:
            self.page.screenshot(self.screenshots / f"{name}.png", whole)

    def run_shell(self, command):
        """Runs a command from a page, and returns its output."""
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True, text=True, cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout
