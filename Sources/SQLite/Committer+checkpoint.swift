import System

extension Committer {
    private static let blockedCheckpointMilliseconds: Int64 = 1000
    /// The multiple of the limit from which the WAL must restart.
    private static let walPagesFactor = 2
    /// The part of the limit that a checkpoint copies without letting another thread copy first.
    private static let shortPart = 16
    /// How often in a row another thread may copy, while readers or writes keep adding to the rest.
    private static let maximumCopies = 3

    /// Checkpoints and truncates the WAL of the open database if the files are lost.
    ///
    /// The file with the WAL's name may now belong to another database, which it would damage. If
    /// it was deleted or the database was moved, this is the only way to keep its content.
    func emptyLostWAL() {
        guard status.filesProblem != nil, case .open(let connection) = database,
            connection.wal.pages > 0 || connection.wal.hasUncopiedPages,
            MonotonicClock.milliseconds() >= nextCheckpoint
        else { return }
        // Otherwise a reader that expects no writes would keep its transaction open.
        commits.increment()
        checkpoint(.truncate, patience: Committer.restartMilliseconds)
    }

    /// Whether the WAL's file is too long to keep while nothing is written, as after a slow reader.
    var isWALTooLong: Bool {
        status.filesProblem == nil && walFilePages > limits.walPages &+ Committer.walSlackPages
    }

    /// The size of the WAL's file in pages.
    var walFilePages: Int {
        let bytes = files.flatMap { DatabaseFile.size($0.path + FileSuffix.wal) } ?? 0
        return bytes / Connection.pageBytes
    }

    /// Copies a long WAL into the database, as much as possible on another thread.
    ///
    /// When little is left to copy, it does that itself. A commit then finds the whole WAL copied,
    /// and restarts it.
    func checkpointUnderLoad() {
        guard case .open(let connection) = database else { return }
        let uncopied = connection.wal.pages - connection.wal.copiedPages
        if isCopyOnWrite, let files, uncopied > 0,
            CopyOnWrite.isShort(files.path, ofRoomFor: uncopied)
        {
            return checkpoint(.restart, patience: Committer.restartMilliseconds)
        }
        guard uncopied >= limits.walPages else {
            // The WAL has restarted after a copy that was complete.
            if copies > 0 { status.noteCheckpoint() }
            copies = 0
            return
        }
        guard MonotonicClock.milliseconds() >= nextCheckpoint else { return }
        // After a passive checkpoint, the WAL restarts at the next commit if no reader is using it.
        // Its old pages can be overwritten in half the time that appending takes.
        let isTooLong = connection.wal.pages / Committer.walPagesFactor >= limits.walPages
        if isTooLong { return checkpoint(.restart, patience: Committer.restartMilliseconds) }
        if checkpointThread?.isBusy == true { return }
        let copied = copies > 0 ? checkpointThread?.copiedPages : connection.wal.copiedPages
        if copies < Committer.maximumCopies, let copied,
            connection.wal.pages - copied > limits.walPages / Committer.shortPart,
            beginCopying(connection)
        {
            copies += 1
            return
        }
        checkpoint(.passive, patience: Committer.restartMilliseconds)
    }

    /// Lets another thread copy the WAL; returns false if that is impossible now.
    private func beginCopying(_ connection: Connection) -> Bool {
        do {
            let thread = checkpointThread ?? CheckpointThread(configuration)
            checkpointThread = thread
            return try lock.withLock {
                lookAtFiles()
                try watch.checkBeforeCheckpoint()
                // Another process may have copied everything since the last commit.
                guard try connection.indexHasUncopiedPages() else { return false }
                try thread.begin(lock)
                return true
            }
        } catch {
            return false
        }
    }

    /// Waits for the end of the copy, if there is one; throws if it has failed.
    ///
    /// Then no page counts as copied any more, because the copies may not be on the disk.
    func finishCopying(_ connection: Connection) throws(SQLiteError) {
        do throws(SQLiteError) {
            try checkpointThread?.finish()
        } catch {
            try connection.forgetCopiedPages()
            throw error
        }
    }

    /// Waits for the end of the copy and its thread, if there is one.
    func stopCheckpointThread() {
        checkpointThread?.stop()
        checkpointThread = nil
        copies = 0
    }

    /// Checkpoints the open database on this thread.
    func checkpoint(_ kind: Connection.Checkpoint, patience: Int32? = nil) {
        guard case .open(let connection) = database else { return }
        copies = 0
        var isComplete = false
        do {
            try finishCopying(connection)
            try lock.withLock {
                lookAtFiles()
                try watch.checkBeforeCheckpoint()
                try connection.setPatience(
                    milliseconds: patience ?? configuration.busyTimeoutMilliseconds
                )
                defer {
                    // This fails only for a closed connection.
                    try? connection.setPatience(milliseconds: configuration.busyTimeoutMilliseconds)
                }
                try connection.checkpoint(kind)
            }
            status.walPages = connection.wal.pages
            status.noteCheckpoint()
            isComplete = !connection.wal.hasUncopiedPages
        } catch {
            if status.filesProblem == nil { discardIfBroken(error, connection) }
        }
        nextCheckpoint =
            isComplete
            ? 0 : MonotonicClock.milliseconds() &+ Committer.blockedCheckpointMilliseconds
    }
}
