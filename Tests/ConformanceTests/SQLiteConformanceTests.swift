import Conformance
import Events
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

@Suite struct SQLiteConformanceTests {
    @Test("The storage of a command", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        let storage = try StorageFixture()
        try await conformanceCase.run(on: storage.subject)
        try expectSoundness(of: storage)
    }

    @Test("The storage with all events in memory", arguments: ConformanceCases.all)
    func conformsFromMemory(conformanceCase: ConformanceCase) async throws {
        let storage = try StorageFixture(keepsEvents: true)
        #expect(storage.eventIndex.map { $0.nextNeed == nil } == true)

        try await conformanceCase.run(on: storage.subject)

        try expectSoundness(of: storage)
        #expect(storage.eventIndex.map { $0.nextNeed == nil } == true)
    }

    @Test func `changes nothing without a row of the audit`() async throws {
        let storage = try StorageFixture(keepsEvents: true)
        try await storage.database.writer.write { connection in
            try connection.run(
                """
                CREATE TRIGGER reject BEFORE INSERT ON admin_actions WHEN NEW.actor = 'cli:nobody'
                BEGIN INSERT INTO deleted_accounts (account_id, deleted_at) VALUES (NULL, 0); END
                """
            )
        }
        try await ConformanceCases.failingAudit.run(on: storage.subject)
    }

    private func expectSoundness(of storage: StorageFixture) throws {
        // Whatever a case does, it leaves a sound database.
        let findings = try storage.database.readers.read { connection in
            try connection.all("PRAGMA integrity_check") { $0.text(0) }
                + connection.all("PRAGMA foreign_key_check") { $0.text(0) }
        }
        #expect(findings == ["ok"])
    }
}

@Suite struct ConformanceCasesTests {
    @Test(arguments: ConformanceArea.allCases)
    func `have names of their own in each area`(area: ConformanceArea) {
        let names = ConformanceCases.all(of: area).map(\.name)

        #expect(!names.isEmpty)
        #expect(Set(names).count == names.count)
    }
}

extension ConformanceCase: CustomTestStringConvertible {
    package var testDescription: String { "\(area.rawValue): \(name)" }
}
