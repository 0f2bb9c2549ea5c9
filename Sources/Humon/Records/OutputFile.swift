import Glibc

/// A file that is written from its start; without a path standard output.
///
/// A regular file is written beside its place and put there by `finish`, so that whatever goes
/// wrong before leaves the file that was there as it was. Devices and pipes are written directly.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    /// The place that the file is to have, as messages name it.
    private let name: String
    /// Where it is written until it is finished; nil for what is written directly.
    private let draft: Draft?
    private var isFinished = false

    /// A file that is not in its place yet.
    private struct Draft {
        let path: String
        let target: String
    }

    /// Opens what is written; throws if it can't be.
    init(path: String?) throws(FileError) {
        name = path ?? "standard output"
        guard let path else {
            descriptor = STDOUT_FILENO
            draft = nil
            return
        }
        let target = Self.resolved(path)
        var status = stat()
        let exists = unsafe stat(target, &status) == 0
        let isRegular = exists && status.st_mode & S_IFMT == S_IFREG
        // What /dev/stdout stands for may be a file, but never one to be replaced.
        if path.hasPrefix("/dev/") || (exists && !isRegular) {
            draft = nil
            descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let draft = Draft(
                path: target + "." + String(UInt64.random(in: .min ... .max), radix: 36) + ".part",
                target: target
            )
            self.draft = draft
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            descriptor = unsafe open(draft.path, flags, 0o644)
            // Whoever may read the old file, and nobody else, may read the new one.
            if descriptor >= 0, isRegular { fchmod(descriptor, status.st_mode & 0o777) }
        }
        guard descriptor >= 0 else { throw .last(path: name) }
    }

    deinit {
        if let draft, !isFinished { unsafe unlink(draft.path) }
        if descriptor > STDERR_FILENO { _ = close(descriptor) }
    }

    /// Writes all bytes behind those before.
    func write(_ bytes: [UInt8]) throws(FileError) {
        do throws(FileError) {
            try Self.write(bytes, to: descriptor)
        } catch {
            throw FileError(path: name, reason: error.reason)
        }
    }

    /// Puts the file into its place, once it is on the disk.
    mutating func finish() throws(FileError) {
        guard let draft else { return }
        guard fsync(descriptor) == 0, unsafe rename(draft.path, draft.target) == 0 else {
            throw .last(path: name)
        }
        isFinished = true
    }

    /// The path that a symbolic link leads to, so that the link stays what it is.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Writes all bytes, in as many pieces as the system takes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
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
