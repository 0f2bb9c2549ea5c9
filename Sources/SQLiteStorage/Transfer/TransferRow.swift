import Events
import Model
import Rules
import SharedStorage
import SQLite
import System
import Time

/// A record as a row of its table.
protocol TransferRow: TransferredRow {
    static var statements: TableStatements { get }

    /// Inserts the record and returns its id, which is the next one if it has none.
    func insert(on connection: Connection) throws -> Int64
}

/// The statements for the records of a table.
struct TableStatements: Sendable {
    /// A query for a row with the bound id.
    let lookUp: SQL
    /// A query for all columns, in the order of the ids.
    ///
    /// The bound values are the id before the first row, and the maximum number of rows.
    let page: SQL
    let insert: SQL

    init(of table: Table) {
        lookUp = SQL(made: "SELECT 1 FROM \(table.name) WHERE id = ?")
        page = SQL(selectingFrom: table, "WHERE id > ? ORDER BY id LIMIT ?")
        insert = SQL(insertingInto: table)
    }
}

extension EventRecord: TransferRow {
    static let statements = TableStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        // No end of a ban would show what one in another database has hidden.
        let isBanned = try connection.isBanned(ownerID)
        let hidden = isBanned ? .ban : self.hidden == .ban ? .admin : self.hidden
        return try EventRow(attributes, ownerID: ownerID, hidden: hidden)
            .insert(id: id, on: connection)
    }
}

extension AttendanceRecord: TransferRow {
    static let statements = TableStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}

extension TodoTaskRecord: TransferRow {
    static let statements = TableStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        if let known = try connection.credentials(email: email) {
            let accountID = known.account.id
            return try connection.insert(Self.statements.insert, values(accountID: accountID))
        }
        let accountID = try connection.insertAccount(email: email, at: .now())
        do {
            return try connection.insert(Self.statements.insert, values(accountID: accountID))
        } catch {
            // A task that is refused leaves no account.
            try connection.run("DELETE FROM accounts WHERE id = ?", .integer(accountID))
            throw error
        }
    }
}

extension SharedTaskRecord: TransferRow {
    static let statements = TableStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}

extension CheckinRecord: TransferRow {
    static let statements = TableStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}
