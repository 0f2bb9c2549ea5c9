import CSQLite

/// What a connection learned of the WAL from its commits and checkpoints.
struct WALState {
    /// The pages in it.
    private(set) var pages = 0
    /// Those of them that the latest checkpoint left copied into the database.
    private(set) var copiedPages = 0
    /// Whether there may be pages that are not copied; at first nobody knows.
    private(set) var hasUncopiedPages = true

    /// Notes a commit, after which the WAL held so many pages.
    mutating func noteCommit(pages: Int) {
        // It begins anew once it is copied and nobody reads from it.
        if pages < self.pages { copiedPages = 0 }
        self.pages = pages
        hasUncopiedPages = true
    }

    /// Notes a checkpoint.
    mutating func noteCheckpoint(pages: Int, copied: Int) {
        self.pages = pages
        copiedPages = copied
        hasUncopiedPages = copied < pages
    }
}

extension Connection {
    /// How far a checkpoint goes (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
    enum Checkpoint {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for the readers, so that the next commit writes over the WAL from its beginning.
        case restart
        /// Waits for the readers, and leaves an empty file.
        case truncate

        fileprivate var mode: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// Copies the WAL into the database; throws `.busy` if it waits for readers in vain.
    func checkpoint(_ kind: Checkpoint) throws(SQLiteError) {
        var pages: Int32 = 0
        var copied: Int32 = 0
        try handle.check(
            unsafe sqlite3_wal_checkpoint_v2(handle.pointer, nil, kind.mode, &pages, &copied)
        )
        wal.noteCheckpoint(pages: max(0, Int(pages)), copied: max(0, Int(copied)))
    }

    /// Sets how long a statement or checkpoint waits for others, in ms.
    func setPatience(milliseconds: Int32) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_busy_timeout(handle.pointer, milliseconds))
    }

    /// Keeps `wal` up to date.
    ///
    /// It has to come after every change of `wal_autocheckpoint`, which uses the same hook.
    func observeCommits() {
        // The connection outlives each commit that the hook is called in.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            handle.pointer,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                let connection = unsafe Unmanaged<Connection>.fromOpaque(context)
                unsafe connection.takeUnretainedValue().wal.noteCommit(pages: Int(pages))
                return SQLITE_OK
            },
            context
        )
    }
}
