package import Events
package import SQLite
import System

/// Carries the changes of the writer's transactions from the log to the events in memory.
package final class EventFollower: ChangeFollower {
    /// The number of changes that the writer publishes; more are left to requests.
    private static let mostChanges = 30_000

    private let index: LivingEventIndex
    private let representation: EventRepresentation
    /// The changes of the transaction, and the position after which they were read.
    // Only the writer's thread uses them. The mutex makes the class Sendable.
    private let made = Mutex<(read: LoggedEvents, since: LogPosition)?>(nil)

    /// Creates a follower that keeps this index equal to the database.
    package init(_ index: LivingEventIndex, _ representation: EventRepresentation) {
        self.index = index
        self.representation = representation
    }

    package func didBegin(_ connection: Connection) throws {
        let version = connection.version.map(LivingEventIndex.Version.init)
        // Later, the numbers of this transaction could hide that another program has removed rows.
        guard let known = index.positionBeforeOthers(version) else { return }
        let log = SQLiteLog(connection)
        if (try? log.position())?.hasLostNumbers(since: known) == true { try log.renewAfterLoss() }
    }

    package func willCommit(_ connection: Connection) {
        guard let known = index.beginCommit(connection.version.map(LivingEventIndex.Version.init))
        else { return }
        // It also has the changes that other programs have committed before this transaction.
        let read = try? SQLiteLog(connection).events(
            after: known,
            limit: Self.mostChanges,
            representation,
            withContents: index.keepsContents
        )
        if let read, read.areAll { made.withLock { $0 = (read, known) } }
    }

    package func didCommit(_ version: DatabaseVersion?) {
        let made = made.withLock { made in
            defer { made = nil }
            return made
        }
        index.endCommit(made, version.map(LivingEventIndex.Version.init))
    }

    package func didFail() {
        made.withLock { $0 = nil }
        index.endCommit(nil, nil)
    }

    package func didReopen() { index.forget() }
}

extension LivingEventIndex.Version {
    init(_ version: DatabaseVersion) {
        self.init(version.words, commitCount: version.commitCount)
    }
}

extension ReaderPool {
    /// The version of the database as the index of events knows it, nil if it is unknown.
    var indexVersion: LivingEventIndex.Version? {
        version.map(LivingEventIndex.Version.init)
    }
}
