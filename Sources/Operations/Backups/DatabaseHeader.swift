/// The header of a SQLite database (<https://sqlite.org/fileformat2.html>, section 1.3).
struct DatabaseHeader: Equatable, Sendable {
    /// The size of the header.
    static let byteCount = 100

    private static let magic = Array("SQLite format 3\0".utf8)

    /// The size of all pages, in bytes; arbitrary if the header is damaged.
    let databaseBytes: Int
    /// Whether the file was last opened in WAL mode, as by a server; backups never are.
    let isInWALMode: Bool

    /// Parses a header; nil if the bytes are not the start of a database.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else {
            return nil
        }
        let stored = Self.number(in: bytes[16..<18])
        // 65,536 doesn't fit into the two bytes and is stored as 1. A page has at most 2^16 bytes,
        // and a database at most 2^32 pages, so the product can't overflow.
        databaseBytes = (stored == 1 ? 65_536 : stored) * Self.number(in: bytes[28..<32])
        isInWALMode = bytes[18] == 2 && bytes[19] == 2
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
