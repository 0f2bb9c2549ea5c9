import Conformance
import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import Testing

/// Runs one case at a time, as the suites below, which run beside it.
///
/// All cases at once would need more connections than the server allows.
@Suite(.serialized, .enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLConformanceTests {
    @Test("The storage on PostgreSQL", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        let fixture = try PostgreSQLFixture()
        try await conformanceCase.run(on: fixture.subject)
    }

    @Test(arguments: [false, true])
    func `changes nothing without a row of the audit`(isOfAnotherEngine: Bool) async throws {
        let fixture = try PostgreSQLFixture(isOfAnotherEngine: isOfAnotherEngine)
        func alter(_ change: String) throws {
            try BlockingConnection(url: fixture.database.database.url).performScript(
                "ALTER TABLE admin_actions \(change)"
            )
        }
        try alter("ADD CONSTRAINT audited CHECK (actor <> 'cli:nobody')")
        defer { try? alter("DROP CONSTRAINT IF EXISTS audited") }
        try await ConformanceCases.failingAudit.run(on: fixture.subject)
    }
}

@Suite(.serialized, .enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLWithoutContentsTests {
    @Test("The storage on PostgreSQL without contents in memory", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        let fixture = try PostgreSQLFixture(contentBytes: 0)
        try await conformanceCase.run(on: fixture.subject)
    }
}

@Suite(.serialized, .enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLWithoutTriggersTests {
    @Test("The storage on an engine without the log's triggers", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        let fixture = try PostgreSQLFixture(isOfAnotherEngine: true)
        try await conformanceCase.run(on: fixture.subject)
    }
}

extension PostgreSQLFixture {
    /// All stores on this database.
    fileprivate var subject: ConformanceSubject {
        ConformanceSubject(
            storage.stores,
            storage.transfer,
            .text
        ) { [database] sql in try database.database.run("\(sql)") }
    }
}
