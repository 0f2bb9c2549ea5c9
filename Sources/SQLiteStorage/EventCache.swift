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

    /// How many bytes of events keep their rendering, too.
    private let renderedBytes: Int
    private var entries: KeptByID<Entry>
    private var nodes: KeptByID<[UInt8]>

    /// Of so many bytes of events the first ones keep their rendering.
    private static let eventsPerRendering = 8

    private init(_ limits: EventCacheLimits) {
        renderedBytes = limits.events / Self.eventsPerRendering
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
        let event = entry.event
        var bytes = event.approximateBytes
        if entries.used < renderedBytes {
            event.keepRendering()
            bytes += event.approximateRenderedBytes
        }
        entries.insert(entry, id: event.id, bytes: bytes)
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

    /// The share of one of `readerCount` readers, who have so many MB (of 1,000,000 bytes)
    /// together: two thirds of it for events, and the rest for nodes.
    init(megabytes: Int, readerCount: Int) {
        // No machine has as much memory as would overflow this.
        nodes = max(0, min(megabytes, 1_000_000)) * 1_000_000 / 3 / max(1, readerCount)
        events = 2 * nodes
    }
}

extension Event {
    /// About what it takes in memory, without a rendering.
    fileprivate var approximateBytes: Int {
        128 + attributes.name.approximateBytes + (attributes.address?.approximateBytes ?? 0)
    }

    /// About what its rendering takes: its texts may grow by being escaped, but seldom do.
    fileprivate var approximateRenderedBytes: Int {
        224 + attributes.name.utf8.count + (attributes.address?.utf8.count ?? 0)
    }
}

extension String {
    /// About what it takes in memory outside of the value itself, which holds 15 bytes.
    fileprivate var approximateBytes: Int {
        utf8.count > 15 ? utf8.count + 40 : 0
    }
}
