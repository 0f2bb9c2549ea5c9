import Glibc

/// A file that is written from its start; without a path, standard output.
///
/// A regular file is written next to its target, which `finish` replaces, so that errors leave the
/// target as it was. Devices and pipes are written directly.
package struct OutputFile: ~Copyable {
    private let descriptor: Int32
    /// The name of the target in error messages.
    private let name: String
    /// The draft of a regular file; nil if the output is written directly.
    private let draft: FileDraft?

    /// Opens the file, and throws if it can't be written to.
    package init(path: String?) throws(FileError) {
        let opened = try path.map { path throws(FileError) in try Self.open(path) }
        name = path ?? "standard output"
        descriptor = opened?.descriptor ?? STDOUT_FILENO
        draft = opened?.draft
    }

    private static func open(
        _ path: String
    ) throws(FileError) -> (descriptor: Int32, draft: FileDraft?) {
        let status = LocalFile.status(path)
        let isRegular = status.map { $0.st_mode & S_IFMT == S_IFREG }
        // /dev/stdout may be a file, but must never be replaced.
        if path.hasPrefix("/dev/") || isRegular == false {
            let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .last(path: path) }
            return (descriptor, nil)
        }
        let draft = try FileDraft(target: path, mode: 0o644)
        // The new file keeps the permissions of the old one.
        if let status { fchmod(draft.descriptor, status.st_mode & 0o777) }
        return (draft.descriptor, draft)
    }

    deinit {
        if draft == nil, descriptor > STDERR_FILENO { _ = close(descriptor) }
    }

    /// Appends the bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        do throws(FileError) {
            try Self.write(bytes, to: descriptor)
        } catch {
            throw FileError(path: name, reason: error.reason)
        }
    }

    /// Replaces the target, once the file is on disk.
    package func finish() throws(FileError) {
        do throws(FileError) {
            try draft?.finish()
        } catch {
            throw FileError(path: name, reason: error.reason)
        }
    }

    /// Writes all bytes, with as many system calls as necessary.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // The slice is within the array, which outlives the call.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                throw .last()
            }
        }
    }

    private static func systemWrite(
        _ descriptor: Int32,
        _ start: UnsafeRawPointer?,
        _ count: Int
    ) -> Int {
        unsafe Glibc.write(descriptor, start, count)
    }
}
