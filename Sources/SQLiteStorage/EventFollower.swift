package import Events
package import SQLite
import System

/// Carries the changes of events from the writer's transactions to the index in memory.
package final class EventFollower: ChangeFollower {
    let index: LivingEventIndex
    let representation: EventRepresentation
    // Only the writer's thread uses them. The mutex makes the class Sendable.
    private let changes = Mutex<[EventChange]>([])
    /// The position of the log that the transaction will reach.
    private let position = Mutex<LogPosition?>(nil)

    /// Creates a follower that keeps this index equal to the database.
    package init(_ index: LivingEventIndex, _ representation: EventRepresentation) {
        self.index = index
        self.representation = representation
    }

    /// Notes that a job has stored an event, new or changed.
    func didStore(_ event: Event) {
        let change = EventChange(event, representation)
        changes.withLock { $0.append(change) }
    }

    /// Notes that a job has deleted an event.
    func didDelete(_ id: Int64) {
        changes.withLock { $0.append(EventChange(id: id, content: nil)) }
    }

    package func willChange(_ version: DatabaseVersion?, commits: UInt32) {
        index.willChange(version.map(LivingEventIndex.Version.init), commits: commits)
    }

    /// Notes the position of the log.
    ///
    /// If other programs have committed before this transaction, it also reads their changes. No
    /// program can commit until it ends.
    package func willCommit(_ connection: Connection) {
        guard let known = index.position else { return }
        let log = SQLiteLog(connection)
        if index.isOutdated {
            let limit = LogFollower.fewChanges
            // Otherwise the thread that loads does it.
            guard !index.isBehind,
                let read = try? log.events(after: known, limit: limit, representation), read.areAll
            else { return }
            changes.withLock { $0 = read.changes }
            position.withLock { $0 = read.position }
        } else if let number = try? log.lastNumber() {
            position.withLock {
                $0 = LogPosition(log: known.log, number: number, floor: known.floor)
            }
        }
    }

    package var changeCount: Int {
        changes.withLock { $0.count }
    }

    package func undoChanges(keeping count: Int) {
        changes.withLock { changes in changes.removeLast(max(0, changes.count - count)) }
        position.withLock { $0 = nil }
    }

    package func didChange(_ version: DatabaseVersion?) {
        let made = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        let reached = position.withLock { position in
            defer { position = nil }
            return position
        }
        index.didChange(made, version.map(LivingEventIndex.Version.init), at: reached)
    }

    package func didChangeInAnUnknownWay() {
        undoChanges(keeping: 0)
        index.didChangeInAnUnknownWay()
    }
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

extension Connection {
    /// The follower of this connection's changes; nil unless it is that of a server's writer.
    var eventFollower: EventFollower? {
        follower as? EventFollower
    }
}
