"""Installs the Python package that the scripts in this folder need."""

import subprocess
import sys
import tempfile


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
