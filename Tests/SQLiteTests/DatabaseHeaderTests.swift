import Testing

@testable import SQLite

@Suite struct DatabaseHeaderTests {
    /// A header with these bytes at their places, and zeros elsewhere.
    private func header(_ changes: [Int: UInt8], count: Int = 100) -> [UInt8] {
        let start = Array("SQLite format 3\0".utf8)
        var bytes = start + [UInt8](repeating: 0, count: count - start.count)
        for (place, byte) in changes { bytes[place] = byte }
        return bytes
    }

    @Test(
        arguments: [
            ([16: 0x10, 31: 3], 3 * 4096), ([16: 0x10, 30: 1], 256 * 4096),
            ([17: 1, 31: 3], 3 * 65_536), ([16: 0xFF, 17: 0xFF, 28: 0xFF], 65_535 * 0xFF00_0000),
            ([:], 0),
        ] as [([Int: UInt8], Int)]
    )
    func `knows the size of all pages`(changes: [Int: UInt8], bytes: Int) {
        #expect(DatabaseHeader(header(changes))?.databaseBytes == bytes)
    }

    @Test(
        arguments: [([18: 2, 19: 2], true), ([18: 1, 19: 1], false), ([18: 2, 19: 1], false)]
            as [([Int: UInt8], Bool)]
    )
    func `knows whether the database is in WAL mode`(changes: [Int: UInt8], isInWALMode: Bool) {
        #expect(DatabaseHeader(header(changes))?.isInWALMode == isInWALMode)
    }

    @Test func `knows the application id`() {
        let bytes = header([68: 0x48, 69: 0x75, 70: 0x6D, 71: 0x6F])

        #expect(DatabaseHeader(bytes)?.applicationID == UInt32(DatabaseOwner.applicationID))
    }

    @Test func `refuses other files and short ones`() {
        #expect(DatabaseHeader(header([15: 1])) == nil)
        #expect(DatabaseHeader(header([:], count: 99)) == nil)
        #expect(DatabaseHeader([]) == nil)
    }
}
