import Foundation
import Model
import PostgreSQLSupport
import StorageSupport
import Testing
import Threads

@testable import PostgreSQLStorage

/// What happens if the database can't be reached when it is opened.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct StartTests {
    private static func engine(_ urlText: String) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            PostgreSQLEngine.Options(
                url: urlText,
                migrations: StorageFixture.migrations(of: "postgresql"),
                representation: .text
            )
        )
    }

    @Test func `a server waits for its database, and migrates it before it is used`() async throws {
        let server = try ThrowawayPostgreSQL()
        let engine = try Self.engine(server.urlText(of: "postgres"))
        let events = Mutex<[StorageEvent]>([])
        try server.stop()

        let storage = try engine.open(for: .serving) { event in
            events.withLock { $0.append(event) }
        }
        defer { storage.close() }

        await #expect(throws: ModelError.self) { try await storage.stores.events.find(1) }
        try server.start()
        var found: Event?? = nil
        while found == nil {
            do {
                found = .some(try await storage.stores.events.find(1))
            } catch ModelError.unavailable {
                await Task.yield()
            }
        }
        #expect(found == .some(nil))
        #expect(try engine.migrations().allSatisfy { $0.appliedAt != nil })
        let all = events.withLock { $0 }
        guard case .unreachable(let cause)? = all.first else {
            Issue.record("\(all)")
            return
        }
        #expect(cause.contains(server.folder))
        guard case .reachable? = all.last else {
            Issue.record("\(all)")
            return
        }
    }

    @Test(arguments: [StoragePurpose.serving, .administration])
    func `wrong settings end the start at once`(purpose: StoragePurpose) throws {
        let server = try #require(ThrowawayPostgreSQL.shared)
        let engine = try Self.engine(server.urlText(of: "missing"))

        let error = #expect(throws: (any Error).self) {
            try engine.open(for: purpose) { _ in }.close()
        }

        #expect("\(String(describing: error))".contains("3D000"))
    }

    @Test func `a command does not wait for its database`() throws {
        let engine = try Self.engine("postgres://humon@127.0.0.1:1/postgres")

        #expect(throws: (any Error).self) {
            try engine.open(for: .administration) { _ in }.close()
        }
    }
}
