import Glibc
import System

/// Checks whether a writer's open files are still in place.
struct FileWatch {
    private let files: OpenFiles?
    private let lock: WriterLock
    private let status: WriterStatus
    /// The state of the folder when all files were last found in place.
    ///
    /// It is nil if it might not show a later change.
    private var quietFolder: FolderState?
    /// When the folder's state expires, in ms: it doesn't show that another file was mounted over
    /// one.
    private var folderDeadline: Int64 = 0
    /// The database's path as it was given.
    private let path: String
    private let quietSeconds: Int

    private static let folderMilliseconds: Int64 = 500

    /// Creates a watch that reports to `status`.
    ///
    /// - Parameters:
    ///   - files: The open files.
    ///   - path: The database's path as it was given, which may be a link.
    ///   - lock: The lock of the database.
    ///   - status: Where changes are reported.
    ///   - quietSeconds: How old the folder's last change must be so that its state shows the next
    ///     one.
    init(
        _ files: OpenFiles?,
        at path: String,
        _ lock: WriterLock,
        _ status: WriterStatus,
        quietSeconds: Int
    ) {
        self.files = files
        self.path = path
        self.quietSeconds = quietSeconds
        self.lock = lock
        self.status = status
    }

    /// Checks all files and reports the result; throws `SQLiteError` if one is not in place.
    ///
    /// O(1): seven calls of statx(2).
    mutating func check() throws(SQLiteError) {
        let folder = files.flatMap { FolderState($0.folder) }
        quietFolder = nil
        try checkPlaces()
        if let files, files.isIndexCut {
            status.noteFiles(files.indexCut.message)
            throw files.indexCut
        }
        status.noteFiles(nil)
        guard let folder, folder.isQuiet(for: quietSeconds) else { return }
        quietFolder = folder
        folderDeadline = MonotonicClock.milliseconds() &+ Self.folderMilliseconds
    }

    /// Checks the folder first, and the files only if it has changed or half a second has passed.
    ///
    /// Creating, renaming or deleting a file changes its folder's change time, which nobody can set
    /// back. O(1): usually one call of statx(2). Five calls before and after each commit made a
    /// single client's inserts a seventh slower.
    ///
    /// - Throws: `SQLiteError` if a file is not in place.
    mutating func checkFolder() throws(SQLiteError) {
        if let quietFolder, let files, MonotonicClock.milliseconds() < folderDeadline,
            quietFolder == FolderState(files.folder)
        {
            return
        }
        try check()
    }

    /// Checks whether all files are in place; if not, it reports that and throws `SQLiteError`.
    ///
    /// A truncated index doesn't matter here. If no other process has the database open, opening it
    /// creates a new index.
    func checkPlaces() throws(SQLiteError) {
        do throws(SQLiteError) {
            try files?.check()
            try files?.checkDatabase(isAt: path)
            try lock.checkPlace()
        } catch {
            status.noteFiles(error.message)
            throw error
        }
    }

    /// Throws `SQLiteError` if a checkpoint could do harm or is impossible.
    ///
    /// Lost files don't matter, because a checkpoint uses their descriptors.
    func checkBeforeCheckpoint() throws(SQLiteError) {
        try files?.checkIndexIsNotReplaced()
        if let files, files.isIndexCut { throw files.indexCut }
        // Without the lock file, another process could write at the same time. If the WAL is in
        // place, nothing is lost by skipping the checkpoint.
        if (try? files?.check()) != nil { try lock.checkPlace() }
    }

    /// Whether another program has truncated the WAL's index.
    var isIndexCut: Bool { files?.isIndexCut ?? false }

    /// Returns the error for a truncated index if that is the cause of `error`, otherwise `error`.
    func cause(of error: SQLiteError) -> SQLiteError {
        files?.cause(of: error) ?? error
    }
}

/// The identity of a folder and its change time.
///
/// Creating, renaming or deleting a file in the folder updates the time (stat(3type), "st_ctim").
private struct FolderState: Equatable {
    private let identity: FileIdentity
    private let changeSeconds: Int64
    private let changeNanoseconds: UInt32

    /// Returns whether the latest change is older than this.
    func isQuiet(for seconds: Int) -> Bool { Int64(time(nil)) - changeSeconds > Int64(seconds) }

    /// Reads the state of a folder; nil if that fails.
    init?(_ path: String) {
        guard let status = FileStatus(path, withChangeTime: true) else { return nil }
        identity = status.identity
        changeSeconds = status.changeSeconds
        changeNanoseconds = status.changeNanoseconds
    }
}
