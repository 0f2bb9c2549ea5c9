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

    /// How many of the events keep their rendering.
    private let renderings: Int
    private var entries: KeptByID<Entry>
    private var nodes: KeptByID<[UInt8]>

    private init(_ limits: EventCacheLimits) {
        renderings = limits.renderings
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
        if entries.count < renderings { entry.event.keepRendering() }
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
    /// What an event takes, in bytes, with its place in the table.
    private static let eventBytes = 300
    /// What a node of the tree takes, in bytes; some 36 events lie in one.
    private static let nodeBytes = 1200
    /// Of so many events the first keeps its rendering, too.
    private static let eventsPerRendering = 12

    let events: Int
    let renderings: Int
    let nodes: Int

    /// The share of one of `readerCount` readers, who have so many MB (of 1,000,000 bytes)
    /// together: two thirds of it for events, and the rest for nodes.
    init(megabytes: Int, readerCount: Int) {
        // No machine has as much memory as would overflow this.
        let third = max(0, min(megabytes, 1_000_000)) * 1_000_000 / 3 / max(1, readerCount)
        events = 2 * third / Self.eventBytes
        renderings = events / Self.eventsPerRendering
        nodes = third / Self.nodeBytes
    }
}
