import Glibc
import Metrics

/// The files that a writer has open, and what becomes of them.
struct FileWatch {
    private let files: OpenFiles?
    private let lock: WriterLock
    private let status: WriterStatus
    /// The state of the folder when all files were last found in their places; nil if a later
    /// change might not show in it.
    private var quietFolder: FolderState?
    /// Until when the folder may stand for its files, in ms of the clock: nothing shows in it of a
    /// file that another one was mounted over.
    private var folderDeadline: Int64 = 0
    /// The database's path as it was given.
    private let path: String
    private let quietSeconds: Int

    private static let folderMilliseconds: Int64 = 500

    /// A watch on these files and their lock; what becomes of them is noted in the status.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - path: The database's path as it was given, which may be a link.
    ///   - lock: Their lock.
    ///   - status: What becomes of them.
    ///   - quietSeconds: How long a folder must not have changed so that another change will show.
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

    /// Notes whether the files are what and where they were; throws `SQLiteError` if they are not.
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

    /// Does the same, but for half a second looks only whether the folder has changed since the
    /// files were last found in their places: whoever creates, renames or deletes a file changes
    /// its folder, and nobody can set the time of that back.
    ///
    /// O(1): usually one call of statx(2). Five before and after each commit made a single client's
    /// inserts a seventh slower.
    mutating func checkFolder() throws(SQLiteError) {
        if let quietFolder, let files, MonotonicClock.milliseconds() < folderDeadline,
            quietFolder == FolderState(files.folder)
        {
            return
        }
        try check()
    }

    /// Notes if a file is not where it was, and then throws `SQLiteError`.
    ///
    /// An index that was cut off is no reason not to open the database anew: if nobody else has it
    /// open any more, that makes a new one of it.
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

    /// Throws `SQLiteError` if to copy the WAL into the database could do harm, or can't be done.
    ///
    /// Lost files are no reason not to: they are used by their descriptors.
    func checkBeforeCheckpoint() throws(SQLiteError) {
        try files?.checkIndexIsNotReplaced()
        if let files, files.isIndexCut { throw files.indexCut }
        // Nothing keeps another process from writing meanwhile, and where the WAL is in its place
        // nothing is lost without this.
        if (try? files?.check()) != nil { try lock.checkPlace() }
    }

    /// Whether another program has cut the WAL's index off.
    var isIndexCut: Bool { files?.isIndexCut ?? false }

    /// That the index was cut off, if this error comes of it; or else the error.
    func cause(of error: SQLiteError) -> SQLiteError {
        files?.cause(of: error) ?? error
    }
}

/// The identity and change time of a folder.
///
/// Creating, renaming or deleting a file in a folder changes its time (stat(3type), "st_ctim").
private struct FolderState: Equatable {
    private let identity: FileIdentity
    private let changeSeconds: Int64
    private let changeNanoseconds: UInt32

    /// Whether the latest change is longer ago than this.
    func isQuiet(for seconds: Int) -> Bool { Int64(time(nil)) - changeSeconds > Int64(seconds) }

    /// The state of the folder at a path now; nil if it can't be looked at.
    init?(_ path: String) {
        guard let status = FileStatus(path, withChangeTime: true) else { return nil }
        identity = status.identity
        changeSeconds = status.changeSeconds
        changeNanoseconds = status.changeNanoseconds
    }
}
