/// A connection that only reads, and the transaction that it may have open.
///
/// Inside an open transaction a query costs a third of what it costs alone, and sees what was
/// committed before the transaction began.
final class Reader {
    private let configuration: DatabaseConfiguration
    private let commits: CommitCounter
    private var connection: Connection?
    /// The commits that had been made before the open transaction began; nil if none is open.
    private var snapshot: UInt64?
    /// The commits that had been made when the thread was last without work.
    private var settledCommits: UInt64?

    /// A reader that opens its connection when it is needed.
    init(_ configuration: DatabaseConfiguration, commits: CommitCounter) {
        self.configuration = configuration
        self.commits = commits
    }

    /// Opens the connection if it is not.
    @discardableResult
    func open() throws(SQLiteError) -> Connection {
        if let connection { return connection }
        let opened = try Connection(configuration, .queryOnly)
        connection = opened
        return opened
    }

    /// Runs `body` in the open transaction, or a new one if there is none or the writer has
    /// committed since; leaves it open.
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

    /// Ends the open transaction if there are writes nowadays: a transaction that is kept open
    /// would keep the WAL from beginning anew.
    func endTransactionAmidWrites() {
        if commits.value != settledCommits { endTransaction() }
    }

    /// Ends the open transaction, and takes it that there are no writes until there is one.
    func settle() {
        settledCommits = commits.value
        endTransaction()
    }

    /// Ends the open transaction, if there is one.
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
        // Before the transaction begins: a commit in between makes the next read begin another
        // one for nothing, whereas the other order could miss it.
        let commits = self.commits.value
        if snapshot == commits { return }
        if snapshot != nil {
            snapshot = nil
            try connection.run("COMMIT")
        }
        try connection.run("BEGIN")
        try checkCache(of: connection)
        // Only now: should the check fail, a transaction without a snapshot is out of step, and
        // the connection is given up with its cache.
        snapshot = commits
    }

    /// Empties the cache if the snapshot is not the one it was filled from
    /// (<https://sqlite.org/pragma.html#pragma_data_version>).
    private func checkCache(of connection: Connection) throws {
        let version = try connection.first("PRAGMA data_version") { row in row.int64(0) }
        if version == connection.dataVersion { return }
        connection.dataVersion = version
        connection.snapshotCache?.removeAll()
    }

    /// Gives the connection up if it can't be trusted, or if its state is not what it should be.
    private func recover(from error: SQLiteError) {
        let isOutOfStep = connection?.isInTransaction != (snapshot != nil)
        if error.code.endsConnection || isOutOfStep { close() }
    }
}
