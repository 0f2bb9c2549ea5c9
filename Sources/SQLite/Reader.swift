import System

/// A read-only connection and its open transaction, if any.
///
/// A query inside an open transaction takes a third of the time, and sees what was committed before
/// the transaction began.
final class Reader {
    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private var connection: Connection?
    /// The commits before the open transaction; nil if none is open.
    private var snapshot: Snapshot?

    /// The commits that a transaction sees, also those of other processes.
    private struct Snapshot {
        let commits: UInt64
        /// Nil if it is unknown.
        let version: DatabaseVersion?

        func includes(_ latest: Snapshot) -> Bool {
            version != nil && version == latest.version && commits == latest.commits
        }
    }

    /// The number of commits when the thread was last idle.
    private var settledCommits: UInt64?

    /// Creates a reader that opens its connection on first use.
    init(_ configuration: DatabaseConfiguration, commits: CommitCounter) {
        self.configuration = configuration
        self.commits = commits
    }

    /// Opens the connection unless it is open.
    @discardableResult
    func open() throws(SQLiteError) -> Connection {
        if let connection { return connection }
        let opened = try Connection(configuration, .queryOnly)
        connection = opened
        return opened
    }

    /// Runs `body` in a transaction that includes every commit of any process so far, and leaves it
    /// open.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        do {
            let connection = try open()
            try refresh(connection)
            return try body(connection)
        } catch {
            guard let error = error as? SQLiteError else { throw error }
            recover(from: error)
            throw configuration.files?.cause(of: error) ?? error
        }
    }

    /// The version of the database, nil if it is unknown.
    var version: DatabaseVersion? {
        connection?.version
    }

    /// Ends the open transaction if there were recent writes, so that the WAL can restart.
    func endTransactionAmidWrites() {
        if commits.value != settledCommits { endTransaction() }
    }

    /// Ends the open transaction, and expects no writes until the next one.
    func settle() {
        settledCommits = commits.value
        endTransaction()
    }

    /// Ends the open transaction, if any.
    func endTransaction() {
        guard snapshot != nil else { return }
        snapshot = nil
        do {
            try connection?.run("COMMIT")
        } catch {
            connection = nil
        }
    }

    func close() {
        snapshot = nil
        connection = nil
    }

    private func refresh(_ connection: Connection) throws {
        // Read before the transaction begins. A commit in between then only causes a superfluous
        // new transaction; in the other order it could be missed.
        let latest = Snapshot(commits: commits.value, version: connection.version)
        if let snapshot {
            if snapshot.includes(latest) { return }
            self.snapshot = nil
            try connection.run("COMMIT")
        }
        try connection.run("BEGIN")
        snapshot = latest
    }

    /// Closes the connection if it can't be trusted or is in an unexpected state.
    private func recover(from error: SQLiteError) {
        let isOutOfStep = connection?.isInTransaction != (snapshot != nil)
        if error.code.endsConnection || isOutOfStep { close() }
    }
}
