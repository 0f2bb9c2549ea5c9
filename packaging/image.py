#!/usr/bin/env python3
"""Writes the container image as a file for `docker load`, and joins the images of two architectures.

    image.py write --root FOLDER --volume FOLDER --dockerfile FILE --architecture ARCH > image.tar.gz
    image.py join FOLDER image.tar.gz...

The file is an OCI layout with the manifest.json of `docker save`, so that old and new versions of Docker,
Podman and skopeo read it. `join` writes an OCI layout for `skopeo copy --all`. The environment has
HUMON_VERSION, HUMON_COMMIT and SOURCE_DATE_EPOCH. The same files give the same bytes.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import stat
import sys
import tarfile

# The owner of the files in --volume.
USER = 10001
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYOUT = {"imageLayoutVersion": "1.0.0"}


class Archive:
    """A tar file in memory whose bytes depend on its entries only."""

    def __init__(self, time):
        self.time = time
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w", format=tarfile.USTAR_FORMAT)

    def add(self, name, mode, content=b"", kind=tarfile.REGTYPE, owner=0, target=""):
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode, entry.mtime, entry.linkname = kind, mode, self.time, target
        entry.uid = entry.gid = owner
        entry.size = len(content)
        self.tar.addfile(entry, io.BytesIO(content))

    def add_folder(self, folder, owner):
        """Adds everything in a folder, in the order of names."""
        first_names = {}
        for path, folders, files in os.walk(folder):
            folders.sort()
            links = [name for name in folders if os.path.islink(os.path.join(path, name))]
            for name in sorted(files + folders):
                source = os.path.join(path, name)
                self.add_file(source, os.path.relpath(source, folder), owner, first_names)
            for name in links:
                folders.remove(name)

    def add_file(self, source, name, owner, first_names):
        status = os.lstat(source)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            self.add(name, 0o777, b"", tarfile.SYMTYPE, owner, os.readlink(source))
        elif stat.S_ISDIR(status.st_mode):
            self.add(name, mode, b"", tarfile.DIRTYPE, owner)
        elif status.st_nlink > 1 and status.st_ino in first_names:
            self.add(name, mode, b"", tarfile.LNKTYPE, owner, first_names[status.st_ino])
        else:
            first_names[status.st_ino] = name
            with open(source, "rb") as file:
                self.add(name, mode, file.read(), owner=owner)

    def content(self):
        self.tar.close()
        return self.buffer.getvalue()


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def path_of(blob_digest):
    return "blobs/" + blob_digest.replace(":", "/")


def descriptor(media_type, content, **more):
    return {"mediaType": media_type, "digest": digest(content), "size": len(content), **more}


def settings_of(dockerfile):
    """Returns the settings in the last stage of a Dockerfile, as the configuration of an image."""
    with open(dockerfile, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    start = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    if lines[start] != "FROM scratch":
        sys.exit(f"{dockerfile}: the last stage must begin with `FROM scratch`.")
    settings = {}
    for line in lines[start + 1:]:
        name, _, value = line.partition(" ")
        if name == "USER":
            settings["User"] = value
        elif name == "WORKDIR":
            settings["WorkingDir"] = value
        elif name == "ENV":
            settings["Env"] = shlex.split(value)
        elif name == "VOLUME":
            settings["Volumes"] = {value: {}}
        elif name == "EXPOSE":
            settings["ExposedPorts"] = {port + "/tcp": {} for port in value.split()}
        elif name == "CMD":
            settings["Cmd"] = json.loads(value)
        elif name == "HEALTHCHECK":
            settings["Healthcheck"] = health_check(value)
        elif name != "COPY":
            sys.exit(f"{dockerfile}: packaging/image.py doesn't know {name} in the last stage.")
    return settings


def health_check(value):
    options, _, command = value.partition("CMD ")
    result = {"Test": ["CMD", *json.loads(command)]}
    names = {"interval": "Interval", "timeout": "Timeout", "start-period": "StartPeriod"}
    for name, seconds in re.findall(r"--([a-z-]+)=(\d+)s", options):
        result[names[name]] = int(seconds) * 1_000_000_000
    return result


def write(arguments):
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    version = os.environ["HUMON_VERSION"]
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    layer = Archive(time)
    layer.add_folder(arguments.root, 0)
    layer.add_folder(arguments.volume, USER)
    layer = layer.content()
    settings = settings_of(arguments.dockerfile)
    settings["Labels"] = {
        "org.opencontainers.image.licenses": "MIT",
        "org.opencontainers.image.revision": os.environ.get("HUMON_COMMIT", ""),
        "org.opencontainers.image.title": "Humon",
        "org.opencontainers.image.version": version,
    }
    configuration = encoded({
        "architecture": arguments.architecture, "os": "linux", "config": settings,
        "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                     "created_by": "bin/package image"}],
    })
    manifest = encoded({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": descriptor("application/vnd.oci.image.config.v1+json", configuration),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar", layer)],
    })
    # A tag must not contain a plus sign.
    tags = [version.replace("+", "-"), "latest"]
    index = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        descriptor(MANIFEST, manifest, annotations={
            "io.containerd.image.name": "docker.io/library/humon:" + tag,
            "org.opencontainers.image.ref.name": tag,
        }, platform={"architecture": arguments.architecture, "os": "linux"})
        for tag in tags
    ]})
    for_docker = encoded([{
        "Config": path_of(digest(configuration)), "Layers": [path_of(digest(layer))],
        "RepoTags": ["humon:" + tag for tag in tags],
    }])
    archive = Archive(time)
    for folder in ["blobs", "blobs/sha256"]:
        archive.add(folder, 0o755, kind=tarfile.DIRTYPE)
    for blob in sorted([configuration, layer, manifest], key=digest):
        archive.add(path_of(digest(blob)), 0o644, blob)
    archive.add("index.json", 0o644, index)
    archive.add("manifest.json", 0o644, for_docker)
    archive.add("oci-layout", 0o644, encoded(LAYOUT))
    with gzip.GzipFile("", "wb", 9, sys.stdout.buffer, mtime=0) as file:
        file.write(archive.content())


def join(arguments):
    os.makedirs(os.path.join(arguments.folder, "blobs/sha256"))

    def store(name, content):
        with open(os.path.join(arguments.folder, name), "wb") as file:
            file.write(content)

    manifests, tags = [], set()
    for name in arguments.images:
        with tarfile.open(name) as archive:
            for member in archive:
                if member.isfile() and member.name.startswith("blobs/"):
                    store(member.name, archive.extractfile(member).read())
            image = json.load(archive.extractfile("index.json"))["manifests"][0]
        tags.add(image.pop("annotations")["org.opencontainers.image.ref.name"])
        manifests.append(image)
    if len(tags) != 1:
        sys.exit("The images have different versions: " + ", ".join(sorted(tags)))
    manifests.sort(key=lambda image: image["platform"]["architecture"])
    index = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests})
    store(path_of(digest(index)), index)
    name = {"org.opencontainers.image.ref.name": tags.pop()}
    store("index.json", encoded({
        "schemaVersion": 2, "manifests": [descriptor(INDEX, index, annotations=name)],
    }))
    store("oci-layout", encoded(LAYOUT))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    writing = commands.add_parser("write")
    for name in ["root", "volume", "dockerfile", "architecture"]:
        writing.add_argument("--" + name, required=True)
    writing.set_defaults(run=write)
    joining = commands.add_parser("join")
    joining.add_argument("folder")
    joining.add_argument("images", nargs="+")
    joining.set_defaults(run=join)
    arguments = parser.parse_args()
    arguments.run(arguments)


main()
