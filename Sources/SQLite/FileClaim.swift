import Glibc

/// The content of `<database>-lock`, which identifies the files that processes with a lock have
/// open.
///
/// These are the database, its WAL and the WAL's index. The first process that opens the database
/// writes it. It is valid only while a process holds the lock on `openByte`, because SQLite deletes
/// the WAL and its index when the last process closes the database, and the next one creates new
/// files.
struct FileClaim {
    private let identities: [FileIdentity]

    /// The byte on which every process with these files open holds a shared lock.
    ///
    /// On the first byte, every `WriterLock` holds one.
    static let openByte = 1
    /// The byte that a process locks to make all writes of others fail at once.
    static let moveByte = 2

    private static let suffixes = ["", FileSuffix.wal, FileSuffix.index]
    /// More than six 64-bit numbers take in hexadecimal.
    private static let mostBytes = 128

    /// Creates a claim for these files, in the order of the suffixes.
    init(_ identities: [FileIdentity]) {
        self.identities = identities
    }

    /// Parses the content of an open lock file; nil if it is malformed.
    private init?(readFrom descriptor: Int32) {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.mostBytes) { buffer, count in
            count = unsafe max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        let numbers = bytes.dropLast().split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        guard numbers.count == Self.suffixes.count * 2 else { return nil }
        var identities: [FileIdentity] = []
        var rest = numbers[...]
        while let device = rest.popFirst(), let inode = rest.popFirst() {
            guard let identity = FileIdentity(device: device, inode: inode) else { return nil }
            identities.append(identity)
        }
        self.identities = identities
    }

    /// Returns the claim in an open lock file if another descriptor holds the lock that makes it
    /// valid, otherwise nil.
    static func binding(_ descriptor: Int32) -> FileClaim? {
        guard let claim = FileClaim(readFrom: descriptor) else { return nil }
        return FileLock.isHeld(of: descriptor, start: openByte) ? claim : nil
    }

    /// Writes the claim to an open lock file.
    func write(to descriptor: Int32) {
        // Without disk space, the file stays empty: nobody can compare, but everything else works.
        let text = Array((identities.map(\.text).joined(separator: " ") + "\n").utf8)
        let written = unsafe pwrite(descriptor, text, text.count, 0)
        ftruncate(descriptor, written == text.count ? text.count : 0)
    }

    /// Returns the path of the first of these files that was moved, deleted or replaced, or nil.
    func lostFile(_ database: String) -> String? {
        for (suffix, identity) in zip(Self.suffixes, identities) {
            let path = database + suffix
            if let found = FileIdentity(path) {
                if found != identity { return path }
            } else if errno == ENOENT {
                // A file that can't be accessed for another reason can't be opened either.
                return path
            }
        }
        return nil
    }
}
