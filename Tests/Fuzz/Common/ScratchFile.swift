import Glibc

/// A file without a name, gone with the process.
struct ScratchFile {
    let descriptor: CInt

    init() {
        var name = Array("/dev/shm/humon-fuzz-XXXXXX".utf8CString)
        descriptor = unsafe mkstemp(&name)
        expect(unsafe descriptor >= 0 && unlink(name) == 0, "there is no room for a file")
    }

    /// Opens it anew, to be read from its start.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// Its bytes, which are then gone.
    func take() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        expect(count == bytes.count, "the file can't be read")
        clear()
        return bytes
    }

    /// Makes these bytes all that it has.
    func replace(with bytes: [UInt8]) {
        clear()
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        expect(count == bytes.count, "the file can't be written")
    }

    private func clear() {
        let isClear = ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0
        expect(isClear, "the file can't be cleared")
    }
}
