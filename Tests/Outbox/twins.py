"""Outboxes with a known bug each, which the test must find."""

import copy
import os
import shutil
import subprocess
import sys

# A file, and a text in it with its replacement.
TWINS = {
    "first_sent after sending": [
        ("Outbox.swift", "return try queue.markSent(entry, stored.userID, withNewKey: isNew)",
         "return isNew ? try queue.markSent(entry, stored.userID, withNewKey: true) : entry"),
        ("Outbox.swift", 'willRun("response")',
         'willRun("response")\n            '
         "_ = try queue.markSent(entry, stored.userID, withNewKey: false)"),
    ],
    "a new key for each attempt": [
        ("Outbox.swift", "withNewKey: isNew", "withNewKey: true"),
    ],
    "one queue for all": [
        ("Queue.swift", "o.record = entry.record AND o.id < entry.id", "o.id < entry.id"),
    ],
}

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "humon",
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "HumonClient", exclude: ["PrivacyInfo.xcprivacy"]),
        .target(name: "Randomness"),
    ] + (1...%d).flatMap { number -> [Target] in
        [
            .target(name: "Twin\\(number)", dependencies: ["CSQLite", "HumonClient"]),
            .executableTarget(
                name: "Harness\\(number)",
                dependencies: ["HumonClient", "Randomness", .byName(name: "Twin\\(number)")]
            ),
        ]
    },
    swiftLanguageModes: [.v6]
)
"""


def build(root):
    """Builds the harness with each twin; returns the paths of the programs."""
    folder = os.path.join(root, ".build", "outbox-twins")
    sources = os.path.join(folder, "Sources")
    shutil.rmtree(sources, ignore_errors=True)
    for name, source in (("CSQLite", "Sources/CSQLite"), ("HumonClient", "Sources/HumonClient"),
                         ("Randomness", "Tests/Randomness")):
        shutil.copytree(os.path.join(root, source), os.path.join(sources, name))
    for number, changes in enumerate(TWINS.values(), 1):
        twin = os.path.join(sources, f"Twin{number}")
        shutil.copytree(os.path.join(root, "Sources", "HumonOutbox"), twin)
        for file, old, new in changes:
            replace(os.path.join(twin, file), old, new)
        copied = os.path.join(sources, f"Harness{number}")
        shutil.copytree(os.path.join(root, "Tests", "OutboxHarness"), copied)
        for file in ("main.swift", "Device.swift"):
            replace(os.path.join(copied, file), "import HumonOutbox", f"import Twin{number}")
    with open(os.path.join(folder, "Package.swift"), "w", encoding="utf-8") as file:
        file.write(MANIFEST % len(TWINS))
    subprocess.run(["swift", "build", "--package-path", folder], check=True, stdout=sys.stderr)
    return [os.path.join(folder, ".build", "debug", f"Harness{number}")
            for number in range(1, len(TWINS) + 1)]


def replace(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if old not in text:
        sys.exit(f"{path} has no {old}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def fail(options, run, test, root):
    """Returns whether the test finds the bug of each twin."""
    is_found = True
    for name, program in zip(TWINS, build(root)):
        own = copy.copy(options)
        own.harness, own.patience, own.pace = program, 15, 0.2
        problems = run(own, lambda test: test.kill_at_statements(ages=False),
                       lambda test: test.kill_at_statements(ages=True))
        print(f"{name}: {problems[0] if problems else 'NOT FOUND'}")
        is_found = is_found and bool(problems)
    return is_found
