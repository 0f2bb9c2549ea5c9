import Glibc

/// Why a file can't be read or written, in the words of the system.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// As it was named; nil where only the caller knows.
    package let path: String?
    /// Without a full stop.
    package let reason: String
    /// Whether there is no such file.
    package let isMissing: Bool

    package init(path: String? = nil, reason: String, isMissing: Bool = false) {
        self.path = path
        self.reason = reason
        self.isMissing = isMissing
    }

    package var description: String {
        let file = path.map { "The file \"\($0)\"" } ?? "A file"
        return "\(file) can't be used: \(reason)."
    }

    /// The error that the last call of the C library left behind.
    static func last(path: String? = nil) -> FileError {
        let code = errno
        // The text is static or belongs to this thread until its next call; it is copied at once.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return FileError(path: path, reason: reason, isMissing: code == ENOENT)
    }
}

/// Reads files that are small by nature: settings and secrets.
enum SmallFile {
    static let maximumBytes = 64 * 1024

    /// The whole content as text; a byte order mark at its start is left out.
    ///
    /// What is not a regular file is refused, because to read it might never end.
    static func text(at path: String) throws(FileError) -> String {
        var file = try InputFile(path: path, chunkBytes: maximumBytes, mustBeRegular: true)
        var bytes: [UInt8] = []
        while try file.read(into: &bytes) {
            guard bytes.count <= maximumBytes else {
                throw FileError(reason: "it is larger than \(maximumBytes) bytes")
            }
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileError(reason: "it is not UTF-8 text")
        }
        return text
    }
}
