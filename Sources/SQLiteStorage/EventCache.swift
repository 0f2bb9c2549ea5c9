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

    private var entries: KeptByID<Entry>
    private var nodes: KeptByID<[UInt8]>

    private init(_ limits: EventCacheLimits) {
        entries = KeptByID(capacity: limits.events)
        nodes = KeptByID(capacity: limits.nodes)
    }

    /// The cache of a connection that only reads; made with these limits if it has none yet.
    static func of(_ connection: Connection, _ limits: EventCacheLimits) -> EventCache {
        if let cache = connection.snapshotCache as? EventCache { return cache }
        let cache = EventCache(limits)
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

/// How much a reader keeps of what it has read.
struct EventCacheLimits {
    /// At half a kilobyte each, with what is made of them, 64 MB for all readers together.
    private static let eventsOfAll = 131_072
    /// At 4 KB each, 16 MB for all readers together: all nodes of some 100,000 events, and else the
    /// upper ones and what is popular.
    private static let nodesOfAll = 4096

    let events: Int
    let nodes: Int

    /// The share of one of this many readers.
    init(readerCount: Int) {
        events = Self.eventsOfAll / max(1, readerCount)
        nodes = Self.nodesOfAll / max(1, readerCount)
    }
}
