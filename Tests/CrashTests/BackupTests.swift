import Foundation
import SQLite
import System
import Testing

@Suite(.serialized) struct BackupTests {
    private static let backups = 3

    @Test func `holds all that was acknowledged before, though the server goes on`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let copy = database.sibling("copy")
            let server = try HumonProcess(database: database.path)
            let token = try CrashedDatabase.signUp(at: server)
            let load = WriteLoad(port: server.port, token: token, label: "backup", threshold: 200)
            load.awaitThreshold()
            var before: [AcknowledgedEvent] = []
            for _ in 0..<Self.backups {
                before = load.acknowledged

                #expect(try HumonCommand("backup", copy.path, database: database.path).wait() == 0)

                #expect(try copy.missing(before) == [])
                #expect(try copy.faults(.inspect) == [])
                #expect(load.acknowledged.count > before.count)
            }
            server.signal(SIGTERM)
            #expect(server.wait() == 0)
            let events = try load.finish()
            // What looks for a loss must be able to find one.
            #expect(try !copy.missing(events).isEmpty)

            #expect(try HumonCommand("restore", copy.path, database: database.path).wait() == 0)
            let next = try HumonProcess(database: database.path)
            #expect(try CrashedDatabase.lost(before, at: next) == [])
            next.signal(SIGTERM)
            #expect(next.wait() == 0)
        }
    }

    @Test func `leaves the old backup or the new one when it is killed`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let copy = database.sibling("copy")
            try database.fill(with: "old")
            #expect(try HumonCommand("backup", copy.path, database: database.path).wait() == 0)
            try database.change(to: "new")
            for bytes in [0, 100_000, 2_000_000] {
                let backup = try HumonCommand("backup", copy.path, database: database.path)
                try backup.kill { try database.draftBytes().contains { $0 >= bytes } }
                let status = backup.wait()

                #expect([0, -SIGKILL].contains(status))
                #expect(["old", "new"].contains(try copy.content()))
                #expect(try copy.faults(.inspect) == [])
            }

            #expect(try HumonCommand("backup", copy.path, database: database.path).wait() == 0)
            #expect(try copy.content() == "new")
            #expect(try database.draftBytes() == [])
        }
    }

    @Test func `leaves the old database or the restored one when it is killed`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let copy = database.sibling("copy")
            try database.fill(with: "backed up")
            #expect(try HumonCommand("backup", copy.path, database: database.path).wait() == 0)
            for moment in 0..<4 {
                try database.change(to: "since")
                let kept = try database.replacedCount()
                let restore = try HumonCommand("restore", copy.path, database: database.path)
                try restore.kill {
                    switch moment {
                    case 0: try !database.draftBytes().isEmpty
                    case 1: try database.draftBytes().contains { $0 > 1_000_000 }
                    case 2: try database.restoringCount() > 0 || database.replacedCount() > kept
                    default: try database.draftBytes().isEmpty && database.replacedCount() > kept
                    }
                }
                let status = restore.wait()

                #expect([0, -SIGKILL].contains(status))
                #expect(["backed up", "since"].contains(try database.content()))
                #expect(try database.faults(.inspect) == [])
                let server = try HumonProcess(database: database.path)
                server.signal(SIGTERM)
                #expect(server.wait() == 0)
                #expect(try database.draftBytes() == [])
            }

            #expect(try HumonCommand("restore", copy.path, database: database.path).wait() == 0)
            #expect(try database.content() == "backed up")
        }
    }
}

extension CrashedDatabase {
    /// Makes the tables and a few MB of check-ins with this name.
    fileprivate func fill(with name: String) throws {
        #expect(try HumonCommand("migrate", database: path).wait() == 0)
        let connection = try Connection(DatabaseConfiguration(path: path), .readWrite)
        try connection.run(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 8000)
            INSERT INTO checkins (name, category, local_time, created_at)
            SELECT ?, hex(randomblob(120)), n, n FROM numbers
            """,
            .text(name)
        )
    }

    fileprivate func change(to name: String) throws {
        let connection = try Connection(DatabaseConfiguration(path: path), .readWrite)
        try connection.run("UPDATE checkins SET name = ?", .text(name))
    }

    /// The one name that all check-ins have; nil if they have several or not all are there.
    fileprivate func content() throws -> String? {
        let connection = try Connection(DatabaseConfiguration(path: path), .inspect)
        return try connection.first(
            "SELECT name FROM checkins GROUP BY name HAVING count(*) = 8000"
        ) { row in row.text(0) }
    }

    /// The acknowledged events that are not in it.
    fileprivate func missing(_ events: [AcknowledgedEvent]) throws -> [AcknowledgedEvent] {
        let connection = try Connection(DatabaseConfiguration(path: path), .inspect)
        let stored = try connection.all("SELECT id, name FROM events") { row in
            AcknowledgedEvent(id: row.int64(0), name: row.text(1))
        }
        return Array(Set(events).subtracting(stored))
    }

    /// The sizes of the drafts in the folder.
    fileprivate func draftBytes() throws -> [Int] {
        try names().filter { $0.hasSuffix(".part") }.map { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return (attributes?[.size] as? Int) ?? 0
        }
    }

    fileprivate func replacedCount() throws -> Int {
        try names().count { $0.contains(".replaced-") }
    }

    fileprivate func restoringCount() throws -> Int {
        try names().count { $0.contains(".restoring-") }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
