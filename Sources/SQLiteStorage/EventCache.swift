import Model
import SQLite

/// The events that a reader has read of the snapshot it sees, so that popular ones need not be
/// looked up and decoded again: that is half the work of a nearest query.
///
/// The reader empties it when anything in the database has changed.
final class EventCache: SnapshotCache {
    /// Events that are kept; at a few hundred bytes each, 4 MB for a reader.
    private static let capacity = 16_384

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
        if entries.count >= Self.capacity { removeAll() }
        entries[entry.event.id] = entry
    }

    func removeAll() {
        entries.removeAll(keepingCapacity: true)
    }
}
