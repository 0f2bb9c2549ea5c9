"""Outboxes with a known bug each, which the test must find."""

import copy
import os
import shutil
import subprocess
import sys

# A file, and a text in it with its replacement.
TWINS = {
    "first_sent after sending": [
        ("Outbox.swift", "let marked = try queue.markSent(entry, stored.userID, newKey: isOld)",
         "let marked: Entry? = isOld"
         " ? try queue.markSent(entry, stored.userID, newKey: true) : entry"),
        ("Outbox.swift", 'willRun("response")',
         'willRun("response")\n            '
         "_ = try queue.markSent(entry, stored.userID, newKey: false)"),
    ],
    "a new key for each attempt": [
        ("Outbox.swift", "newKey: isOld", "newKey: true"),
    ],
    "one queue for all": [
        ("Queue.swift", "o.record = entry.record AND o.id < entry.id", "o.id < entry.id"),
    ],
}

# What the test must say about each.
EXPECTED = ["was stored 2 times", "was stored 2 times", "is not done"]

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
let package = Package(
    name: "humon",
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(
            name: "HumonClient",
            exclude: ["PrivacyInfo.xcprivacy"],
            swiftSettings: settings
        ),
        .target(name: "Randomness"),
    ] + (1...%d).flatMap { number -> [Target] in
        [
            .target(
                name: "Twin\\(number)",
                dependencies: ["CSQLite", "HumonClient"],
                swiftSettings: settings
            ),
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
    for (name, program), expected in zip(zip(TWINS, build(root)), EXPECTED):
        own = copy.copy(options)
        own.harness, own.pace = program, 0.2
        if name == "one queue for all":
            own.patience = 15
        problems = run(own, lambda test: test.kill_at_statements(ages=name.startswith("first")))
        found = [problem for problem in problems if expected in problem]
        print(f"{name}: {found[0] if found else f'NOT FOUND: {problems}'}")
        is_found = is_found and bool(found)
    return is_found
