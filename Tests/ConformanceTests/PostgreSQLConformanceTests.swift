import Conformance
import Model
import PostgreSQLSupport
import StorageSupport
import Testing

@Suite(.serialized, .enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLConformanceTests {
    @Test("The storage on PostgreSQL", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        let fixture = try PostgreSQLFixture()
        try await conformanceCase.run(on: fixture.subject)
    }

    @Test("The storage on PostgreSQL with all events in memory", arguments: ConformanceCases.all)
    func conformsFromMemory(conformanceCase: ConformanceCase) async throws {
        let fixture = try await PostgreSQLFixture(keepingEventsIn: 10_000_000)
        try await conformanceCase.run(on: fixture.subject)
        try await fixture.storage.waitForEventsInMemory()
    }
}

extension PostgreSQLFixture {
    /// All stores on this database.
    fileprivate var subject: ConformanceSubject {
        ConformanceSubject(
            storage.stores,
            storage.transfer,
            storage.accountAdministration,
            .text
        )
    }
}
