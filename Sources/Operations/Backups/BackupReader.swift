import Glibc
package import Model
import Rules
import Sodium
import System

/// Reads a backup from start to end, and checks that it is what was written.
///
/// The database's size is in its header, so that a truncated file is noticed with or without a
/// seal. The digest in the seal is compared after the last byte.
package struct BackupReader: ~Copyable {
    static let chunkBytes = 64 * 1024

    /// The protection of the file's content.
    package enum Protection: Equatable {
        case seal(BackupSeal)
        /// There is no seal, because an earlier version or another program made the file.
        case none
        /// A server or a command has opened the file as its database, so it may have changed.
        case used
    }

    /// The size of the database without the seal, in bytes.
    package let byteCount: Int
    package let protection: Protection
    private let path: String
    private var file: InputFile
    private var bytesRead = 0
    private var hash = SHA256.Stream()

    /// A sentence that says why undetected damage is possible; nil if the file has a seal.
    package var warning: String? {
        switch protection {
        case .seal: nil
        case .none:
            "\"\(path)\" has no digest, because an earlier version or another program made it. "
                + "Changed values that SQLite can't recognise would go unnoticed."
        case .used:
            "\"\(path)\" was used as a database, so no digest protects it. Changed values that "
                + "SQLite can't recognise would go unnoticed."
        }
    }

    /// Opens a file that may be a database of the engine with these files.
    ///
    /// - Throws: `NotADatabase`, `DamagedBackup` if the size differs from the header, and
    ///   `FileError`.
    package init(path: String, _ files: any DatabaseFiles) throws {
        self.path = path
        // Opening a FIFO would block until another program writes to it.
        if let status = LocalFile.status(path), status.st_mode & S_IFMT != S_IFREG {
            throw NotADatabase(path: path, isFile: false)
        }
        let file = try InputFile(path: path, chunkBytes: Self.chunkBytes)
        (byteCount, protection) = try Self.layout(of: file, path, files)
        self.file = file
    }

    /// Returns the seal of a backup; nil if it has none, or can't be read.
    static func seal(of path: String, _ files: any DatabaseFiles) -> BackupSeal? {
        guard let reader = try? BackupReader(path: path, files),
            case .seal(let seal) = reader.protection
        else { return nil }
        return seal
    }

    /// Throws if there are changes beside the file that it lacks, as beside a database in use.
    package static func checkIsWhole(_ path: String, _ files: any DatabaseFiles) throws {
        let source = LocalFile.resolved(path)
        for suffix in files.suffixes.changes
        where LocalFile.status(source + suffix).map({ $0.st_size > 0 }) == true {
            throw OperatorError(
                """
                "\(path)" is incomplete without "\(path)\(suffix)": it is a database in use, or a \
                copy of one. Combine both with `humon backup FILE --database-url sqlite:\(path)`, \
                and restore that file.
                """
            )
        }
    }

    /// Returns the size of the database in a file, and what protects it.
    private static func layout(
        of file: borrowing InputFile,
        _ path: String,
        _ files: any DatabaseFiles
    ) throws -> (Int, Protection) {
        guard let size = file.size else { throw NotADatabase(path: path, isFile: false) }
        let header = try file.bytes(at: 0, count: files.headerBytes)
        guard let layout = files.layout(ofHeader: header) else {
            throw NotADatabase(path: path, isFile: true)
        }
        let byteCount = layout.byteCount
        // The engine may have left more bytes after the pages of a file that it has written to.
        if layout.wasOpened, size >= byteCount { return (byteCount, .used) }
        if size == byteCount { return (byteCount, .none) }
        guard size == byteCount + BackupSeal.byteCount else {
            throw DamagedBackup(
                path: path,
                reason: "it has \(size) bytes, but according to its header \(byteCount), so it "
                    + "was truncated or something was appended"
            )
        }
        let bytes = try file.bytes(at: byteCount, count: BackupSeal.byteCount)
        guard let seal = BackupSeal(bytes) else {
            throw DamagedBackup(path: path, reason: "the line after its pages can't be read")
        }
        return (byteCount, .seal(seal))
    }

    /// Appends the next bytes of the database, and returns false at the end.
    ///
    /// - Throws: `DamagedBackup` at the end if the digest differs.
    package mutating func read(into bytes: inout [UInt8]) throws -> Bool {
        if bytesRead == byteCount {
            try checkDigest()
            return false
        }
        var chunk: [UInt8] = []
        guard try file.read(into: &chunk) else {
            throw DamagedBackup(path: path, reason: "it became shorter while it was read")
        }
        chunk.removeLast(max(0, chunk.count - (byteCount - bytesRead)))
        bytesRead += chunk.count
        hash.update(chunk)
        bytes += chunk
        return true
    }

    /// Reads everything.
    ///
    /// - Parameter progress: Called after each piece with the number of bytes read.
    /// - Throws: The errors of `read(into:)`.
    package mutating func check(progress: (Int) throws -> Void = { _ in }) throws {
        var chunk: [UInt8] = []
        while try read(into: &chunk) {
            chunk.removeAll(keepingCapacity: true)
            try progress(bytesRead)
        }
    }

    private func checkDigest() throws {
        guard case .seal(let seal) = protection else { return }
        var hash = hash
        hash.update(seal.head)
        guard hash.digest() == seal.digest else {
            throw DamagedBackup(
                path: path,
                reason: "its content doesn't match the SHA-256 digest that was stored with it"
            )
        }
    }
}
