import Model
import SQLite

/// A reader's cache of the events of its snapshot.
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

    private init(capacity: Int) {
        entries = KeptByID(capacity: capacity)
    }

    /// Returns the cache of a read-only connection, and creates it with this capacity in bytes if
    /// necessary.
    static func of(_ connection: Connection, capacity: Int) -> EventCache {
        if let cache = connection.snapshotCache as? EventCache { return cache }
        let cache = EventCache(capacity: capacity)
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

    func removeAll() {
        entries.removeAll()
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
