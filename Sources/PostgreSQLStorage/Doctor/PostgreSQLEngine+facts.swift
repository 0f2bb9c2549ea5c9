package import Model
import PostgreSQL
import Rules
import SharedStorage
import System
import Time

extension PostgreSQLEngine {
    package func facts(isFull: Bool) -> StorageFacts {
        var facts = StorageFacts()
        facts.engineVersion = "PostgreSQL"
        // A password that libpq doesn't find there can be why the connection fails.
        facts.passwordFile = configuration.url.passwordFile
        do {
            let connection = try BlockingConnection(
                url: configuration.url,
                for: .serving(timeoutMilliseconds: configuration.timeoutMilliseconds),
                preparesStatements: configuration.preparesStatements,
                acceptsReadOnly: true
            )
            facts.engineVersion = "PostgreSQL \(connection.serverVersion)"
            var server = ServerFacts()
            // What was found before the connection is lost is reported as well.
            defer { facts.server = server }
            try gather(&server, over: connection)
            let counts = try Self.rows(DoctorStatements.connections, over: connection) { row in
                (foreign: try row.bigint(0), own: try row.bigint(1))
            }
            server.foreignConnections = Int(counts.first?.foreign ?? 0)
            facts.isServed = (counts.first?.own ?? 0) > 0
            if server.missingRights != ["USAGE on the schema"] {
                try gather(&facts, over: connection)
            } else {
                facts.migrationError = "the role can't see the tables"
            }
            if isFull, facts.pendingMigrations.isEmpty, facts.migrationError == nil {
                try gatherAll(&facts)
            }
        } catch {
            facts.openError = Self.reason(error)
        }
        return facts
    }

    private static func reason(_ error: any Error) -> String {
        (error as? PostgreSQLError)?.message ?? Explanation.text(of: error)
    }

    /// Collects what the server reports about itself.
    private func gather(_ server: inout ServerFacts, over connection: BlockingConnection) throws {
        let number = connection.serverVersionNumber
        server.majorVersion = number > 0 ? number / 10_000 : nil
        server.encoding = connection.encoding
        server.isLocal = configuration.url.isLocal
        server.isEncrypted = connection.isEncrypted
        server.isReadOnly = try Self.isReadOnly(connection)
        server.hostCount = configuration.url.hostCount
        server.settingsAdvice = configuration.url.settingsAdvice(
            for: .serving(timeoutMilliseconds: configuration.timeoutMilliseconds)
        )
        try gatherConnection(&server, over: connection)
        try gatherRole(&server, over: connection)
        try gatherReplication(&server, over: connection)
        try gatherUpkeep(&server, over: connection)
    }

    private func gatherConnection(
        _ server: inout ServerFacts,
        over connection: BlockingConnection
    ) throws {
        let settings = try Self.found(DoctorStatements.settings, over: connection) { row in
            (try row.text(0), try row.text(1))
        }
        server.settings = Dictionary(settings ?? []) { $1 }
        let processes = try Self.found(DoctorStatements.processID, over: connection) { row in
            try row.bigint(0)
        }
        server.isPooled = processes?.first.map { $0 != connection.reportedProcessID } ?? false
        let before = Timestamp.now().milliseconds
        let clock = try Self.found(DoctorStatements.clock, over: connection) { try $0.bigint(0) }?
            .first
        let after = Timestamp.now().milliseconds
        // The server has looked at its clock at some moment between the two.
        server.clockOffset = clock.map { max($0 - after, 0) + min($0 - before, 0) }
    }

    private func gatherRole(
        _ server: inout ServerFacts,
        over connection: BlockingConnection
    ) throws {
        let roles = try Self.found(DoctorStatements.role, over: connection) { row in
            let limits = [try row.bigint(2), try row.optionalBigint(3) ?? -1].filter { $0 >= 0 }
            return (
                name: try row.text(0), isSuperuser: try row.boolean(1), limit: limits.min(),
                canCreate: try row.boolean(4), hasSchema: try row.boolean(5)
            )
        }
        let lists = try [
            DoctorStatements.missingTableRights, DoctorStatements.missingSequenceRights,
        ].map { sql in try Self.found(sql, over: connection) { try $0.text(0) } }
        server.missingRights = lists.contains(nil) ? nil : lists.flatMap { $0 ?? [] }
        guard let role = roles?.first else { return }
        server.role = role.name
        server.isSuperuser = role.isSuperuser
        server.connectionLimit = role.isSuperuser ? nil : role.limit.map(Int.init(clamping:))
        server.canCreate = role.canCreate
        // Without it, the tables can't be found at all.
        if !role.hasSchema { server.missingRights = ["USAGE on the schema"] }
    }

