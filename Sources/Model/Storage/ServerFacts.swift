/// The facts about a database on a server of its own, from which `humon doctor` derives findings.
///
/// What this user may not see is nil or empty, and leads to no finding.
package struct ServerFacts: Equatable, Sendable {
    /// The number of the version of PostgreSQL, such as 15; nil if it is unknown.
    package var majorVersion: Int?
    package var encoding = "UTF8"

    // MARK: Connection

    /// Whether all hosts are this machine.
    package var isLocal = true
    package var isEncrypted = false
    /// Whether it rejects writes, as a standby does.
    package var isReadOnly = false
    /// The number of hosts that DATABASE_URL names.
    package var hostCount = 1
    /// Whether a pooler is between this program and the server.
    package var isPooled = false
    /// The statements that set what connections need, if they can't set it themselves.
    package var settingsAdvice = ""
    /// Some of the server's settings, as a connection of a server sees them, in their base units.
    package var settings: [String: String] = [:]
    /// How far the server's clock is ahead of this machine's at least, in ms; negative if behind.
    package var clockOffset: Int64?

    // MARK: Rights and limits

    package var role = ""
    package var isSuperuser = false
    /// The rights that the role lacks, such as `UPDATE on events`; nil if they are unknown.
    package var missingRights: [String]? = []
    /// Whether the role can create tables, which only migrations need.
    package var canCreate = true
    /// The number of connections that the role and the database allow; nil if that is no limit.
    package var connectionLimit: Int?
    /// The number of connections of other programs to the whole server.
    package var foreignConnections = 0

    // MARK: Replication and upkeep

    /// The standbys that are connected.
    package var standbys: [Standby] = []
    /// The replication slots that no standby uses.
    package var idleSlots: [Slot] = []
    /// The transactions that have been open for more than 10 minutes, longest first.
    package var longTransactions: [LongTransaction] = []
    /// The tables on which autovacuum is off.
    package var unvacuumedTables: [String] = []
    /// The age of the oldest transaction id in the database.
    package var transactionAge: Int?
    /// The file of the write-ahead log that can't be archived.
    package var unarchivedFile: String?
    /// The tables whose next id is already taken; nil if the role may not read that.
    package var takenIDs: [TakenID]? = []

    package init() {}

    /// A standby that receives the write-ahead log.
    package struct Standby: Equatable, Sendable {
        package let name: String
        /// Whether commits can wait for it.
        package let isSynchronous: Bool
        /// How much of the log it has not written to disk, in bytes.
        package let lag: Int?

        package init(name: String, isSynchronous: Bool, lag: Int?) {
            self.name = name
            self.isSynchronous = isSynchronous
            self.lag = lag
        }
    }

    /// A replication slot that nothing uses.
    package struct Slot: Equatable, Sendable {
        package let name: String
        /// How much of the write-ahead log it keeps, in bytes.
        package let bytes: Int?

        package init(name: String, bytes: Int?) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A transaction that has been open for long.
    package struct LongTransaction: Equatable, Sendable {
        /// The program that has opened it, such as `pid 7 (psql)`.
        package let name: String
        package let minutes: Int64
        /// The SQL that ends it.
        package let end: String

        package init(name: String, minutes: Int64, end: String) {
            self.name = name
            self.minutes = minutes
            self.end = end
        }
    }

    /// A table whose next id is already taken, so that it rejects new records.
    package struct TakenID: Equatable, Sendable {
        package let table: String
        /// The greatest id in the table.
        package let greatest: Int64
        /// The SQL that makes the ids go on after the greatest.
        package let repair: String

        package init(table: String, greatest: Int64, repair: String) {
            self.table = table
            self.greatest = greatest
            self.repair = repair
        }
    }
}
