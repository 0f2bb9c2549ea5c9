import Glibc

/// A file that is written from its start; without a path standard output.
///
/// A regular file is written beside its place and put there by `finish`, so that whatever goes
/// wrong before leaves the file that was there as it was. Devices and pipes are written directly.
package struct OutputFile: ~Copyable {
    private let descriptor: Int32
    /// The place that the file is to have, as messages name it.
    private let name: String
    /// Where it is written until it is finished; nil for what is written directly.
    private let draft: FileDraft?

    /// Opens what is written; throws if it can't be.
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
        // What /dev/stdout stands for may be a file, but never one to be replaced.
        if path.hasPrefix("/dev/") || isRegular == false {
            let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .last(path: path) }
            return (descriptor, nil)
        }
        let draft = try FileDraft(target: path, mode: 0o644)
        // Whoever may read the old file, and nobody else, may read the new one.
        if let status { fchmod(draft.descriptor, status.st_mode & 0o777) }
        return (draft.descriptor, draft)
    }

    deinit {
        if draft == nil, descriptor > STDERR_FILENO { _ = close(descriptor) }
    }

    /// Writes all bytes behind those before.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        do throws(FileError) {
            try Self.write(bytes, to: descriptor)
        } catch {
            throw FileError(path: name, reason: error.reason)
        }
    }

    /// Puts the file into its place, once it is on the disk.
    package func finish() throws(FileError) {
        do throws(FileError) {
            try draft?.finish()
        } catch {
            throw FileError(path: name, reason: error.reason)
        }
    }

    /// Writes all bytes, in as many pieces as the system takes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // The slice lies within the array, which outlives the call.
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
