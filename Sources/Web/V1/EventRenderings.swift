import Model
import Threads

/// A cache of the JSON of events, so that popular events are copied and not rendered again.
///
/// A rendering is used for an event that is identical to the rendered one, so it can't be outdated.
/// Each thread has its own table and does not wait for others. Each id maps to one place, where a
/// new event replaces the old one. Long renderings are not cached, which bounds a table's memory.
final class EventRenderings: Sendable {
    private struct Rendering: Sendable {
        let event: Event
        let json: [UInt8]
    }

    /// The maximum size of a cached rendering, in bytes.
    private static let longest = 1024
    /// The memory of a place, in bytes: the longest rendering, the event, its texts and headers.
    ///
    /// The event and its texts may be referenced only here.
    private static let placeBytes = 2560
    /// The number of tables for each thread, so that threads rarely share one.
    private static let tablesPerThread = 8

    private let tables: MutexArray<[Rendering?]>
    private let placeCount: Int

    /// Creates a cache for `threads` threads, which together use at most `bytes`.
    init(bytes: Int, threads: Int) {
        let threads = max(1, threads)
        placeCount = max(0, bytes) / threads / Self.placeBytes
        tables = MutexArray(count: threads * Self.tablesPerThread) { [] }
    }

    /// Returns the JSON of an event, and calls `render` if it is not cached.
    func json(of event: Event, render: (Event) -> [UInt8]) -> [UInt8] {
        guard placeCount > 0 else { return render(event) }
        return tables.withLock(at: POSIXThread.number) { table in
            json(of: event, in: &table, render)
        }
    }

    /// Calls `use` with the JSON of each event in turn, and `render` for each one that is not
    /// cached.
    func forEach(
        _ events: [Event],
        render: (Event) -> [UInt8],
        use: ([UInt8]) -> Void
    ) {
        guard placeCount > 0 else { return events.forEach { event in use(render(event)) } }
        tables.withLock(at: POSIXThread.number) { table in
            for event in events { use(json(of: event, in: &table, render)) }
        }
    }

    @inline(__always)
    private func json(
        of event: Event,
        in table: inout [Rendering?],
        _ render: (Event) -> [UInt8]
    ) -> [UInt8] {
        if table.isEmpty { table = Array(repeating: nil, count: placeCount) }
        let place = Int(UInt64(bitPattern: event.id) % UInt64(placeCount))
        if let known = table[place] {
            if known.event.isCopy(of: event) { return known.json }
            if known.event.isIdentical(to: event) {
                // From now on, copies of this event are recognized by their reference.
                table[place] = Rendering(event: event, json: known.json)
                return known.json
            }
        }
        let json = render(event)
        if json.count <= Self.longest { table[place] = Rendering(event: event, json: json) }
        return json
    }
}
