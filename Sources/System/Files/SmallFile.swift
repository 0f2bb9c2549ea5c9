import Glibc

/// The error for a file that can't be read or written.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// The path as it was named; nil if only the caller knows it.
    package let path: String?
    /// The reason in the words of the system, without a full stop.
    package let reason: String
    /// Whether the file doesn't exist.
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

    /// Returns the error for the current `errno`.
    package static func last(path: String? = nil) -> FileError {
        let code = errno
        // The text is static, or belongs to this thread until its next call, so it is copied
        // immediately.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return FileError(path: path, reason: reason, isMissing: code == ENOENT)
    }
}

/// Reads small files: settings, secrets and lists of words.
package enum SmallFile {
    static let maximumBytes = 64 * 1024

    /// Reads a file to its end.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Only regular files are accepted, because reading others may
    ///     never end.
    ///   - pipePatience: The time limit for reading a pipe, in ms; nil to reject pipes.
    /// - Returns: The whole content as text, without a byte order mark at its start.
    /// - Throws: `FileError`, also if the file is too large.
    package static func text(
        at path: String,
        pipePatience: Int64? = nil
    ) throws(FileError) -> String {
        let kind = LocalFile.status(path).map { $0.st_mode & S_IFMT }
        let bytes: [UInt8]
        if let pipePatience, kind == S_IFIFO {
            bytes = withoutMark(try pipe(at: path, pipePatience))
        } else {
            bytes = try self.bytes(at: path, maximum: maximumBytes)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileError(reason: "it is not UTF-8 text")
        }
        return text
    }

    /// Reads a regular file to its end, without a byte order mark at its start.
    ///
    /// Throws `FileError`, also if the file is larger than `maximum` bytes.
    package static func bytes(at path: String, maximum: Int) throws(FileError) -> [UInt8] {
        var file = try InputFile(path: path, chunkBytes: maximumBytes, mustBeRegular: true)
        var bytes: [UInt8] = []
        while try file.read(into: &bytes) { try checkSize(bytes, maximum) }
        return withoutMark(bytes)
    }

    private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0))
    }

    /// Reads a pipe to its end within `patience` ms.
    private static func pipe(at path: String, _ patience: Int64) throws(FileError) -> [UInt8] {
        // A blocking open would wait for a writer, possibly forever.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last(path: path) }
        defer { close(descriptor) }
        let deadline = MonotonicClock.milliseconds() + patience
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let rest = Int32(clamping: max(0, deadline - MonotonicClock.milliseconds()))
            guard unsafe poll(&watched, 1, rest) != 0 else {
                throw FileError(reason: "it is a pipe that did not end within \(patience) ms")
            }
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno != EINTR, errno != EAGAIN { throw .last(path: path) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(max(0, count))
            try checkSize(bytes, maximumBytes)
        }
    }

    private static func checkSize(_ bytes: [UInt8], _ maximum: Int) throws(FileError) {
        guard bytes.count <= maximum else {
            throw FileError(reason: "it is larger than \(maximum) bytes")
        }
    }
}
