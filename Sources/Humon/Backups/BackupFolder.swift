import Glibc

/// The folder of the scheduled backups.
enum BackupFolder {
    /// Why no backup can be made there, without a full stop; nil if nothing stands against it.
    static func fault(_ path: String) -> String? {
        guard let status = FilePath.status(path) else {
            if errno != ENOENT { return "\(path) can't be looked at: \(FileError.last().reason)" }
            if FilePath.isLink(path) {
                return
                    "\(path) is a link that leads nowhere, as it does while a disk is not mounted"
            }
            // It is made with the first backup, and only itself.
            let parent = FilePath.folder(of: path)
            return isWritableFolder(parent)
                ? nil : "\(path) is not there, and can't be made in \(parent)"
        }
        if status.st_mode & S_IFMT != S_IFDIR { return "\(path) is not a folder" }
        return isWritableFolder(path) ? nil : "\(path) can't be written to by this user"
    }

    /// Makes the folder, which its owner alone may use, unless it is there.
    static func make(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw FileError.last(path: path)
        }
    }

    private static func isWritableFolder(_ path: String) -> Bool {
        guard let status = FilePath.status(path), status.st_mode & S_IFMT == S_IFDIR else {
            return false
        }
        return unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0
    }
}
