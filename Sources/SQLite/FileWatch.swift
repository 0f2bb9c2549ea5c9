/// The files that a writer has open, and what becomes of them.
struct FileWatch {
    private let files: OpenFiles?
    private let lock: WriterLock
    private let status: WriterStatus

    /// A watch on these files and their lock; what becomes of them is noted in the status.
    init(_ files: OpenFiles?, _ lock: WriterLock, _ status: WriterStatus) {
        self.files = files
        self.lock = lock
        self.status = status
    }

    /// Notes whether the files are what and where they were; throws `SQLiteError` if they are not.
    ///
    /// O(1): five calls of stat(2).
    func check() throws(SQLiteError) {
        try checkPlaces()
        if let files, files.isIndexCut {
            status.noteFiles(files.indexCut.message)
            throw files.indexCut
        }
        status.noteFiles(nil)
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
