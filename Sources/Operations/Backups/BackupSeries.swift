import Glibc
package import Model
import System
package import Time

/// The scheduled backups in a folder, oldest first.
///
/// The order is that of the numbers in their seals. Each backup's number is one higher than the
/// highest in the folder, so that a clock that was wrong for a while doesn't matter. Backups of
/// earlier versions have no number and come first, by the times in their names. Of those, the ones
/// dated in the future precede all others, because their real time is unknown.
package struct BackupSeries {
    private struct Entry {
        let name: String
        let instant: Timestamp
        let number: Int
        let isInFuture: Bool

        var key: (Int, Int, String) { (number, isInFuture ? 0 : 1, name) }
    }

    private let entries: [Entry]

    /// Lists the backups in a folder; O(files in the folder).
    package init(folder: String, _ files: any DatabaseFiles, now: Timestamp) {
        entries = LocalFile.names(in: folder).compactMap { name in
            let path = folder + "/" + name
            // Only a database in use has another file beside it. Opening it here could drop the
            // locks of its server, and deleting it would lose later writes.
            guard let instant = BackupName.instant(of: name),
                !files.suffixes.all.contains(where: { LocalFile.status(path + $0) != nil })
            else { return nil }
            return Entry(
                name: name,
                instant: instant,
                number: BackupReader.seal(of: path, files)?.number ?? 0,
                isInFuture: instant > now
            )
        }.sorted { $0.key < $1.key }
    }

    /// The number for the next backup.
    package var nextNumber: Int { (entries.last?.number ?? 0) + 1 }

    /// Returns the backups for an operator, newest first.
    func summaries(in folder: String) -> [BackupSummary] {
        entries.reversed().map { entry in
            BackupSummary(
                name: entry.name,
                bytes: LocalFile.status(folder + "/" + entry.name)?.st_size ?? 0,
                startedAt: entry.instant,
                isSealed: entry.number > 0
            )
        }
    }

    /// The names, oldest first.
    package var names: [String] { entries.map(\.name) }

    /// The start time of the latest backup by the clock of that time; nil without backups.
    ///
    /// Backups that are dated in the future don't count.
    package var latest: Timestamp? { entries.last { !$0.isInFuture }?.instant }

    /// How many have a date in the future.
    package var futureCount: Int { entries.count { $0.isInFuture } }

    /// Returns the backups to delete so that `count` remain.
    ///
    /// It never returns `latest`, the backup that was just made.
    package func superfluous(keeping count: Int, latest: String) -> [String] {
        Array(names.filter { $0 != latest }.dropLast(max(0, count - 1)))
    }
}
