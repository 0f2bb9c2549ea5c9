import CSQLite

/// A WAL with buffered writes: one contiguous run of bytes.
final class PendingWrites: FileState {
    /// The greatest size of the buffer; SQLite's own VFS accepts less than 128 KiB at a time.
    private static let capacity = 0x1_0000

    private let path: String
    private var bytes: [UInt8] = []
    /// The position of the buffer in the file.
    private var offset: Int64 = 0

    /// Creates an empty buffer for the WAL at this path.
    init(_ path: String) {
        self.path = path
    }

    /// Writes the buffer; if that fails, it is discarded, like anything that SQLite couldn't write.
    override func prepare(_ file: LayeredFile) -> Int32 {
        guard !bytes.isEmpty else { return SQLITE_OK }
        defer { bytes.removeAll(keepingCapacity: true) }
        // Another program has truncated the file. Anything written after the gap could not be read
        // after a restart, and a checkpoint would copy the gap.
        if !reaches(offset, file) { return SQLITE_IOERR }
        return unsafe bytes.withUnsafeBytes { unsafe file.write($0, at: offset) }
    }

    /// Whether the open file is this long.
    private func reaches(_ offset: Int64, _ file: LayeredFile) -> Bool {
        if let size = DatabaseFile.size(path), size >= offset { return true }
        // A shorter file may be at the path by now (`FileWatch` notices a longer one). The size of
        // the open file costs more to get, because SQLite reads its times, too.
        return file.byteCount >= offset
    }

    override func write(
        _ addition: UnsafeRawBufferPointer,
        at offset: Int64,
        to file: LayeredFile
    ) -> Int32 {
        if !canTake(addition.count, at: offset) {
            let code = prepare(file)
            guard code == SQLITE_OK else { return code }
            guard addition.count <= Self.capacity else {
                return unsafe file.write(addition, at: offset)
            }
        }
        if bytes.isEmpty { self.offset = offset }
        unsafe bytes.append(contentsOf: addition)
        return SQLITE_OK
    }

    /// Returns whether a write at this position can be appended to the buffer.
    private func canTake(_ count: Int, at offset: Int64) -> Bool {
        let isNext = bytes.isEmpty || offset == self.offset + Int64(bytes.count)
        return isNext && bytes.count + count <= Self.capacity
    }
}
