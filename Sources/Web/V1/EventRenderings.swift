import Model
import Threads

/// The JSON of events that were rendered before, so that popular events are copied and not rendered
/// again.
///
/// A rendering is used for an event that is identical to the rendered one, so it can't be outdated.
/// Each thread has its own table and does not wait for others. Each id maps to one place, where a
/// new event replaces the old one. The memory of a table is bounded because long renderings are not
/// kept.
final class EventRenderings: Sendable {
    private struct Rendering: Sendable {
        let event: Event
        let json: [UInt8]
    }

    /// The longest rendering that is kept, in bytes.
    private static let longest = 1024
    /// The memory of a place, in bytes: the longest rendering, the event and its texts, which may
    /// be held only here, and their headers.
    private static let placeBytes = 2560
    /// Tables for each thread, so that threads seldom have the same one, whatever their numbers.
    private static let tablesPerThread = 8

    private let tables: MutexArray<[Rendering?]>
    private let placeCount: Int

    /// Renderings for `threads` threads, which take so many bytes together at the most.
    init(bytes: Int, threads: Int) {
        let threads = max(1, threads)
        placeCount = max(0, bytes) / threads / Self.placeBytes
        tables = MutexArray(count: threads * Self.tablesPerThread) { [] }
    }

    /// The JSON of an event, which `render` makes where it is not known.
    func json(of event: Event, render: (Event) -> [UInt8]) -> [UInt8] {
        guard placeCount > 0 else { return render(event) }
        return tables.withLock(at: Thread.number) { table in
            json(of: event, in: &table, render)
        }
    }

    /// Calls `use` with the JSON of each event in turn, which `render` makes where it is not known.
    func forEach(
        _ events: [Event],
        render: (Event) -> [UInt8],
        use: ([UInt8]) -> Void
    ) {
        guard placeCount > 0 else { return events.forEach { event in use(render(event)) } }
        tables.withLock(at: Thread.number) { table in
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
                // Its copies are told by their reference from now on.
                table[place] = Rendering(event: event, json: known.json)
                return known.json
            }
        }
        let json = render(event)
        if json.count <= Self.longest { table[place] = Rendering(event: event, json: json) }
        return json
    }
}
