import Glibc
import Model
import PostgreSQL
import PostgreSQLSupport
import Rules
import StorageSupport
import Testing

@testable import PostgreSQLStorage

/// Transactions whose database doesn't respond.
struct TransactionCallTests {
    @Test(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
    func `a transaction of a frozen database fails, and is not performed later`() async throws {
        let server = try ThrowawayPostgreSQL()
        let database = try TestDatabase(on: server)
        var options = PostgreSQLEngine.Options(
            url: server.urlText(of: database.name),
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        options.timeoutMilliseconds = 500
        let storage = try PostgreSQLEngine(options).open(for: .serving) { _ in }
        func signUp(_ token: TokenDigest) async throws {
            try await storage.stores.transactions.atomically { stores in
                _ = try await stores.users.create(token: token)
            }
        }
        try await signUp(TokenDigest(1))
        let processes = try database.run(
            """
            SELECT pid FROM pg_stat_activity
            WHERE datname = '\(database.name)' AND application_name = 'humon'
            """
        ).split(separator: "\n").compactMap { pid_t($0) }

        for process in processes { kill(process, SIGSTOP) }
        let late = await #expect(throws: ModelError.self) { try await signUp(TokenDigest(2)) }
        for process in processes { kill(process, SIGCONT) }
        storage.close()

        #expect(late == .busy(.late))
        #expect(try database.run("SELECT count(*) FROM users") == "1")
    }

    @Test func `a transaction that takes too long may still be stored`() async throws {
        let outcome: Result<Int, any Error> = await withCheckedContinuation { continuation in
            let call = TransactionCall(continuation)
            Task {
                try call.begin()
                try await call.expire(after: 0, thenAfter: 0)
                call.finish(.success(1))
                #expect(throws: PostgreSQLError.late) { try call.begin() }
            }
        }

        let error = #expect(throws: PostgreSQLError.self) { try outcome.get() }
        #expect(error?.kind == .unknownOutcome)
    }
}
