import System

/// Copies the WAL into the database on a thread of its own, while the writer commits more.
///
/// Copying and syncing some thousand pages takes 15 ms, in which the writer would acknowledge
/// nothing. So it waits only for the pages that were added meanwhile.
///
/// Before SQLite 3.51.3, a checkpoint that begins when the whole WAL is copied can corrupt the
/// database, if a commit restarts the WAL at that moment (<https://sqlite.org/wal.html>, "The
/// WAL-Reset Bug"). So a copy begins only while the WAL has uncopied pages, and no other checkpoint
/// may run until it has ended. Then no commit can restart the WAL before the copy is complete.
final class CheckpointThread {
    private enum Outcome {
        /// All pages up to this number are copied and synced.
        case copied(Int)
        /// The database could not be opened, so nothing was copied.
        case notOpened
        case failed(SQLiteError)
    }

    private let configuration: DatabaseConfiguration
    private var thread: POSIXThread?
    private var outcome: Promise<Outcome>?

    init(_ configuration: DatabaseConfiguration) {
        self.configuration = configuration
    }

    /// Whether a copy is under way.
    var isBusy: Bool { outcome.map { $0.current == nil } ?? false }

    /// The number of the WAL's pages that the last copy has copied and synced.
    ///
    /// It is nil if the copy failed or has not ended, or if `finish` was called since.
    var copiedPages: Int? {
        guard case .copied(let pages)? = outcome?.current else { return nil }
        return pages
    }

    /// Begins to copy, and holds the writer's lock until the end.
    ///
    /// Call it under that lock, while the WAL has uncopied pages and no copy is under way. Throws
    /// `ThreadError` if the system can't create a thread.
    func begin(_ lock: WriterLock) throws(ThreadError) {
        stop()
        let outcome = Promise<Outcome>()
        lock.retain()
        do throws(ThreadError) {
            thread = try POSIXThread { [configuration] in
                let copied = Self.copy(configuration)
                lock.release()
                outcome.fulfill(copied)
            }
        } catch {
            lock.release()
            throw error
        }
        self.outcome = outcome
    }

    private static func copy(_ configuration: DatabaseConfiguration) -> Outcome {
        guard let connection = try? Connection(configuration, .checkpoints) else {
            return .notOpened
        }
        do throws(SQLiteError) {
            try connection.checkpoint(.passive)
            if configuration.synchronous != .off { try connection.syncDatabase() }
            return .copied(connection.wal.copiedPages)
        } catch {
            return .failed(error)
        }
    }

    /// Waits for the end of the copy, if there is one.
    ///
    /// Throws its `SQLiteError` once, if that has left the connections unusable. Then pages that
    /// SQLite counts as copied may not be in the file.
    func finish() throws(SQLiteError) {
        let ended = outcome?.wait()
        outcome = nil
        guard case .failed(let error)? = ended, error.code.endsConnection else { return }
        throw error
    }

    /// Waits for the end of the copy and its thread.
    func stop() { thread?.join() }
}
