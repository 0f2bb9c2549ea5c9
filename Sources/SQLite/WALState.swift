/// The state of the WAL as far as a connection knows it from its commits and checkpoints.
struct WALState {
    /// The number of pages in the WAL.
    private(set) var pages = 0
    /// The number of those pages that are copied into the database.
    private(set) var copiedPages = 0
    /// The number of commits of this connection that wrote to the WAL.
    private(set) var commitCount: UInt32 = 0
    /// Whether there may be uncopied pages; at first this is unknown.
    private(set) var hasUncopiedPages = true

    /// Updates the state after a commit that left this many pages in the WAL.
    mutating func noteCommit(pages: Int) {
        // The WAL restarts when it is copied and no reader uses it.
        if pages < self.pages { copiedPages = 0 }
        self.pages = pages
        hasUncopiedPages = true
        commitCount &+= 1
    }

    /// Updates the state after a checkpoint.
    mutating func noteCheckpoint(pages: Int, copied: Int) {
        self.pages = pages
        copiedPages = copied
        hasUncopiedPages = copied < pages
    }
}
