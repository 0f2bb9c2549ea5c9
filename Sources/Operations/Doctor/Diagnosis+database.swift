import Model
import Settings
import System
import Time

extension Diagnosis {
    static func database(_ facts: Facts) -> [Finding] {
        let database = facts.database
        return place(database) + room(database) + served(facts) + content(facts)
    }

    private static func served(_ facts: Facts) -> [Finding] {
        guard let file = facts.storage.lostFile else { return [] }
        return .problem(
            "open file",
            "the running server has a different file open than \(file.path), which was moved, "
                + "deleted or replaced; it rejects writes, and the database was not checked",
            file.isDatabase
                ? "Move the file back. Or stop the server, which saves every acknowledged "
                    + "write in the moved file, and start it with the file that you want."
                : "Move the file back. Or stop the server with SIGTERM, which saves every "
                    + "acknowledged write in the database, and start it again."
        )
    }

    static func files(_ facts: Facts) -> [Finding] {
        if let file = facts.passwordFile, file.mode & 0o077 != 0 {
            var others = facts
            others.passwordFile = nil
            let ignored: [Finding] = .problem(
                "files",
                "\(file.path) has mode \(octal(file.mode)), so libpq ignores its passwords",
                "Run `chmod 0600 \(file.path)`."
            )
            return ignored + files(others).filter { $0.grade != .ok }
        }
        let open = facts.files.filter { $0.mode & 0o027 != 0 }
        let keys = facts.keyFiles.filter { $0.mode & 0o022 != 0 }
        if open.isEmpty, keys.isEmpty {
            return .ok("files", "no other user can read or change them")
        }
        let readable = open.flatMap { file -> [Finding] in
            .problem(
                "files",
                "\(file.path) has mode \(octal(file.mode)), so other users can read or change it",
                "Run `chmod \(octal(file.mode & 0o640)) \(file.path)`."
            )
        }
        return keys.reduce(into: readable) { findings, file in
            findings += .problem(
                "files",
                "\(file.path) has mode \(octal(file.mode)), so other users can change the keys of "
                    + "sign-in",
                "Run `chmod \(octal(file.mode & 0o755)) \(file.path)`."
            )
        }
    }

    private static func place(_ database: Facts.Database) -> [Finding] {
        var findings: [Finding] = []
        if !database.folderIsWritable {
            findings += .problem(
                "folder",
                "this user can't write to the database's folder",
                "Run this command as the server's user. If that user can't write to the "
                    + "folder either, make it the owner."
            )
        }
        if database.folderIsOpenToAll {
            findings += .problem(
                "folder",
                "any user can replace the files in the database's folder",
                "Run `chmod o-w` on it, or move the database to a folder of its own."
            )
        }
        if database.isPresent, !database.isOwn {
            findings += .warning(
                "owner",
                "the database belongs to another user",
                "Run Humon's commands as the server's user."
            )
        }
        if !database.isOfFolder {
            findings += .warning(
                "owner",
                "the database or its lock doesn't belong to the folder's owner",
                "If the server runs as the folder's owner, `chown` both files to that user."
            )
        }
        if database.linkCount > 1 {
            findings += .problem(
                "names",
                "the database's file has \(database.linkCount) hard links, so it is not opened",
                "Find them with `find -samefile` and remove the others. They are not copies."
            )
        }
        if findings.isEmpty { findings = .ok("folder", "this user can write to it") }
        return findings + filesystem(database.filesystem)
    }

    /// Returns what is known about a kind of file system, by its number in statfs(2).
    private static func filesystem(_ kind: Int?) -> [Finding] {
        let subject = "filesystem"
        let advice = "Move the database to a local disk."
        switch kind {
        case nil: return []
        case 0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x564C, 0x5346_414F:
            return .problem(
                subject,
                "the database is on a network file system, where locks and shared memory fail",
                advice
            )
        case 0x0102_1994, 0x8584_58F6:
            return .warning(subject, "the database is in memory, and a restart loses it", advice)
        case 0x794C_7630:
            return .warning(
                subject,
                "the database is in a container's writable layer and is deleted with the container",
                "Mount a volume, and set DATABASE_URL to a file on it."
            )
        case 0x6573_5546:
            return .warning(
                subject,
                "the database is on a FUSE file system, which may not honour fsync",
                advice
            )
        case _?: return .ok(subject, "local")
        }
    }

