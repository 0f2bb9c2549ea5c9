import Glibc

/// A file that is read from its start in chunks; `-` is standard input.
package struct InputFile: ~Copyable {
    /// The device number of `/dev/null`, which may have other names, such as a container's `.env`.
    private static let nullDevice: dev_t = 0x103

    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let chunkBytes: Int
    private let path: String
    /// The size in bytes; nil if it is not a regular file.
    package let size: Int?

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - path: The file, or `-`.
    ///   - chunkBytes: The maximum number of bytes that a read appends.
    ///   - mustBeRegular: Whether to reject pipes, devices and standard input, which may never end.
    ///     `/dev/null` is allowed and is an empty file.
    /// - Throws: `FileError`.
    package init(path: String, chunkBytes: Int, mustBeRegular: Bool = false) throws(FileError) {
        self.chunkBytes = chunkBytes
        self.path = path
        ownsDescriptor = mustBeRegular || path != "-"
        // Opening a named pipe would wait for its writer, without a way to cancel.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        descriptor = ownsDescriptor ? unsafe open(path, flags) : STDIN_FILENO
        guard descriptor >= 0 else { throw .last(path: path) }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        let kind = status.st_mode & S_IFMT
        if isKnown, kind == S_IFDIR { throw FileError(path: path, reason: "it is a directory") }
        let isNull = kind == S_IFCHR && status.st_rdev == Self.nullDevice
        if mustBeRegular, kind != S_IFREG, !isNull {
            throw FileError(path: path, reason: "it is not a regular file")
        }
        size = isKnown && kind == S_IFREG ? Int(exactly: status.st_size) : nil
    }

    /// Throws unless the file exists and is readable by this user.
    ///
    /// It is not opened, because closing it could end another program that writes to a pipe.
    package static func checkReadable(_ path: String) throws(FileError) {
        guard path != "-" else { return }
        guard unsafe access(path, R_OK) == 0 else { throw .last(path: path) }
        if let status = LocalFile.status(path), status.st_mode & S_IFMT == S_IFDIR {
            throw FileError(path: path, reason: "it is a directory")
        }
    }

    deinit {
        if ownsDescriptor { _ = close(descriptor) }
    }

    /// Waits for input or the end of the file, and returns false if the time is over.
    package func isReadable(within milliseconds: Int32) -> Bool {
        Self.isReadable(descriptor, within: milliseconds)
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // The read will report an error.
        return unsafe poll(&watched, 1, milliseconds) != 0
    }

    /// Appends the next chunk; returns false at the end of the file.
    package mutating func read(into bytes: inout [UInt8]) throws(FileError) -> Bool {
        let oldCount = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: chunkBytes))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            // The slice is within the array, which outlives the call.
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[oldCount...])
            return unsafe Self.read(descriptor, into: room)
        }
        bytes.removeLast(chunkBytes - max(count, 0))
        guard count >= 0 else { throw .last(path: path) }
        return count > 0
    }

    /// Returns up to `count` bytes from an offset, without moving the read position.
    ///
    /// Only for regular files.
    package func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe result = pread(descriptor, buffer.baseAddress, count, offset)
            initialized = max(0, result)
        }
        guard result >= 0 else { throw .last(path: path) }
        return bytes
    }

    private static func read(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = unsafe Glibc.read(descriptor, room.baseAddress, room.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: _ = isReadable(descriptor, within: -1)
            default: return count
            }
        }
    }
}
