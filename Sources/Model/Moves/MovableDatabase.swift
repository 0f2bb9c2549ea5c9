package import Rules

/// A database whose records can be moved to another one, or that can receive them.
package protocol MovableDatabase: Sendable {
    /// Returns whether the database rejects writes because of a move.
    func isClosed() throws -> Bool
    /// Lets servers write again after a move.
    ///
    /// - Throws: `OperatorError` while a move is running, and if the database is a target that is
    ///   not complete.
    func reopen() throws
    /// Returns the state as a target, without changing anything.
    func moveState() throws -> MoveState
    /// Returns the records that are committed now.
    func makeReader() throws -> any MovedRecords
    /// Makes all processes reject writes until the result is released or this process ends.
    ///
    /// It waits for running writes. Each write is either stored before it returns, or is rejected.
    ///
    /// - Returns: The records; `finish` makes the database reject writes for good.
    /// - Throws: `OperatorError` while another move is running.
    func makeSource() throws -> any MovedRecords
    /// Prepares the database for the records of `source`, whose name is stored for messages.
    ///
    /// It deletes the records of a move that was not finished. Until this one is, no server serves
    /// the database. Its log of changes gets a new identity, and no row for each record.
    ///
    /// - Returns: The records; `finish` makes the database an ordinary one. If that throws, the
    ///   database may be complete or not; see `moveState`.
    /// - Throws: `OperatorError` if the database has records that are not from a move.
    func makeTarget(for source: String) throws -> any MovedRecords
}

extension MovableDatabase {
    /// Throws `OperatorError` if the database is the target of a move that is not finished.
    package func requireComplete() throws {
        if case .unfinished(let source) = try moveState() {
            throw OperatorError.unfinishedMove(source)
        }
    }
}

/// The state of a database that may be the target of a move.
package enum MoveState: Equatable, Sendable {
    /// It has no records.
    case empty
    /// A move from the source with this name is not finished.
    case unfinished(source: String)
    /// It has records, and no unfinished move.
    case filled
}

/// The records of a database in a move, on the calling thread.
package protocol MovedRecords: AnyObject {
    /// Returns the rows with greater ids, at most `limit`, in the order of the ids.
    func rows(of table: Table, after id: Int64, limit: Int) throws -> [[ColumnValue]]
    /// Returns the number of rows of all tables.
    func count() throws -> Int
    /// Returns the id that the next row would get.
    func nextID(of table: Table) throws -> Int64
    /// Adds rows, at least one, to a table of a target.
    func append(_ rows: [[ColumnValue]], to table: Table) throws
    /// Sets the id that the next row of a target will get.
    func setNextID(_ id: Int64, of table: Table) throws
    /// Ends the move on this side; it is the last call.
    func finish() throws
}

extension MovedRecords {
    /// Returns whether no table has rows.
    package func isEmpty() throws -> Bool {
        try Table.records.allSatisfy { try rows(of: $0, after: .min, limit: 1).isEmpty }
    }
}