    static func room(_ database: Facts.Database) -> [Finding] {
        guard let free = database.freeBytes else { return [] }
        let text = "\(ByteCount.text(free)) free, \(ByteCount.text(database.bytes)) in use"
        let advice = "Free some disk space, or move the database to a larger disk."
        if free < 100_000_000 { return .problem("disk space", text, advice) }
        // A backup or a rebuilt table takes as much as the database.
        let isShort = free < max(1_000_000_000, database.bytes)
        return isShort ? .warning("disk space", text, advice) : .ok("disk space", text)
    }

    private static func content(_ facts: Facts) -> [Finding] {
        let storage = facts.storage
        if storage.lostFile != nil { return [] }
        guard facts.database.isPresent else {
            let path = facts.configuration.databasePath
            if let error = storage.openError {
                let advice = error.hasSuffix(".") ? error : error + "."
                return .problem("database", "\(path) does not exist", advice)
            }
            return .warning(
                "database",
                "\(path) does not exist",
                "The server creates an empty database. If there should be one, check "
                    + "DATABASE_URL, or restore a backup with `humon restore FILE`."
            )
        }
        if let error = storage.openError {
            return .problem(
                "database",
                "it can't be read: \(error)",
                "Check the permissions. If they are right, stop the server and run "
                    + "`humon restore FILE` with the latest backup."
            )
        }
        return integrity(storage) + journal(storage) + migrations(storage) + schema(storage)
            + values(storage) + reports(storage, now: facts.now)
    }

    private static func integrity(_ storage: StorageFacts) -> [Finding] {
        guard let first = storage.faults.first else {
            return .ok(
                "integrity",
                storage.isFullyChecked
                    ? "all pages, indexes and references are valid"
                    : "all pages are valid; --full also checks indexes and references"
            )
        }
        return .problem(
            "integrity",
            "the database is damaged (\(storage.faults.count) faults): \(first)",
            "Stop the server, run `humon restore FILE` with the latest backup, and check the disk "
                + "for errors."
        )
    }

    /// Returns what other programs have stored that Humon would not.
    static func values(_ storage: StorageFacts) -> [Finding] {
        storage.unusualValues.flatMap { value -> [Finding] in
            .warning(
                "values",
                value,
                "Any visibility but NULL makes an event private, and an unknown status counts as "
                    + "scheduled. Data that is no JSON object is not shown. Set the column to a "
                    + "value of docs/api/humon.md, or to NULL."
            )
        }
    }

    /// Returns a warning about reports that the operator should have seen.
    static func reports(_ storage: StorageFacts, now: Timestamp) -> [Finding] {
        guard let oldest = storage.oldestReport else { return [] }
        let hours = (now.milliseconds - oldest.milliseconds) / 3_600_000
        guard hours >= 24 else { return [] }
        return .warning(
            "reports",
            "the oldest report of a user has been open for \(hours) hours",
            "Look at `humon reports`, and close reports with `humon reports resolve`."
        )
    }

    private static func journal(_ storage: StorageFacts) -> [Finding] {
        storage.isInWALMode
            ? .ok("journal", "WAL")
            : .warning(
                "journal",
                "the journal mode is not WAL",
                "The next start of the server sets it, and so does `humon migrate`."
            )
    }

    static func migrations(_ storage: StorageFacts) -> [Finding] {
        if let error = storage.migrationError {
            return .problem(
                "migrations",
                clause(error),
                "The server doesn't start until this is fixed."
            )
        }
        let pending = storage.pendingMigrations
        return pending.isEmpty
            ? .ok("migrations", "all applied")
            : .warning(
                "migrations",
                "\(pending.joined(separator: ", ")) not applied",
                "The next start of the server applies them, and so does `humon migrate`."
            )
    }

    private static func schema(_ storage: StorageFacts) -> [Finding] {
        // A database with another history was not compared.
        if storage.migrationError != nil { return [] }
        let missing = storage.missingObjects.flatMap { object -> [Finding] in
            .problem(
                "schema",
                "\(object) is missing or was changed by another program",
                "Stop the server and run `humon restore FILE` with the latest backup."
            )
        }
        let extra = storage.extraObjects.flatMap { object -> [Finding] in
            .warning(
                "schema",
                "\(object) is not part of Humon",
                "Drop it: `humon restore` rejects backups that contain it."
            )
        }
        let findings = missing + extra
        return findings.isEmpty ? .ok("schema", "as the migrations define it") : findings
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
