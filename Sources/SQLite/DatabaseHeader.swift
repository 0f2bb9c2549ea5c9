/// The header of a SQLite database (<https://sqlite.org/fileformat2.html>, section 1.3).
package struct DatabaseHeader: Equatable, Sendable {
    /// The size of the header.
    package static let byteCount = 100

    private static let magic = Array("SQLite format 3\0".utf8)

    /// The size of all pages, in bytes; arbitrary if the header is damaged.
    package let databaseBytes: Int
    /// Whether the file was last opened in WAL mode, as by a server; backups never are.
    package let isInWALMode: Bool
    /// The application id, which names the program that the database belongs to.
    let applicationID: UInt32

    /// Parses a header; nil if the bytes are not the start of a database.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, Self.begins(bytes) else { return nil }
        let stored = Int(Self.number(in: bytes[16..<18]))
        // 65,536 doesn't fit into the two bytes and is stored as 1. A page has at most 2^16 bytes,
        // and a database at most 2^32 pages, so the product can't overflow.
        databaseBytes = (stored == 1 ? 65_536 : stored) * Int(Self.number(in: bytes[28..<32]))
        isInWALMode = bytes[18] == 2 && bytes[19] == 2
        applicationID = Self.number(in: bytes[68..<72])
    }

    /// Returns whether the bytes, which may be fewer than a header has, begin as every header does.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    private static func number(in bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
