#!/usr/bin/env python3
"""Prints what the program and the image contain, as SPDX 2.3 in JSON.

    sbom.py --program PATH --architecture ARCH --packages FILE

FILE lists the Debian packages in the image with their versions. The environment has HUMON_VERSION,
HUMON_COMMIT and SOURCE_DATE_EPOCH.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

# What is linked into the program: the name in `humon version`, the licence and the home page.
LINKED = {
    "SQLite": ("LicenseRef-public-domain", "https://www.sqlite.org"),
    "libsodium": ("ISC", "https://libsodium.org"),
    "utf8proc": ("MIT AND Unicode-DFS-2016", "https://juliastrings.github.io/utf8proc"),
    "Swift": ("Apache-2.0 WITH Swift-exception", "https://www.swift.org"),
}
# The data of the maps.
MAPS = {
    "Natural Earth": "https://www.naturalearthdata.com",
    "GLOBE": "https://www.ngdc.noaa.gov/mgg/topo/globe.html",
}


def package(name, version, licence, home, **more):
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
    return {
        "SPDXID": identifier, "name": name, "versionInfo": version,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
        "copyrightText": "NOASSERTION", "downloadLocation": home, "filesAnalyzed": False, **more,
    }


def reference(locator):
    return [{
        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator,
    }]


def main():
    parser = argparse.ArgumentParser()
    for name in ["program", "architecture", "packages"]:
        parser.add_argument("--" + name, required=True)
    arguments = parser.parse_args()
    version = os.environ["HUMON_VERSION"]
    created = datetime.datetime.fromtimestamp(
        int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    with open(arguments.program, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    printed = subprocess.run(
        [arguments.program, "version"], capture_output=True, text=True, check=True).stdout

    program = package(
        "humon", version, "MIT", "NOASSERTION", primaryPackagePurpose="APPLICATION",
        checksums=[{"algorithm": "SHA256", "checksumValue": checksum}],
        sourceInfo="commit " + (os.environ.get("HUMON_COMMIT") or "unknown"),
    )
    image = package(
        "humon-image", version, "NOASSERTION", "NOASSERTION", primaryPackagePurpose="CONTAINER")
    packages, relationships = [program, image], []

    def relate(first, kind, second):
        relationships.append({
            "spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second})

    relate("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"])
    relate("SPDXRef-DOCUMENT", "DESCRIBES", image["SPDXID"])
    relate(image["SPDXID"], "CONTAINS", program["SPDXID"])
    for name, (licence, home) in LINKED.items():
        found = re.search(rf"(?im)^\W*{name}\b\W*(?:version )?(\d\S*)", printed)
        if not found:
            sys.exit(f"`humon version` doesn't print the version of {name}:\n{printed}")
        packages.append(package(name, found[1], licence, home))
        relate(program["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"])
    for name, home in MAPS.items():
        packages.append(package(name, "NOASSERTION", "LicenseRef-public-domain", home))
        relate(program["SPDXID"], "CONTAINS", packages[-1]["SPDXID"])
    with open(arguments.packages, encoding="utf-8") as file:
        for line in file:
            name, number = line.split()
            packages.append(package(
                name, number, "NOASSERTION", "https://packages.debian.org/" + name,
                externalRefs=reference(
                    f"pkg:deb/debian/{name}@{number}?arch={arguments.architecture}"),
            ))
            relate(image["SPDXID"], "CONTAINS", packages[-1]["SPDXID"])

    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"humon-{version}-linux-{arguments.architecture}",
        "documentNamespace": f"https://spdx.org/spdxdocs/humon-{version}-{checksum}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: bin/package"],
        },
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "Public domain",
            "extractedText": "The authors have placed this work in the public domain.",
        }],
        "packages": packages, "relationships": relationships,
    }, sys.stdout, indent=2, ensure_ascii=False)
    print()


main()
