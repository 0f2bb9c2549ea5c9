import Model
import Settings

/// The findings about a database on a server of its own.
extension Diagnosis {
    static func server(_ facts: Facts) -> [Finding] {
        let storage = facts.storage
        if let error = storage.openError, storage.server == nil {
            return .problem(
                "database",
                "it can't be reached: \(error)",
                "Check DATABASE_URL, and that PostgreSQL runs and accepts connections from "
                    + "this machine (listen_addresses, pg_hba.conf, firewall)."
            )
        }
        guard let server = storage.server else { return [] }
        return access(server) + version(server) + encoding(server) + encryption(server)
            + rights(server, storage) + pooler(server) + content(storage)
            + values(storage) + reports(storage, now: facts.now)
            + replication(server) + timeouts(server) + clocks(server)
            + connections(facts, server)
    }

    // MARK: Server and connection

    private static func access(_ server: ServerFacts) -> [Finding] {
        server.isReadOnly
            ? .problem(
                "database",
                "it accepts no writes, because it is a standby or default_transaction_read_only is "
                    + "on",
                "Name the primary in DATABASE_URL, or promote the standby (pg_ctl promote)."
            )
            : .ok("database", "reachable")
    }

    private static let oldestVersion = 13

    private static func version(_ server: ServerFacts) -> [Finding] {
        let text = "PostgreSQL \(server.majorVersion.map(String.init) ?? "of an unknown version")"
        return (server.majorVersion ?? oldestVersion) >= oldestVersion
            ? .ok("version", text)
            : .problem(
                "version",
                "\(text), and Humon needs \(oldestVersion)",
                "Upgrade PostgreSQL (pg_upgrade)."
            )
    }

    private static func encoding(_ server: ServerFacts) -> [Finding] {
        server.encoding == "UTF8"
            ? .ok("encoding", server.encoding)
            : .problem(
                "encoding",
                "it is \(server.encoding), which can't store all texts",
                "Create a database with ENCODING 'UTF8' TEMPLATE template0, and set DATABASE_URL."
            )
    }

    private static func encryption(_ server: ServerFacts) -> [Finding] {
        if server.isEncrypted { return .ok("TLS", "the connection is encrypted") }
        if server.isLocal {
            return .ok("TLS", "not needed, because the database is on this machine")
        }
        return .warning(
            "TLS",
            "the connection to another machine is not encrypted",
            "Set sslmode=verify-full and sslrootcert=FILE in DATABASE_URL, unless the network is "
                + "your own."
        )
    }

    private static func rights(_ server: ServerFacts, _ storage: StorageFacts) -> [Finding] {
        guard var missingRights = server.missingRights else { return [] }
        if !storage.pendingMigrations.isEmpty, !server.canCreate {
            missingRights.append("CREATE on the schema")
        }
        guard missingRights.isEmpty else {
            return .problem(
                "rights",
                "\(server.role) lacks \(missingRights.joined(separator: ", "))",
                "Make \(server.role) the owner of the tables, or GRANT it these rights."
            )
        }
        return server.isSuperuser
            ? .warning(
                "rights",
                "\(server.role) is a superuser",
                "Create a role for Humon (`CREATE ROLE humon LOGIN`) that owns its database, and "
                    + "nothing else."
            )
            : .ok("rights", "\(server.role) has all that Humon needs")
    }

    private static func pooler(_ server: ServerFacts) -> [Finding] {
        guard server.isPooled else { return .ok("pooler", "none") }
        return .ok("pooler", "there is one, and pgbouncer before 1.21 needs POSTGRES_PREPARE=off")
    }

    private static func timeouts(_ server: ServerFacts) -> [Finding] {
        let names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        let values = names.compactMap { name in server.settings[name].map { (name, $0) } }
        guard !values.isEmpty else { return [] }
        let unlimited = values.filter { $0.1 == "0" }.map(\.0)
        guard unlimited.isEmpty else {
            return .warning(
                "timeouts",
                "the pooler doesn't pass on \(unlimited.joined(separator: ", "))",
                "Run \(server.settingsAdvice.dropLast()), and restart the pooler."
            )
        }
        let text = values.map { "\($0.0) \($0.1) ms" }.joined(separator: ", ")
        return .ok("timeouts", text)
    }

