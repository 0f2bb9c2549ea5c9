import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// Connections stay open between transactions, and PostgreSQL may be restarted meanwhile.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct BlockingConnectionsTests {
    @Test func areOpenedAgainOnceTheyAreLost() throws {
        let test = try MigratedDatabase()
        let url = test.database.url
        let connections = BlockingConnections { try BlockingConnection(url: url) }
        var runs = 0
        func perform() throws {
            try connections.withTransaction("BEGIN", attempts: 1) { connection in
                runs += 1
                _ = try connection.perform(Command("SELECT 1", []))
            }
        }

        try perform()
        try test.database.killBackends()
        try perform()

        #expect(runs == 2)
        // A transaction that has begun is not repeated: it may have been committed.
        #expect(throws: PostgreSQLError.self) {
            try connections.withTransaction("BEGIN", attempts: 1) { connection in
                runs += 1
                try test.database.killBackends()
                _ = try connection.perform(Command("SELECT 1", []))
            }
        }
        #expect(runs == 3)
    }
}
