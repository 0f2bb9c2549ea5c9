package import Model

/// The scheduled backups of a folder, in the order in which they were made.
///
/// The order is that of the numbers in their seals, each of which is one more than the greatest
/// that was there, so that a clock that was wrong for a while changes nothing. Backups of earlier
/// versions have no number and come first, by the times in their names; those that are dated in
/// the future come before all others, because nobody knows when they were made.
package struct BackupSeries {
    private struct Entry {
        let name: String
        let instant: Timestamp
        let number: Int
        let isInFuture: Bool

        var key: (Int, Int, String) { (number, isInFuture ? 0 : 1, name) }
    }

    private let entries: [Entry]

    /// Looks at a folder's files; O(files in the folder).
    package init(folder: String, now: Timestamp) {
        entries = FilePath.names(in: folder).compactMap { name in
            guard let instant = BackupName.instant(of: name),
                !Self.isInUse(folder + "/" + name)
            else { return nil }
            return Entry(
                name: name,
                instant: instant,
                number: Self.number(of: folder + "/" + name),
                isInFuture: instant > now
            )
        }.sorted { $0.key < $1.key }
    }

    /// Whether there is a file beside it that only a database in use has.
    ///
    /// Such a backup is served where it lies: to open it could end the locks of whoever serves it,
    /// and to delete it would lose what has been written since.
    private static func isInUse(_ path: String) -> Bool {
        ["-wal", "-shm", "-lock", "-journal"].contains { FilePath.status(path + $0) != nil }
    }

    private static func number(of path: String) -> Int {
        guard let reader = try? BackupReader(path: path), case .seal(let seal) = reader.protection
        else { return 0 }
        return seal.number
    }

    /// The number of the next backup.
    package var nextNumber: Int { (entries.last?.number ?? 0) + 1 }

    /// The names, the oldest first.
    package var names: [String] { entries.map(\.name) }

    /// The start time of the latest backup by the clock of that time; nil without backups.
    ///
    /// Those that are dated in the future don't count.
    package var latest: Timestamp? { entries.last { !$0.isInFuture }?.instant }

    /// How many are dated in the future.
    package var futureCount: Int { entries.count { $0.isInFuture } }

    /// The backups that are to be deleted so that `count` stay; `latest`, which was just made, is
    /// never one of them.
    package func superfluous(keeping count: Int, latest: String) -> [String] {
        Array(names.filter { $0 != latest }.dropLast(max(0, count - 1)))
    }
}
