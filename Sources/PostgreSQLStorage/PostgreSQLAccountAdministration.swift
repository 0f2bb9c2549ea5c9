import Model
import PostgreSQL

/// The operator's functions for the accounts in PostgreSQL.
struct PostgreSQLAccountAdministration: AccountAdministration {
    let connections: BlockingConnections

    func list() throws -> [AccountSummary] {
        do {
            return try connections.withConnection { connection in
                try connection.perform(Command(AccountStatements.list)).map { row in
                    AccountSummary(
                        id: try row.bigint(0),
                        email: try row.text(1),
                        name: try row.text(2),
                        taskCount: try row.bigint(3),
                        isSignedIn: try row.boolean(4)
                    )
                }
            }
        } catch {
            throw modelError(for: error)
        }
    }
}
