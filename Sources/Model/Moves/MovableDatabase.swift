/// A database whose records can be moved to another one, or that can receive them.
package protocol MovableDatabase: Sendable {
    /// Makes a database that was restored one that can be copied while it is in use.
    ///
    /// Only for processes that don't have it open.
    func prepareSource() throws
    /// Returns whether the database rejects writes because of a move.
    func isClosed() throws -> Bool
    /// Lets servers write again after a move.
    ///
    /// - Throws: `OperatorError` while a move is running, and if the database is a target that is
    ///   not complete.
    func reopen() throws
    /// Makes all processes reject writes until the result is released or this process ends.
    ///
    /// It waits for running writes. Each write is either stored before it returns, or is rejected.
    ///
    /// - Returns: What reads the records, for the calling thread.
    /// - Throws: `OperatorError` while another move is running.
    func makeSource() throws -> any MoveSource
    /// Returns a reader of what is committed now, for the calling thread.
    func makeReader() throws -> any MoveReader
    /// Returns the state as a target, without changing anything.
    func moveState() throws -> MoveState
    /// Prepares the database for the records of `source`, whose name is stored for messages.
    ///
    /// It deletes the records of a move that was not finished. Until this one is, no server serves
    /// the database.
    ///
    /// - Returns: What writes the records, for the calling thread.
    /// - Throws: `OperatorError` if the database has records that are not from a move.
    func makeTarget(for source: String) throws -> any MoveTarget
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

/// Reads the rows of a database for a move; belongs to one thread.
package protocol MoveReader: AnyObject {
    /// Returns the rows with greater ids, at most `limit`, in the order of the ids.
    func rows(of table: Table, after id: Int64, limit: Int) throws -> MovedRows
    func count(of table: Table) throws -> Int
    /// Returns the id that the next row would get.
    func nextID(of table: Table) throws -> Int64
    /// Returns the UUID of the installation.
    func installation() throws -> String
}

extension MoveReader {
    /// Returns whether no table has rows.
    package func isEmpty() throws -> Bool {
        try Table.records.allSatisfy { try rows(of: $0, after: .min, limit: 1).count == 0 }
    }
}

/// Reads the rows of a database that rejects writes as long as this object exists.
package protocol MoveSource: MoveReader {
    /// Makes the database reject writes for good; it is the last call.
    func close() throws
}

/// Writes the rows of a move; belongs to one thread.
package protocol MoveTarget: MoveReader {
    /// Adds rows to a table.
    func append(_ rows: MovedRows, to table: Table) throws
    /// Sets the id that the next row will get.
    func setNextID(_ id: Int64, of table: Table) throws
    /// Replaces the UUID of the installation.
    func setInstallation(_ uuid: String) throws
    /// Makes the database an ordinary one.
    ///
    /// It is the last call. If it throws, the database may be complete or not; see `moveState`.
    func finish() throws
}