    private func gatherReplication(
        _ server: inout ServerFacts,
        over connection: BlockingConnection
    ) throws {
        let standbys = try Self.found(DoctorStatements.standbys, over: connection) { row in
            ServerFacts.Standby(
                name: try row.text(0),
                isSynchronous: try row.boolean(1),
                lag: try row.optionalBigint(2).map(Int.init(clamping:))
            )
        }
        server.standbys = standbys ?? []
        let idleSlots = try Self.found(DoctorStatements.idleSlots, over: connection) { row in
            ServerFacts.Slot(
                name: try row.text(0),
                bytes: try row.optionalBigint(1).map(Int.init(clamping:))
            )
        }
        server.idleSlots = idleSlots ?? []
        server.unarchivedFile =
            try Self.found(DoctorStatements.failedArchive, over: connection) {
                try $0.text(0)
            }?.first
    }

    private func gatherUpkeep(
        _ server: inout ServerFacts,
        over connection: BlockingConnection
    ) throws {
        let longTransactions =
            try Self.found(DoctorStatements.longTransactions, over: connection) { row in
                ServerFacts.LongTransaction(
                    name: try row.text(0),
                    minutes: try row.bigint(1),
                    end: try row.text(2)
                )
            }
        server.longTransactions = longTransactions ?? []
        server.unvacuumedTables =
            try Self.found(DoctorStatements.unvacuumedTables, over: connection) {
                try $0.text(0)
            } ?? []
        server.transactionAge =
            try Self.found(DoctorStatements.transactionAge, over: connection) {
                Int(clamping: try $0.bigint(0))
            }?.first
        server.takenIDs = try Self.found(DoctorStatements.takenIDs, over: connection) { row in
            ServerFacts.TakenID(
                table: try row.text(0),
                greatest: try row.bigint(1),
                repair: try row.text(2)
            )
        }
    }

    /// Collects what the migrations and the tables tell.
    private func gather(_ facts: inout StorageFacts, over connection: BlockingConnection) throws {
        do {
            let history = try migrator.status(on: connection)
            facts.pendingMigrations = history.filter { $0.appliedAt == nil }.map(\.name)
        } catch {
            facts.migrationError = Self.reason(error)
        }
        guard facts.pendingMigrations.isEmpty, facts.migrationError == nil else { return }
        facts.isClosed =
            try Self.found(MoveControlStatements.closedTables, over: connection) { try $0.text(0) }?
            .isEmpty == false
        // The table of the second statement may be missing.
        facts.missingObjects =
            try [DoctorStatements.missingObjects, DoctorStatements.missingInstallation]
            .flatMap { sql in try Self.found(sql, over: connection) { try $0.text(0) } ?? [] }
        facts.oldestReport = try Self.found(DoctorStatements.oldestReport, over: connection) {
            try $0.optionalBigint(0)
        }?.first?.map(Timestamp.init(milliseconds:))
        facts.webhooks =
            try Self.found(DoctorStatements.webhooks, over: connection) {
                (try $0.bigint(0), try $0.text(1))
            } ?? []
        facts.latestRecord = try Self.found(DoctorStatements.latestRecord, over: connection) {
            try $0.optionalBigint(0)
        }?.first?.map(Timestamp.init(milliseconds:))
    }

    /// Reads every reference, without a limit of time.
    private func gatherAll(_ facts: inout StorageFacts) throws {
        let connection = try configuration.connect(acceptsReadOnly: true)
        facts.faults = try Self.rows(DoctorStatements.faults, over: connection) { try $0.text(0) }
        facts.unusualValues = try Self.rows(DoctorStatements.unusualValues, over: connection) {
            try $0.text(0)
        }
        try facts.addUnusualValues { id in
            try connection.perform(Command(DoctorStatements.tagsAndData, [.bigint(id)])).map {
                row in
                (try row.bigint(0), try row.optionalText(1), try row.optionalText(2))
            }
        }
        facts.isFullyChecked = true
    }

    /// Returns what `make` reads of each row; nil if the server lacks what the statement reads, or
    /// the role may not read it.
    private static func found<T>(
        _ sql: StaticString,
        over connection: BlockingConnection,
        _ make: (Row) throws -> T
    ) throws -> [T]? {
        do {
            return try rows(sql, over: connection, make)
        } catch let error as PostgreSQLError where error.kind == .rejected {
            return nil
        }
    }

    private static func rows<T>(
        _ sql: StaticString,
        over connection: BlockingConnection,
        _ make: (Row) throws -> T
    ) throws -> [T] {
        try connection.perform(Command(sql)).map(make)
    }
}
