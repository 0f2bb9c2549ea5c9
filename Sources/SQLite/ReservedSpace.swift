/// The disk space that is reserved beyond the database's last page.
struct ReservedSpace {
    /// How much is reserved at once.
    static let spareBytes: Int64 = 1 << 20
    /// The space that new records leave on a full disk, so that records can still be changed and
    /// deleted: their log grows by a page for about a hundred changes.
    static let bytesForChanges: Int64 = 512 << 10
    /// The space that is left for the WAL when more is reserved than a transaction needs.
    static let bytesForWAL = 256 << 10
    /// More than a changed row adds.
    ///
    /// It can add its overflow pages, and a page for each level of its table and its indexes. The
    /// longest row has 8 KB.
    private static let bytesPerChange = Int64(8 * Connection.pageBytes)

    private let changesCovered: Int64
    private let version: UInt32
    private let fileBytes: Int64

    /// Creates the state in which nothing is known to be reserved.
    init() {
        self.init(changes: .min, bytes: 0, version: 0, fileBytes: .max)
    }

    /// Creates the state after a reservation.
    ///
    /// - Parameters:
    ///   - changes: The rows that the connection has changed since it was opened.
    ///   - bytes: The number of bytes beyond the last page.
    ///   - version: The version of the database.
    ///   - fileBytes: The size of its file.
    init(changes: Int64, bytes: Int64, version: UInt32, fileBytes: Int64) {
        changesCovered = changes &+ bytes / Self.bytesPerChange
        self.version = version
        self.fileBytes = fileBytes
    }

    /// Returns whether the space is enough for all rows that the connection has changed.
    ///
    /// - Parameters:
    ///   - changes: The rows that it has changed since it was opened.
    ///   - version: The version of the database, which changes when another connection changes it.
    ///   - fileBytes: The size of its file, which another connection's checkpoint may truncate.
    /// - Returns: Whether the space is enough.
    func covers(_ changes: Int64, version: UInt32, fileBytes: Int64) -> Bool {
        changes <= changesCovered && version == self.version && fileBytes >= self.fileBytes
    }
}
