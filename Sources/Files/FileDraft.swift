package import Glibc

/// A file that is written beside its place and put there when it is whole, so that whatever goes
/// wrong before leaves what was there as it was.
///
/// It goes with the value unless it was put into its place. One whose process was killed stays
/// behind until `removeAbandoned`.
package final class FileDraft {
    /// Where it is written.
    package let path: String
    /// The file, open for writing, and locked so that everybody can see that it is not abandoned.
    package let descriptor: Int32
    /// Its place: the path that was given, or the one that a symbolic link there leads to.
    let target: String
    private var isFinished = false

    private static let suffix = ".part"
    /// What SQLite may make beside a draft that is a database.
    private static let companions = ["-journal", "-wal", "-shm"]

    /// Makes an empty file with these permissions beside its place.
    package init(target: String, mode: mode_t) throws(FileError) {
        self.target = LocalFile.resolved(target)
        let word = String(UInt64.random(in: .min ... .max), radix: 36)
        path = self.target + "." + word + Self.suffix
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last(path: target) }
        // Nobody else knows the file yet.
        flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        if !isFinished { Self.remove(path) }
        close(descriptor)
    }

    /// Writes behind all that another descriptor has written.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .last(path: target) }
        do throws(FileError) {
            try OutputFile.write(bytes, to: descriptor)
        } catch {
            throw FileError(path: target, reason: error.reason)
        }
    }

    /// Puts the file into its place, once it is on the disk; and then the place is, too.
    package func finish() throws(FileError) {
        guard fsync(descriptor) == 0, unsafe rename(path, target) == 0 else {
            throw .last(path: target)
        }
        isFinished = true
        try LocalFile.syncFolder(of: target)
    }

    /// Does the same by means of `install`, which is given the file's path, and returns what that
    /// returns.
    package func finish<T>(_ install: (String) throws -> T) throws -> T {
        guard fsync(descriptor) == 0 else { throw FileError.last(path: target) }
        let result = try install(path)
        isFinished = true
        try LocalFile.syncFolder(of: target)
        return result
    }

    /// Removes the drafts of a folder that killed processes left behind, if the names of their
    /// places are among those that `isTarget` knows; O(files in the folder).
    package static func removeAbandoned(in folder: String, where isTarget: (String) -> Bool) {
        for name in LocalFile.names(in: folder) where name.hasSuffix(suffix) {
            let stem = name.dropLast(suffix.count)
            guard let dot = stem.lastIndex(of: "."), isTarget(String(stem[..<dot])) else {
                continue
            }
            let path = folder + "/" + name
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
            close(descriptor)
        }
    }

    private static func remove(_ path: String) {
        for suffix in [""] + companions { unsafe unlink(path + suffix) }
    }
}
