import Model
import SQLite

/// A reader's cache of the events and tree nodes of its snapshot.
///
/// Without it, looking up and decoding popular events is half of the work of a nearest query. The
/// reader empties it when anything in the database has changed.
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

    /// Returns the cache of a read-only connection, and creates it with these limits if necessary.
    static func of(_ connection: Connection, _ limits: EventCacheLimits) -> EventCache {
        if let cache = connection.snapshotCache as? EventCache { return cache }
        let cache = EventCache(limits)
        connection.snapshotCache = cache
        return cache
    }

    /// The event with this id, if it is cached.
    subscript(id: Int64) -> Entry? {
        entries[id]
    }

    /// Caches an event, if there is room.
    func insert(_ entry: Entry) {
        entries.insert(entry, id: entry.event.id, bytes: entry.event.approximateBytes)
    }

    /// Returns the bytes of the tree's node with this id, if they are cached.
    func node(_ id: Int64) -> [UInt8]? {
        nodes[id]
    }

    /// Caches a node, if there is room.
    func insertNode(_ id: Int64, _ bytes: [UInt8]) {
        nodes.insert(bytes, id: id, bytes: bytes.count)
    }

    func removeAll() {
        entries.removeAll()
        nodes.removeAll()
    }
}

/// The memory limits of a reader's cache, in bytes.
struct EventCacheLimits {
    let events: Int
    let nodes: Int

    /// Splits `bytes` between `readerCount` readers, two thirds for events and the rest for nodes.
    init(bytes: Int, readerCount: Int) {
        nodes = max(0, bytes) / 3 / max(1, readerCount)
        events = 2 * nodes
    }
}

extension Event {
    /// The approximate memory for it and its point on the sphere, in bytes.
    fileprivate var approximateBytes: Int {
        160 + attributes.name.approximateBytes + (attributes.address?.approximateBytes ?? 0)
    }
}

extension String {
    /// The approximate memory in bytes outside of the value itself, which holds 15 bytes.
    fileprivate var approximateBytes: Int {
        utf8.count > 15 ? utf8.count + 40 : 0
    }
}
