import Conformance
import Model
import PostgreSQL
import PostgreSQLStorage
import StorageSupport
import System
import Testing

/// The cases on the database that HUMON_TEST_DATABASE_URL names, for engines that speak
/// PostgreSQL's protocol.
///
/// `bin/conform URL` runs them.
@Suite(
    .serialized,
    .enabled(if: NamedDatabase.urlText != nil, "HUMON_TEST_DATABASE_URL names no database.")
)
struct NamedDatabaseConformanceTests {
    /// The engine and its version; throws if the database had tables before the first case.
    private static let version = Result { try NamedDatabase.requireEmpty() }

    @Test func `is empty before the first case`() throws {
        print("Engine: \(try Self.version.get())")
    }

    @Test("The storage on the named database", arguments: ConformanceCases.all)
    func conforms(conformanceCase: ConformanceCase) async throws {
        // The test above reports a database that must not be changed, once.
        guard case .success = Self.version else { return }
        try NamedDatabase.reset()
        defer { try? NamedDatabase.reset() }
        let urlText = try #require(NamedDatabase.urlText)
        var options = PostgreSQLEngine.Options(
            url: urlText,
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        options.preparesStatements = NamedDatabase.preparesStatements
        options.userLimits = .ofCases
        let storage = try PostgreSQLEngine(options).open(for: .serving) { _ in }
        defer { storage.close() }

        try await conformanceCase.run(
            on: ConformanceSubject(
                storage.stores,
                storage.transfer,
                .text
            ) { sql in try NamedDatabase.run(.init(stringLiteral: sql)) }
        )
    }
}
