/// A database whose records can be moved to another one, or that can receive them.
package protocol MovableDatabase: Sendable {
    /// Prepares the database for being read while servers change it.
    ///
    /// Only for processes that don't have it open. It throws the engine's error if the database
    /// rejects writes, because then a move can't close it.
    func prepareSource() throws
    /// Returns a text that identifies the database and doesn't change while it exists.
    ///
    /// - Throws: `OperatorError` if migrations are missing, and the engine's errors.
    func identity() throws -> String
    /// Returns whether the database rejects writes because of a move.
    func isClosed() throws -> Bool
    /// Makes all processes reject writes; waits for running ones. Reads go on.
    ///
    /// Each write is either stored before it returns, or is rejected.
    func close() throws
    /// Undoes `close`, also after another process has called it.
    func reopen() throws
    /// Returns a reader for the calling thread.
    func makeReader(of content: MoveContent) throws -> any MoveReader
    /// Returns what is known of an earlier move into this database, without changing anything.
    func moveState() throws -> MoveState
    /// Prepares the database for the records of a move, or for the rest of them.
    ///
    /// Until the move is finished, nothing else can write to it.
    ///
    /// - Parameter source: The fingerprint of the source, and its name for messages.
    /// - Returns: What writes the records, for the calling thread.
    /// - Throws: `OperatorError` if it contains anything else than records of this move.
    func makeTarget(for source: MoveOrigin) throws -> any MoveTarget
}

/// What a reader of a move sees.
package enum MoveContent: Sendable {
    /// What is committed when each function is called; the source must be prepared.
    case latest
    /// What was committed when the reader was made.
    case snapshot
}

/// The source of a move as its target stores it.
package struct MoveOrigin: Equatable, Sendable {
    /// The digest of the database's identity.
    package let fingerprint: String
    /// The database's name for messages.
    package let name: String

    package init(fingerprint: String, name: String) {
        self.fingerprint = fingerprint
        self.name = name
    }
}

/// The state of a database that may be the target of a move.
package enum MoveState: Equatable, Sendable {
    /// It has no records.
    case empty
    /// It contains a part of a move that is not finished.
    case unfinished(MoveOrigin)
    /// It has records, and no unfinished move.
    case filled
}

/// Reads the rows of a database for a move; belongs to one thread.
package protocol MoveReader: AnyObject {
    /// Returns the rows with ids in a range that is open below, at most `limit`.
    func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        limit: Int
    ) throws -> MovedRows
    /// Returns the number of rows and the greatest id, which is 0 if there are none.
    func extent(of table: MovedTable) throws -> (count: Int64, greatestID: Int64)
    /// Returns the id that the next row would get.
    func nextID(of table: MovedTable) throws -> Int64
    /// Returns the UUID of the installation.
    func installation() throws -> String
}

/// Writes the rows of a move; belongs to one thread.
///
/// Each function is one transaction, and throws if another process has taken over the move.
package protocol MoveTarget: MoveReader {
    /// Returns up to which id the rows of a table were appended; nil if none were.
    func copiedID(of table: MovedTable) throws -> Int64?
    /// Appends rows to a table, and remembers the last id.
    ///
    /// - Throws: `MoveConflict` if a constraint rejects a row.
    func append(_ rows: MovedRows, to table: MovedTable) throws
    /// Deletes the rows with ids in a range that is open below, except those with these ids.
    ///
    /// - Throws: `MoveConflict` if other rows refer to them.
    func deleteRows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        except ids: [Int64]
    ) throws
    /// Adds rows, or replaces those with the same ids.
    ///
    /// - Throws: `MoveConflict` if a constraint rejects a row.
    func store(_ rows: MovedRows, in table: MovedTable) throws
    /// Sets the id that the next row will get.
    func setNextID(_ id: Int64, of table: MovedTable) throws
    /// Replaces the UUID of the installation.
    func setInstallation(_ uuid: String) throws
    /// Makes the engine ready for queries of the rows that are there, such as by statistics.
    func optimize() throws
    /// Makes the database an ordinary one.
    ///
    /// It is the last call. If it throws, it may be finished or not; see `moveState`.
    func finish() throws
}

/// The error for rows that the target rejects, because the source has changed in the meantime.
package struct MoveConflict: ExplainedError {
    /// Without a full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package var explanation: String { "The target rejects rows of the source: \(reason)." }
}
