package import Glibc

/// A file that is written next to its target and replaces it once it is complete.
///
/// If anything fails before, the target stays the same. An unfinished draft is deleted with the
/// value. If the process is killed, its draft remains until `removeAbandoned`.
package final class FileDraft {
    /// The path of the draft.
    package let path: String
    /// The file, open for writing, with a lock that shows other processes that it is in use.
    package let descriptor: Int32
    /// The path to replace: the given path, or the target of a symbolic link there.
    let target: String
    private var isFinished = false

    private static let suffix = ".part"
    private let companions: [String]

    /// Creates an empty file with these permissions next to the target.
    ///
    /// `companions` are the suffixes of files that a program that opens the draft may create beside
    /// it. They are deleted with the draft.
    package init(target: String, mode: mode_t, companions: [String] = []) throws(FileError) {
        self.companions = companions
        self.target = LocalFile.resolved(target)
        let word = String(UInt64.random(in: .min ... .max), radix: 36)
        path = self.target + "." + word + Self.suffix
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last(path: target) }
        // No other process knows the file yet.
        flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        if !isFinished { Self.remove(path, companions) }
        close(descriptor)
    }

    /// Appends to the file, after everything that was written through other descriptors.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .last(path: target) }
        do throws(FileError) {
            try OutputFile.write(bytes, to: descriptor)
        } catch {
            throw FileError(path: target, reason: error.reason)
        }
    }

    /// Replaces the target once the file is on disk, and returns once the new name is on disk, too.
    package func finish() throws(FileError) {
        guard fsync(descriptor) == 0, unsafe rename(path, target) == 0 else {
            throw .last(path: target)
        }
        isFinished = true
        try LocalFile.syncFolder(of: target)
    }

    /// Does the same with `install`, which gets the file's path, and returns its result.
    package func finish<T>(_ install: (String) throws -> T) throws -> T {
        guard fsync(descriptor) == 0 else { throw FileError.last(path: target) }
        let result = try install(path)
        isFinished = true
        try LocalFile.syncFolder(of: target)
        return result
    }

    /// Removes the drafts of killed processes from a folder.
    ///
    /// `isTarget` selects them by the name of their target. Their `companions` are those of `init`.
    /// O(n) for n files in the folder.
    package static func removeAbandoned(
        in folder: String,
        companions: [String],
        where isTarget: (String) -> Bool
    ) {
        for name in LocalFile.names(in: folder) where name.hasSuffix(suffix) {
            let stem = name.dropLast(suffix.count)
            guard let dot = stem.lastIndex(of: "."), isTarget(String(stem[..<dot])) else {
                continue
            }
            let path = folder + "/" + name
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path, companions) }
            close(descriptor)
        }
    }

    private static func remove(_ path: String, _ companions: [String]) {
        for suffix in [""] + companions { unsafe unlink(path + suffix) }
    }
}
