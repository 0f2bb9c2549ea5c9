import CSQLite

extension Connection {
    /// How far a checkpoint goes (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
    enum Checkpoint {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for the readers, and leaves an empty WAL.
        case truncate
    }

    /// Copies the WAL into the database; returns the pages in the WAL and how many of them are
    /// copied. Throws `.busy` if readers keep `truncate` from being complete.
    func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> (pages: Int, copied: Int) {
        var pages: Int32 = 0
        var copied: Int32 = 0
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        try handle.check(
            unsafe sqlite3_wal_checkpoint_v2(handle.pointer, nil, mode, &pages, &copied))
        return (max(0, Int(pages)), max(0, Int(copied)))
    }

    /// Keeps `walPages` up to date. It has to come after every change of `wal_autocheckpoint`,
    /// which uses the same hook.
    func observeCommits() {
        // The connection outlives each commit that the hook is called in.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            handle.pointer,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                let connection = unsafe Unmanaged<Connection>.fromOpaque(context)
                unsafe connection.takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            }, context)
    }
}
