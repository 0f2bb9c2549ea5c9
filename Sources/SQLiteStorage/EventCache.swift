import Model
import SQLite

/// The events that a reader has read of the snapshot it sees, and the nodes of their tree, so that
/// popular ones need not be looked up and decoded again: that is half the work of a nearest query.
///
/// The reader empties it when anything in the database has changed.
final class EventCache: SnapshotCache {
    /// An event, with where it is on the sphere.
    struct Entry {
        let event: Event
        let unitVector: Coordinate.UnitVector

        init(_ event: Event) {
            self.event = event
            unitVector = event.attributes.coordinate.unitVector
        }
    }

    /// Longer texts, in bytes, are not kept: they would take the room of many usual ones.
    private static let longestText = 512

    /// At half a kilobyte each, with what is made of them, 8 MB for a reader.
    private var entries = KeptByID<Entry>(capacity: 16_384)
    /// Of 4 KB each: all nodes of some 40,000 events, and else the upper ones and what is popular.
    private var nodes = KeptByID<[UInt8]>(capacity: 512)

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

    /// Keeps an event, if there is room.
    func insert(_ entry: Entry) {
        let attributes = entry.event.attributes
        let length = attributes.name.utf8.count + (attributes.address?.utf8.count ?? 0)
        guard length <= Self.longestText else { return }
        entries.insert(entry, id: entry.event.id)
    }

    /// The bytes of the tree's node with this id, if they are known.
    func node(_ id: Int64) -> [UInt8]? {
        nodes[id]
    }

    /// Keeps a node, if there is room.
    func insertNode(_ id: Int64, _ bytes: [UInt8]) {
        nodes.insert(bytes, id: id)
    }

    func removeAll() {
        entries.removeAll()
        nodes.removeAll()
    }
}
