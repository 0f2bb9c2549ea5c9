import Model
import SQLite

/// The events that a reader has read of the snapshot it sees, and the nodes of their tree, so that
/// popular ones need not be looked up and decoded again: that is half the work of a nearest query.
///
/// The reader empties it when anything in the database has changed.
final class EventCache: SnapshotCache {
    /// Events that are kept, with what is made of them: at half a kilobyte each, 8 MB for a reader.
    private static let capacity = 16_384
    /// Nodes of the tree that are kept, of 4 KB each: all of some 40,000 events, and else the upper
    /// ones and what is popular.
    private static let nodeCapacity = 512

    /// An event, with where it is on the sphere.
    struct Entry {
        let event: Event
        let unitVector: Coordinate.UnitVector

        init(_ event: Event) {
            self.event = event
            unitVector = event.attributes.coordinate.unitVector
        }
    }

    private var entries: [Int64: Entry] = [:]
    private var nodes: [Int64: [UInt8]] = [:]

    /// The cache of a connection that only reads.
    static func of(_ connection: Connection) -> EventCache {
        if let cache = connection.snapshotCache as? EventCache { return cache }
        let cache = EventCache()
        connection.snapshotCache = cache
        return cache
    }

    /// The event with this id, if it is known.
    subscript(id: Int64) -> Entry? {
        entries[id]
    }

    /// Keeps an event.
    ///
    /// A full cache begins anew, which costs little and lets it follow what is asked for.
    func insert(_ entry: Entry) {
        if entries.count >= Self.capacity { entries.removeAll(keepingCapacity: true) }
        entries[entry.event.id] = entry
    }

    /// The bytes of the tree's node with this id, if they are known.
    func node(_ id: Int64) -> [UInt8]? {
        nodes[id]
    }

    /// Keeps a node; when there are too many, the others are forgotten.
    func insertNode(_ id: Int64, _ bytes: [UInt8]) {
        if nodes.count >= Self.nodeCapacity { nodes.removeAll(keepingCapacity: true) }
        nodes[id] = bytes
    }

    func removeAll() {
        entries.removeAll(keepingCapacity: true)
        nodes.removeAll(keepingCapacity: true)
    }
}
