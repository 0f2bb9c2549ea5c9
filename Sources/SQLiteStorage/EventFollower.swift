package import EventIndex
package import Model
package import SQLite
import System

/// Carries the changes of events from the writer's transactions to the index in memory.
package final class EventFollower: ChangeFollower {
    let index: LivingEventIndex
    let representation: EventRepresentation
    // Only the writer's thread uses them. The mutex makes the class Sendable.
    private let changes = Mutex<[EventChange]>([])

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

    package var changeCount: Int {
        changes.withLock { $0.count }
    }

    package func undoChanges(keeping count: Int) {
        changes.withLock { changes in changes.removeLast(max(0, changes.count - count)) }
    }

    package func didChange(_ version: DatabaseVersion?) {
        let made = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        index.didChange(made, version.map(LivingEventIndex.Version.init))
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
