// A device with an outbox, which Tests/Outbox/run kills and starts again in the same folder.

import Foundation
import HumonClient
import HumonOutbox
import Randomness

#if canImport(Glibc)
import Glibc
#endif

let arguments = CommandLine.arguments.dropFirst()
func value(_ flag: String) -> String? {
    arguments.firstIndex(of: flag).flatMap { arguments[$0...].dropFirst().first }
}
func number(_ flag: String) -> Int { value(flag).flatMap(Int.init) ?? 0 }

guard let path = value("--folder"), let url = value("--url").flatMap(URL.init(string:)) else {
    print(
        """
        Usage: OutboxHarness --folder FOLDER --url URL [--secret SECRET] [--writes N --seed N]
            [--kill-at N] [--pace FACTOR] [--fill]
        """
    )
    exit(64)
}
let folder = URL(filePath: path)
let humon = HumonClient(
    HumonConfiguration(baseURL: url, appSecret: value("--secret"), timeout: .seconds(5)),
    tokens: FileTokenStore(folder: folder)
)
let killAt = number("--kill-at")
let statements = Locked(0)
let outbox = try Outbox(
    client: humon,
    file: folder.appending(path: "outbox.sqlite3"),
    pace: value("--pace").flatMap(Double.init) ?? 1,
    willRun: { _ in
        let count = statements.withLock { count in
            count += 1
            return count
        }
        if count == killAt { kill(getpid(), SIGKILL) }
    }
)

if arguments.contains("--fill") {
    // The disk is full at some time, and an outbox on it must say so and keep what it has.
    var count: Int64 = 0
    while (try? await outbox.delete(.stored(count))) != nil { count += 1 }
    print(#"{"accepted":\#(count),"kept":\#(try await outbox.entries.count)}"#)
    exit(0)
}

while try !humon.session.hasToken {
    // The network is as bad for this as for the rest.
    _ = try? await humon.session.signUp()
}
let device = Device(
    outbox: outbox,
    journal: try Journal(folder.appending(path: "journal")),
    label: folder.lastPathComponent
)
do {
    if value("--writes") == nil {
        try await device.runScenario()
    } else {
        let seed = number("--seed") &+ device.count
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed))
        try await device.write(number("--writes"), using: &generator)
    }
    try await device.settle()
} catch {
    // The script starts a device again that ends like a crash of Foundation.
    print("\(folder.lastPathComponent): \(error)")
    exit(1)
}
