"""Shared by the scripts that fill a file system: making one, and leaving it no room."""

import contextlib
import os
import shutil
import subprocess

import harness

# The command that makes each file system, and its size in MiB.
KINDS = {
    "ext4-1k": (("mkfs.ext4", "-q", "-b", "1024"), 64),
    "ext4-4k": (("mkfs.ext4", "-q", "-b", "4096"), 64),
    "xfs": (("mkfs.xfs", "-q"), 320),
    "btrfs": (("mkfs.btrfs", "-q"), 128),
}


class Unavailable(Exception):
    """The reason why a file system can't be made or mounted here."""


@contextlib.contextmanager
def mounted(kind, megabytes=None):
    """Mounts a new file system, tmpfs or one of `KINDS`, and returns its folder."""
    folder = harness.folder_for_tests()
    try:
        mount(kind, folder, megabytes)
    except Unavailable:
        os.rmdir(folder)
        raise
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=False)
        os.rmdir(folder)


def mount(kind, folder, megabytes):
    if kind == "tmpfs":
        run("mount", "-t", "tmpfs", "-o", f"size={megabytes or 256}m", "tmpfs", folder)
        return
    make, default = KINDS[kind]
    image = folder + ".image"
    with open(image, "wb") as file:
        file.truncate((megabytes or default) << 20)
    try:
        run(*make, image)
        run("mount", "-o", "loop", image, folder)
    finally:
        # The system frees the blocks of the image when it is unmounted.
        os.remove(image)


def run(*command):
    """Runs a command; throws the reason if it fails."""
    if not shutil.which(command[0]):
        raise Unavailable(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(done.stderr.strip() or f"{command[0]} failed")


def fill(path):
    """Fills the rest of the file system."""
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            block = bytes(size)
            try:
                while file.write(block) == size:
                    pass
            except OSError:
                pass


def leave_room(path, count):
    """Fills the file system but for `count` bytes."""
    fill(path)
    os.truncate(path, max(0, os.path.getsize(path) - count))
    # btrfs frees the space of a truncated file only after a sync.
    subprocess.run(["sync", "-f", os.path.dirname(path)], check=True)
