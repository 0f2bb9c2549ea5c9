import Glibc
import SQLite
import Sodium

/// Reads a backup from its start to its end, and checks that it is what was written.
///
/// The database's size follows from its header, so that a file that was cut off is noticed whether
/// it has a seal or not. What only its seal shows is known once the last byte has been read.
struct BackupReader: ~Copyable {
    static let chunkBytes = 64 * 1024

    /// What is known of the file before its pages are read.
    enum Protection: Equatable {
        case seal(BackupSeal)
        /// There is none, because an earlier version, or another program, has made the file.
        case none
        /// A server or a command has opened the file as its database, so that it may have changed.
        case used
    }

    /// The size of the database, without a seal.
    let byteCount: Int
    let protection: Protection
    private let path: String
    private var file: InputFile
    private var bytesRead = 0
    private var hash = SHA256.Stream()

    /// Why the file may be damaged although no check has found it, as a sentence; nil if it has a
    /// seal, so that it can't.
    var warning: String? {
        switch protection {
        case .seal: nil
        case .none:
            "\"\(path)\" has no digest, because an earlier version or another program made it: "
                + "changed values that SQLite can't recognise would go unnoticed."
        case .used:
            "\"\(path)\" was used as a database, so that no digest protects it: changed values "
                + "that SQLite can't recognise would go unnoticed."
        }
    }

    /// Opens a file.
    ///
    /// - Throws: `NotADatabase`, `DamagedBackup` if the size is not that of its pages, `FileError`.
    init(path: String) throws {
        self.path = path
        // To open a FIFO would wait until another program writes to it.
        if let status = FilePath.status(path), status.st_mode & S_IFMT != S_IFREG {
            throw NotADatabase(path: path, isFile: false)
        }
        let file = try InputFile(path: path, chunkBytes: Self.chunkBytes)
        (byteCount, protection) = try Self.layout(of: file, path)
        self.file = file
    }

    /// How large the database in a file is, and what protects it.
    private static func layout(
        of file: borrowing InputFile,
        _ path: String
    ) throws -> (Int, Protection) {
        guard let size = file.size else { throw NotADatabase(path: path, isFile: false) }
        guard let header = DatabaseHeader(try file.bytes(at: 0, count: DatabaseHeader.byteCount))
        else { throw NotADatabase(path: path, isFile: true) }
        let byteCount = header.databaseBytes
        // SQLite may have left more behind the pages of a file that it has written to.
        if header.isInWALMode, size >= byteCount { return (byteCount, .used) }
        if size == byteCount { return (byteCount, .none) }
        guard size == byteCount + BackupSeal.byteCount else {
            throw DamagedBackup(
                path: path,
                reason: "it has \(size) bytes, but the pages that its header names have "
                    + "\(byteCount), so it was cut off or something was added"
            )
        }
        let bytes = try file.bytes(at: byteCount, count: BackupSeal.byteCount)
        guard let seal = BackupSeal(bytes) else {
            throw DamagedBackup(path: path, reason: "the line behind its pages can't be read")
        }
        return (byteCount, .seal(seal))
    }

    /// Appends the next bytes of the database; false once there are no more.
    ///
    /// - Throws: `DamagedBackup` at the end if the bytes are not those that were written.
    mutating func read(into bytes: inout [UInt8]) throws -> Bool {
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
    /// - Parameter progress: Called after each piece with the bytes that have been read.
    /// - Throws: As `read(into:)` does.
    mutating func check(progress: (Int) throws -> Void = { _ in }) throws {
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
                reason: "its SHA-256 digest is not the one that was stored with it"
            )
        }
    }
}

/// A file that is not a database, and so not a backup.
struct NotADatabase: Error, CustomStringConvertible {
    let path: String
    /// Whether it is at least a regular file.
    let isFile: Bool

    var description: String {
        isFile
            ? "\"\(path)\" is not a database of Humon. Name a file that `humon backup` has made."
            : "\"\(path)\" is not a file. Name a backup."
    }
}

/// Why a backup can't be relied on.
struct DamagedBackup: Error, CustomStringConvertible {
    let path: String
    /// Without a full stop.
    let reason: String

    var description: String { "\"\(path)\" is damaged: \(reason). Restore an older backup." }
}
