import Model
import SQLite

/// The events that a reader has read of the snapshot it sees, and the nodes of their tree, so that
/// popular ones need not be looked up and decoded again: that is half the work of a nearest query.
///
/// The reader empties it when anything in the database has changed.
final class EventCache: SnapshotCache {
    /// An event and its point on the sphere.
    struct Entry: Sendable {
        let event: Event
        let unitVector: Coordinate.UnitVector

        init(_ event: Event) {
            self.event = event
            unitVector = event.attributes.coordinate.unitVector
        }
    }

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
        entries.insert(entry, id: entry.event.id, bytes: entry.event.approximateBytes)
    }

    /// The bytes of the tree's node with this id, if they are known.
    func node(_ id: Int64) -> [UInt8]? {
        nodes[id]
    }

    /// Keeps a node, if there is room.
    func insertNode(_ id: Int64, _ bytes: [UInt8]) {
        nodes.insert(bytes, id: id, bytes: bytes.count)
    }

    func removeAll() {
        entries.removeAll()
        nodes.removeAll()
    }
}

/// How much a reader keeps of what it has read, in bytes.
struct EventCacheLimits {
    let events: Int
    let nodes: Int

    /// The share of one of `readerCount` readers, who have so many bytes together: two thirds of it
    /// for events, and the rest for nodes.
    init(bytes: Int, readerCount: Int) {
        nodes = max(0, bytes) / 3 / max(1, readerCount)
        events = 2 * nodes
    }
}

extension Event {
    /// About what it takes in memory, with its point on the sphere.
    fileprivate var approximateBytes: Int {
        160 + attributes.name.approximateBytes + (attributes.address?.approximateBytes ?? 0)
    }
}

extension String {
    /// About what it takes in memory outside of the value itself, which holds 15 bytes.
    fileprivate var approximateBytes: Int {
        utf8.count > 15 ? utf8.count + 40 : 0
    }
}
