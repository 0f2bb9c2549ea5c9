"""Shared by the scripts in this folder: their package, and receivers as processes."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

RECEIVERS = pathlib.Path(__file__).resolve().parent / "receivers"


def packages():
    """Makes standardwebhooks importable, and returns the folder to delete, or None."""
    try:
        import standardwebhooks  # noqa: F401
        return None
    except ImportError:
        folder = tempfile.TemporaryDirectory(prefix="humon-webhooks-")
        installed = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target",
                                    folder.name, "standardwebhooks"])
        if installed.returncode != 0:
            print("SKIPPED: the receivers of webhooks. pip can't install standardwebhooks.")
            sys.exit(0)
        sys.path.insert(0, folder.name)
        return folder


class HTTPReceiver:
    """A receiver that is a server."""

    def __init__(self, folder, secret, *command, port=0):
        environment = {**os.environ, "HUMON_WEBHOOK_SECRET": secret, "PORT": str(port),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"listening on port (\d+)\n", line)[1])

    def send(self, fields, body):
        """Returns the status, or 500 if the connection is closed without one."""
        headers = {"Content-Type": "application/json",
                   **{"webhook-" + name: value for name, value in fields.items() if value}}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/humon", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code
        except ConnectionError:
            return 500
        except urllib.error.URLError as error:
            assert isinstance(error.reason, ConnectionError), error
            return 500

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
