import Cells
import Model

extension EventSearch {
    /// Returns what `body` makes of all matching events.
    ///
    /// `body` is called again with a longer or another list until one is complete. It gets a
    /// function that calls its argument with each match of a list, and returns whether these are
    /// all. It returns nil if they are not. Throws `SearchExceeded` if the search would exceed its
    /// bounds, and the errors of the reader.
    func withAllMatches<Result>(
        in reader: any EventReader,
        _ body: (_ forEachMatch: (_ take: (EventMatch) -> Void) throws -> Bool) throws
            -> Result?
    ) throws -> Result {
        var allowance = Allowance(bounds)
        let lists = lists(hasPlacesInMemory: reader.hasPlacesInMemory)
        var tried: [Int] = Array(repeating: 0, count: lists.count)
        // All of a single list is needed, so there is nothing to try first.
        let attempts = lists.count == 1 ? [Int.max] : Self.attempts
        for attempt in attempts {
            for (index, list) in lists.enumerated() {
                let isInMemory = list.isInMemory
                let cost = isInMemory ? 1 : reader.rowCost
                let reads = min(attempt / cost, allowance.rest(inMemory: isInMemory))
                guard reads > tried[index] else { continue }
                tried[index] = reads
                let read = EventRead(
                    sequence: list,
                    filter: query.filter,
                    maximumReads: reads
                )
                let result = try body { take in
                    let end = try reader.forEachMatch(of: read, take)
                    allowance.spend(end.count, inMemory: isInMemory)
                    return end.isComplete
                }
                if let result { return result }
            }
        }
        throw SearchExceeded()
    }

    /// Returns the sequences that have all matching events, those that are usually short first.
    func lists(hasPlacesInMemory: Bool) -> [EventSequence] {
        let filter = query.filter
        if let attendee = filter.attendeeID { return [.attended(by: attendee)] }
        var lists: [EventSequence] = []
        if let owner = filter.ownerID { lists.append(.owned(by: owner)) }
        lists.append(hasPlacesInMemory ? .region : .places(regionRanges ?? [CellKey.all]))
        if filter.window.from != nil { lists.append(.starts(filter.window)) }
        return lists
    }
}
