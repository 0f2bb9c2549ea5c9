"""TypeScript's compiler, from Debian's package node-typescript, which is only unpacked."""

import os
import pathlib
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(__file__).resolve().parents[2] / ".build/typescript"


def compiler():
    """Returns the path of a program for node, or None if the package can't be downloaded."""
    path = CACHE / "usr/share/nodejs/typescript/bin/tsc"
    return path if path.exists() or download() else None


def download():
    if shutil.which("apt-get") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="humon-typescript-") as folder:
        # The package manager downloads as a user of its own.
        os.chmod(folder, 0o755)
        for command in (["download", "node-typescript"], ["update"],
                        ["download", "node-typescript"]):
            subprocess.run(["apt-get", *command], cwd=folder, capture_output=True)
            package = next(pathlib.Path(folder).glob("node-typescript_*.deb"), None)
            if package:
                CACHE.mkdir(parents=True, exist_ok=True)
                subprocess.run(["dpkg-deb", "--extract", package, CACHE], check=True)
                return True
    return False
