import Model
import SQLite

/// A reader's cache of the events of its snapshot.
///
/// Without it, looking up and decoding popular events is half of the work of a nearest query. The
/// reader empties it when anything in the database has changed.
final class EventCache: SnapshotCache {
    private var entries: KeptByID<Event>

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
    subscript(id: Int64) -> Event? {
        entries[id]
    }

    /// Caches an event, if there is room.
    func insert(_ event: Event) {
        entries.insert(event, id: event.id, bytes: event.approximateBytes)
    }

    func removeAll() {
        entries.removeAll()
    }
}

extension Event {
    /// The approximate memory in bytes.
    fileprivate var approximateBytes: Int {
        136 + attributes.name.approximateBytes + (attributes.address?.approximateBytes ?? 0)
    }
}

extension String {
    /// The approximate memory in bytes outside of the value itself, which holds 15 bytes.
    fileprivate var approximateBytes: Int {
        utf8.count > 15 ? utf8.count + 40 : 0
    }
}