    private static let greatestClockOffset: Int64 = 1000

    private static func clocks(_ server: ServerFacts) -> [Finding] {
        guard let offset = server.clockOffset else { return [] }
        if offset.magnitude <= greatestClockOffset.magnitude {
            return .ok("clocks", "this machine and the database agree within a second")
        }
        return .warning(
            "clocks",
            "the database's clock is \(offset.magnitude) ms \(offset > 0 ? "ahead" : "behind")",
            "Synchronise the clocks of all machines (`timedatectl set-ntp true`)."
        )
    }

    private static func connections(_ facts: Facts, _ server: ServerFacts) -> [Finding] {
        let configuration = facts.configuration
        // The greatest values that the settings accept are far from an overflow.
        let loops = configuration.workers + (configuration.adminPort == nil ? 0 : 1)
        let each = loops * configuration.postgresqlReaders + 2
        let needed = each * configuration.nodes
        let wanted = "\(needed) for NODES=\(configuration.nodes), \(each) each"
        if server.isPooled {
            return .ok("connections", "\(wanted): the pooler's max_client_conn must allow them")
        }
        guard let all = server.settings["max_connections"].flatMap({ Int($0) }) else { return [] }
        let reserved = server.settings["superuser_reserved_connections"].flatMap { Int($0) } ?? 0
        let free = max(0, all - reserved - server.foreignConnections)
        let allowed = min(free, server.connectionLimit ?? .max)
        let text =
            "\(wanted), of \(allowed) that the server has for Humon (max_connections \(all), "
            + "\(server.foreignConnections) used by other programs)"
        // A node that is replaced keeps its connections until the new one is ready.
        if needed + each <= allowed { return .ok("connections", text) }
        let advice =
            "Raise max_connections or the limit of the role, lower WORKERS or POSTGRES_READERS, or "
            + "put pgbouncer in between."
        return needed > allowed
            ? .problem("connections", text, advice)
            : .warning("connections", "\(text), which leaves none for a restart", advice)
    }

    // MARK: Content

    private static func content(_ storage: StorageFacts) -> [Finding] {
        if let error = storage.openError {
            return .problem(
                "content",
                "it can't be read: \(error)",
                "Check the rights of the role."
            )
        }
        var findings = migrations(storage)
        if storage.migrationError == nil, storage.pendingMigrations.isEmpty {
            findings += schema(storage) + nextIDs(storage)
        }
        return findings + references(storage)
    }

    private static func schema(_ storage: StorageFacts) -> [Finding] {
        if storage.missingObjects.isEmpty {
            return .ok("schema", "all tables and indexes of the migrations exist")
        }
        return .problem(
            "schema",
            "\(storage.missingObjects.joined(separator: ", ")) missing or invalid",
            "Restore a backup, or create it as the migration in migrations/postgresql does."
        )
    }

    private static func nextIDs(_ storage: StorageFacts) -> [Finding] {
        guard let taken = storage.server?.takenIDs else { return [] }
        if taken.isEmpty { return .ok("next ids", "greater than all ids in use") }
        return taken.flatMap { taken -> [Finding] in
            .problem(
                "next ids",
                "\(taken.table) has the id \(taken.greatest), and the next one is not greater, so "
                    + "new records are rejected",
                "Run `\(taken.repair)`."
            )
        }
    }

    private static func references(_ storage: StorageFacts) -> [Finding] {
        guard storage.isFullyChecked else { return [] }
        guard let first = storage.faults.first else {
            return .ok("references", "all are valid")
        }
        return .problem(
            "references",
            "\(storage.faults.count) are broken: \(first)",
            "Another program has changed the records, or the disk is damaged. Restore a "
                + "backup, or delete these records."
        )
    }
}
