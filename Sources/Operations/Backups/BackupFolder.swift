import System
import Glibc

/// The folder of the scheduled backups.
enum BackupFolder {
    /// Returns why no backup can be made there, without a full stop, or nil if it can.
    static func fault(_ path: String) -> String? {
        guard let status = LocalFile.status(path) else {
            if errno != ENOENT { return "\(path) can't be accessed: \(FileError.last().reason)" }
            if LocalFile.isLink(path) {
                return
                    "\(path) is a link to a path that does not exist; is its disk mounted?"
            }
            // The first backup creates the folder, but not the folders above it.
            let parent = LocalFile.folder(of: path)
            return isWritableFolder(parent)
                ? nil : "\(path) does not exist, and can't be created in \(parent)"
        }
        if status.st_mode & S_IFMT != S_IFDIR { return "\(path) is not a folder" }
        return isWritableFolder(path) ? nil : "this user can't write to \(path)"
    }

    /// Creates the folder with mode 0700, unless it exists.
    static func make(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw FileError.last(path: path)
        }
    }

    private static func isWritableFolder(_ path: String) -> Bool {
        guard let status = LocalFile.status(path), status.st_mode & S_IFMT == S_IFDIR else {
            return false
        }
        return unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0
    }
}
