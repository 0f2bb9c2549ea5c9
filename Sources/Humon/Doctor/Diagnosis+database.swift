extension Diagnosis {
    static func database(_ facts: Facts) -> [Finding] {
        let database = facts.database
        return place(database) + room(database) + served(facts) + content(facts)
    }

    private static func served(_ facts: Facts) -> [Finding] {
        guard let path = facts.lostFile else { return [] }
        let isBesideDatabase = path.hasSuffix("-wal") || path.hasSuffix("-shm")
        return [
            .problem(
                "open file",
                "the running server has another file open than \(path), which was moved, deleted "
                    + "or replaced, and refuses writes; the database was not looked at",
                isBesideDatabase
                    ? "Move the file back. Or stop the server by SIGTERM, which stores everything "
                        + "acknowledged in the database; then start it again."
                    : "Move the file back. Or stop the server, which stores everything "
                        + "acknowledged in the moved file; then start it with the file that you "
                        + "want."
            )
        ]
    }

    static func files(_ facts: Facts) -> [Finding] {
        let open = facts.files.filter { $0.mode & 0o027 != 0 }
        if open.isEmpty { return [.ok("files", "nobody else may read or change them")] }
        return open.map { file in
            .problem(
                "files",
                "\(file.path) has mode \(octal(file.mode)), so others may read or change it",
                "`chmod \(octal(file.mode & 0o640)) \(file.path)`."
            )
        }
    }

    private static func place(_ database: Facts.Database) -> [Finding] {
        var findings: [Finding] = []
        if !database.folderIsWritable {
            findings.append(
                .problem(
                    "folder",
                    "the database's folder can't be written to by this user",
                    "Give it to the user that the server runs as, and look again as that user."
                )
            )
        }
        if database.folderIsOpenToAll {
            findings.append(
                .problem(
                    "folder",
                    "everybody may replace the files in the database's folder",
                    "`chmod o-w` it, or move the database into a folder of its own."
                )
            )
        }
        if database.isPresent, !database.isOwn {
            findings.append(
                .warning(
                    "owner",
                    "the database belongs to another user",
                    "Run the commands as the user that the server runs as."
                )
            )
        }
        if !database.isOfFolder {
            findings.append(
                .warning(
                    "owner",
                    "the database or its lock belongs to another user than its folder",
                    "If the server runs as the folder's owner, give them to it by `chown`."
                )
            )
        }
        if database.linkCount > 1 {
            findings.append(
                .problem(
                    "names",
                    "the database's file has \(database.linkCount) names, so it is not opened",
                    "`find -samefile` shows them; remove the others, which are no copies of it."
                )
            )
        }
        if findings.isEmpty { findings.append(.ok("folder", "this user may write to it")) }
        return findings + [filesystem(database.filesystem)].compactMap(\.self)
    }

    /// By the numbers of statfs(2).
    private static func filesystem(_ kind: Int?) -> Finding? {
        let subject = "filesystem"
        let advice = "Move the database to a disk of this machine."
        switch kind {
        case nil: return nil
        case 0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x564C, 0x5346_414F:
            return .problem(
                subject,
                "the database is on a network, where its locks and shared memory don't work",
                advice
            )
        case 0x0102_1994, 0x8584_58F6:
            return .warning(subject, "the database is in memory: a restart loses it", advice)
        case 0x794C_7630:
            return .warning(
                subject,
                "the database is in a layer of a container and goes with it",
                "Mount a volume, and let DATABASE_URL name a file there."
            )
        case 0x6573_5546:
            return .warning(
                subject,
                "the database is on a filesystem of a program (FUSE), which may not keep its word",
                advice
            )
        case _?: return .ok(subject, "local")
        }
    }

    private static func room(_ database: Facts.Database) -> [Finding] {
        guard let free = database.freeBytes else { return [] }
        let text = "\(ByteCount.text(free)) free, \(ByteCount.text(database.bytes)) in use"
        let advice = "Make room, or move the database to a larger disk."
        if free < 100_000_000 { return [.problem("room", text, advice)] }
        // As much as a backup or a rebuilt table takes.
        let isShort = free < max(1_000_000_000, database.bytes)
        return [isShort ? .warning("room", text, advice) : .ok("room", text)]
    }

    private static func content(_ facts: Facts) -> [Finding] {
        let database = facts.database
        if facts.lostFile != nil { return [] }
        guard database.isPresent else {
            let path = facts.configuration.databasePath
            return [
                .warning(
                    "database",
                    "there is none at \(path)",
                    "The server makes an empty one; if there should be one, see DATABASE_URL, or "
                        + "`humon restore FILE`."
                )
            ]
        }
        if let error = database.openError {
            return [
                .problem(
                    "database",
                    "it can't be read: \(error)",
                    "If it is not a matter of permissions, stop the server and run "
                        + "`humon restore FILE` with the latest backup."
                )
            ]
        }
        return [integrity(database), journal(database), migrations(database)]
            + schema(database)
    }

    private static func integrity(_ database: Facts.Database) -> Finding {
        guard let first = database.faults.first else {
            return .ok(
                "integrity",
                database.isFullyChecked
                    ? "every page, index and reference is sound"
                    : "every page is sound; --full looks at indexes and references, too"
            )
        }
        return .problem(
            "integrity",
            "the database is damaged (\(database.faults.count) faults): \(first)",
            "Stop the server, run `humon restore FILE` with the latest backup, and look after the "
                + "disk."
        )
    }

    private static func journal(_ database: Facts.Database) -> Finding {
        database.isInWALMode
            ? .ok("journal", "WAL")
            : .warning(
                "journal",
                "its mode is not WAL",
                "The next start of the server, or `humon migrate`, sets it."
            )
    }

    private static func migrations(_ database: Facts.Database) -> Finding {
        if let error = database.migrationError {
            let text = error.hasSuffix(".") ? String(error.dropLast()) : error
            return .problem("migrations", text, "The server does not start until then.")
        }
        let pending = database.pendingMigrations
        return pending.isEmpty
            ? .ok("migrations", "all applied")
            : .warning(
                "migrations",
                "\(pending.joined(separator: ", ")) not applied",
                "The next start of the server, or `humon migrate`, applies them."
            )
    }

    private static func schema(_ database: Facts.Database) -> [Finding] {
        // Of another history nothing was compared.
        if database.migrationError != nil { return [] }
        let missing = database.missingObjects.map { object in
            Finding.problem(
                "schema",
                "\(object) is missing or was changed by another program",
                "Stop the server and run `humon restore FILE` with the latest backup."
            )
        }
        let extra = database.extraObjects.map { object in
            Finding.warning(
                "schema",
                "\(object) is not of this program",
                "Drop it: a backup that has it can't be restored."
            )
        }
        let findings = missing + extra
        return findings.isEmpty ? [.ok("schema", "what the migrations have made")] : findings
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
