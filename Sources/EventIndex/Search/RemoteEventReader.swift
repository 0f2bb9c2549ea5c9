import Model

/// A source of events with a long response time, such as a database on another machine.
package protocol RemoteEventReader {
    /// The events in memory, which a search reads without waiting; nil if there are none.
    var memory: MemoryEventReader? { get }

    /// Returns the matching events of a part of a sequence, in the sequence's order.
    ///
    /// `record` of a match identifies the event.
    func matches(of read: EventRead) async throws -> EventBatch
}

/// The matching events of a part of a sequence.
package struct EventBatch: Sendable {
    package let matches: [EventMatch]
    package let end: EventReadEnd

    package init(_ matches: [EventMatch], _ end: EventReadEnd) {
        self.matches = matches
        self.end = end
    }
}

extension EventSearch {
    /// Returns the page that `page(in:)` returns.
    ///
    /// The search itself is the one for sources in memory. It runs up to the first read with an
    /// unknown result, and begins again once that is known: it needs much less time than the
    /// reader.
    package func page(in reader: some RemoteEventReader) async throws -> FoundPage {
        try await KnownBatches.replay(reader) { known in try page(in: known) }
    }
}

extension ClusterSearch {
    /// Returns the clusters that `clusters(in:)` returns, as `EventSearch` returns its page.
    package func clusters(in reader: some RemoteEventReader) async throws -> [FoundCluster] {
        try await KnownBatches.replay(reader) { known in try clusters(in: known) }
    }
}

/// A read of a search whose result is not known yet.
private struct UnknownBatch: Error {
    let read: EventRead
}

/// What a search has read so far, which it reads again in the same order.
private final class KnownBatches: EventReader {
    private let memory: MemoryEventReader?
    private var batches: [EventBatch] = []
    /// The number of remote reads of the present run of the search.
    private var position = 0

    private init(_ memory: MemoryEventReader?) {
        self.memory = memory
    }

    /// Returns the result of a search once all its reads are known.
    static func replay<Result>(
        _ reader: some RemoteEventReader,
        _ search: (KnownBatches) throws -> Result
    ) async throws -> Result {
        let known = KnownBatches(reader.memory)
        while true {
            do {
                return try search(known)
            } catch let read as UnknownBatch {
                known.batches.append(try await reader.matches(of: read.read))
                known.position = 0
            }
        }
    }

    var hasPlacesInMemory: Bool { memory != nil }

    var rowCost: Int { memory?.rowCost ?? 1 }

    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        if let memory, hasInMemory(read.sequence) {
            return memory.forEachMatch(of: read, takeGroup, body)
        }
        guard position < batches.count else { throw UnknownBatch(read: read) }
        let batch = batches[position]
        position += 1
        for match in batch.matches { body(match) }
        return batch.end
    }
}
