import Glibc
package import Model
import Rules
import System

/// Keeps the output of commands from replacing a database.
package struct OutputPlace {
    private let files: any DatabaseFiles

    /// Creates a check for commands that use the database of these files.
    package init(_ files: any DatabaseFiles) {
        self.files = files
    }

    /// Throws unless a file may be written at the path, under whatever name.
    ///
    /// Every command that writes a file calls this first. The configured database and its
    /// companions are recognised by device and inode, or by the folder and the name where there is
    /// no file yet; every other database by its content. The configured one is not opened: closing
    /// it would end this process's locks on it.
    ///
    /// - Parameters:
    ///   - path: The path of the file to be written. Devices and pipes are allowed.
    ///   - mayReplaceBackup: Whether an earlier backup that is not in use may be replaced.
    /// - Throws: `OperatorError` with what to do; the engine's error for a link that leads nowhere.
    package func check(_ path: String, mayReplaceBackup: Bool = false) throws {
        try files.checkLink(path)
        let target = LocalFile.resolved(path)
        for name in [LocalFile.resolved(files.path), files.path] {
            for suffix in [""] + files.suffixes.all where LocalFile.isSame(target, name + suffix) {
                throw OperatorError(
                    "\"\(path)\" belongs to the database itself. Name another file."
                )
            }
        }
        if mayReplaceBackup, let kind = Self.kind(of: target), kind != S_IFREG {
            throw OperatorError("\"\(path)\" is not a regular file. Name another file.")
        }
        try checkNeighbours(target, path)
        guard let layout = layout(of: target) else { return }
        if mayReplaceBackup, try isUnusedBackup(target, layout) { return }
        let wanted = mayReplaceBackup ? "not a Humon backup, or is in use" : "a SQLite database"
        throw OperatorError(
            """
            "\(path)" is \(wanted), and its content would be lost. Name another file, or move \
            this one away.
            """
        )
    }

    /// Throws the engine's error if there is another program's database where the configuration
    /// names one.
    ///
    /// A file that is too damaged to tell may be replaced. It changes nothing.
    package func checkDatabase() throws {
        guard layout(of: LocalFile.resolved(files.path)) != nil else { return }
        try files.checkOwner(of: files.path)
    }

    /// Throws if the file belongs to a database next to it, or has changes beside it, which the
    /// engine would apply to the new file.
    private func checkNeighbours(_ target: String, _ path: String) throws {
        for suffix in files.suffixes.all where target.hasSuffix(suffix) {
            let database = String(target.dropLast(suffix.count))
            guard layout(of: database) != nil else { continue }
            throw OperatorError(
                "\"\(path)\" belongs to the database \"\(database)\". Name another file."
            )
        }
        for suffix in files.suffixes.changes where LocalFile.status(target + suffix) != nil {
            throw OperatorError(
                """
                "\(path)" is a database in use, because there is "\(path)\(suffix)". Name another \
                file.
                """
            )
        }
    }

    /// Returns whether the database is a copy that `humon backup` has made, rather than one that a
    /// server, a command or another program uses.
    private func isUnusedBackup(_ path: String, _ layout: DatabaseLayout) throws -> Bool {
        guard !layout.wasOpened, !files.isInUse(path) else { return false }
        // Older backups have no seal.
        return try BackupReader.seal(of: path, files) != nil || files.hasHistory(path)
    }

    /// Returns what the header of a regular file says; nil if the file is not a database.
    private func layout(of path: String) -> DatabaseLayout? {
        guard Self.kind(of: path) == S_IFREG,
            let file = try? InputFile(path: path, chunkBytes: 1),
            let bytes = try? file.bytes(at: 0, count: files.headerBytes)
        else { return nil }
        return files.layout(ofHeader: bytes)
    }

    private static func kind(of path: String) -> mode_t? {
        LocalFile.status(path).map { $0.st_mode & S_IFMT }
    }
}
