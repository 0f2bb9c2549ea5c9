import Glibc

/// The files that a writer has open, and what becomes of them.
struct FileWatch {
    private let files: OpenFiles?
    private let lock: WriterLock
    private let status: WriterStatus
    /// The state of the folder when all files were last found in their places; nil if a later
    /// change might not show in it.
    private var quietFolder: FolderState?

    /// A watch on these files and their lock; what becomes of them is noted in the status.
    init(_ files: OpenFiles?, _ lock: WriterLock, _ status: WriterStatus) {
        self.files = files
        self.lock = lock
        self.status = status
    }

    /// Notes whether the files are what and where they were; throws `SQLiteError` if they are not.
    ///
    /// O(1): five calls of stat(2).
    mutating func check() throws(SQLiteError) {
        let folder = files.flatMap { FolderState(ofFile: $0.path) }
        quietFolder = nil
        try checkPlaces()
        if let files, files.isIndexCut {
            status.noteFiles(files.indexCut.message)
            throw files.indexCut
        }
        status.noteFiles(nil)
        if let folder, folder.isQuiet { quietFolder = folder }
    }

    /// Does the same, but looks at the files only if their folder has changed since they were last
    /// found in their places: whoever creates, renames or deletes a file changes its folder.
    ///
    /// O(1): usually one call of stat(2). Five before and after each commit made a single client's
    /// inserts a seventh slower.
    mutating func checkFolder() throws(SQLiteError) {
        if let quietFolder, let files, quietFolder == FolderState(ofFile: files.path) { return }
        try check()
    }

    /// Notes if a file is not where it was, and then throws `SQLiteError`.
    ///
    /// An index that was cut off is no reason not to open the database anew: if nobody else has it
    /// open any more, that makes a new one of it.
    func checkPlaces() throws(SQLiteError) {
        do throws(SQLiteError) {
            try files?.check()
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

/// Which folder a file is in, and when files in it were last created, renamed or deleted.
private struct FolderState: Equatable {
    private let identity: FileIdentity
    private let changeSeconds: Int
    private let changeNanoseconds: Int
    /// Whether the latest change is so long ago that another one would have another time, also
    /// where the filesystem counts in steps of two seconds.
    let isQuiet: Bool

    private static let quietSeconds = 3

    /// The state of a file's folder now; nil if it can't be looked at.
    init?(ofFile path: String) {
        var information = stat()
        guard unsafe stat(DatabaseFile.folder(of: path), &information) == 0 else { return nil }
        identity = FileIdentity(information)
        changeSeconds = information.st_mtim.tv_sec
        changeNanoseconds = information.st_mtim.tv_nsec
        isQuiet = time(nil) - changeSeconds > Self.quietSeconds
    }

    static func == (one: FolderState, other: FolderState) -> Bool {
        one.identity == other.identity && one.changeSeconds == other.changeSeconds
            && one.changeNanoseconds == other.changeNanoseconds
    }
}
