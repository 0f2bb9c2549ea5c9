import CSQLite

/// A WAL on its way to the disk: bytes that were written to it and not yet passed on, one run
/// without gaps.
final class PendingWrites: FileState {
    /// The most that waits; the system's own layer takes less than 128 KiB at a time.
    private static let capacity = 0x1_0000

    private let path: String
    private var bytes: [UInt8] = []
    /// Where in the file they begin.
    private var offset: Int64 = 0

    /// Nothing yet, for the WAL at this path.
    init(_ path: String) {
        self.path = path
    }

    /// Passes on what waits; if that fails, it is forgotten, as what SQLite could not write is.
    override func prepare(_ file: LayeredFile) -> Int32 {
        guard !bytes.isEmpty else { return SQLITE_OK }
        defer { bytes.removeAll(keepingCapacity: true) }
        // Another program has cut the file off: what is written behind the gap could not be read
        // after a restart, and a checkpoint would copy the gap.
        if !reaches(offset, file) { return SQLITE_IOERR }
        return unsafe bytes.withUnsafeBytes { unsafe file.write($0, at: offset) }
    }

    /// Whether the open file is this long.
    private func reaches(_ offset: Int64, _ file: LayeredFile) -> Bool {
        if let size = DatabaseFile.size(path), size >= offset { return true }
        // Another file may be at the path by now. The size of the open file costs more to get,
        // because SQLite reads its times, too.
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

    /// Whether what is written there can be added to what waits.
    private func canTake(_ count: Int, at offset: Int64) -> Bool {
        let isNext = bytes.isEmpty || offset == self.offset + Int64(bytes.count)
        return isNext && bytes.count + count <= Self.capacity
    }
}
