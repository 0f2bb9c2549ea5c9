import Events
import Model
import Rules
import SQLite
import System
import Time

/// A record as a row of its table.
protocol TransferRow: TransferRecord, TableRecord {
    static var statements: TransferStatements { get }

    /// Returns the result if it can't be stored for a reason other than its own id.
    func obstacle(on connection: Connection) throws -> ImportResult?

    /// Inserts the record and returns its id, which is the next one if it has none.
    func insert(on connection: Connection) throws -> Int64
}

extension TransferRow {
    func obstacle(on connection: Connection) throws -> ImportResult? { nil }
}

/// The statements for the records of a table.
struct TransferStatements: Sendable {
    /// A query for a row with the bound id.
    let lookUp: SQL
    /// A query for all columns, in the order of the ids.
    ///
    /// The bound values are the id before the first row, and the maximum number of rows.
    let page: SQL
    let insert: SQL

    init(of table: Table, page: SQL? = nil) {
        lookUp = SQL(made: "SELECT 1 FROM \(table.name) WHERE id = ?")
        self.page = page ?? SQL(selectingFrom: table, "WHERE id > ? ORDER BY id LIMIT ?")
        insert = SQL(insertingInto: table)
    }
}

extension EventRecord: TransferRow {
    static let statements = TransferStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        // Only a ban of this database ends, and shows what it has hidden.
        let isBanned = try connection.isBanned(ownerID)
        let hidden = isBanned ? .ban : self.hidden == .ban ? .admin : self.hidden
        return try EventRow(attributes, ownerID: ownerID, hidden: hidden)
            .insert(id: id, on: connection)
    }
}

extension AttendanceRecord: TransferRow {
    static let statements = TransferStatements(of: table)

    func obstacle(on connection: Connection) throws -> ImportResult? {
        guard ImportResult.allows(eventID) else { return .idIsOutOfRange }
        let event = try connection.first(
            "SELECT 1 FROM events WHERE id = ?",
            .integer(eventID)
        ) { _ in true }
        guard event == true else { return .refused(reason: "there is no event \(eventID)") }
        let known = try connection.first(
            "SELECT 1 FROM attendances WHERE event_id = ? AND user_id = ?",
            .integer(eventID),
            .integer(userID)
        ) { _ in true }
        return known == true
            ? .refused(reason: "user \(userID) attends event \(eventID) already") : nil
    }

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}

extension TodoTaskRecord: TransferRow {
    static let statements = TransferStatements(
        of: table,
        page: SQL(
            made: """
                SELECT \(table.list(of: "task")), email
                FROM todo_tasks AS task JOIN accounts ON accounts.id = account_id
                WHERE task.id > ? ORDER BY task.id LIMIT ?
                """
        )
    )

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
    static let statements = TransferStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}

extension CheckinRecord: TransferRow {
    static let statements = TransferStatements(of: table)

    func insert(on connection: Connection) throws -> Int64 {
        try connection.insert(Self.statements.insert, values())
    }
}
