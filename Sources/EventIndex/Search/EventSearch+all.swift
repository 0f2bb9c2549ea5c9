import Cells
import Model

extension EventSearch {
    /// Returns the result of `body` for all matching events.
    ///
    /// `body` may be called several times, with a longer or another list each time. It gets a
    /// function that passes the matches of the list to its arguments, as the method of
    /// `EventReader` does, and returns whether the list was complete. `body` returns nil if not.
    ///
    /// - Throws: `SearchExceeded` if the search would exceed its bounds, and the errors of the
    ///   reader.
    func withAllMatches<Result>(
        in reader: any EventReader,
        _ body: (
            _ forEachMatch: (
                _ takeGroup: (EventGroup) -> Void, _ take: (EventMatch) -> Void
            ) throws -> Bool
        ) throws -> Result?
    ) throws -> Result {
        var allowance = Allowance(bounds)
        let lists = lists(hasPlacesInMemory: reader.hasPlacesInMemory)
        var tried: [Int] = Array(repeating: 0, count: lists.count)
        // With a single list, there is nothing to try first.
        let budgets =
            lists.count == 1
            ? [Int.max] : Self.budgets(hasPlacesInMemory: reader.hasPlacesInMemory)
        for budget in budgets {
            for (index, list) in lists.enumerated() {
                let isInMemory = reader.hasInMemory(list)
                let cost = isInMemory ? 1 : reader.rowCost
                let reads = min(budget / cost, allowance.rest(inMemory: isInMemory))
                guard reads > tried[index] else { continue }
                tried[index] = reads
                var read = EventRead(
                    sequence: list,
                    filter: query.filter,
                    maximumReads: reads
                )
                read.needsAll = true
                read.takesGroups = true
                let result = try body { takeGroup, take in
                    let end = try reader.forEachMatch(of: read, takeGroup, take)
                    allowance.spend(end.cost, inMemory: isInMemory)
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
        lists.append(hasPlacesInMemory ? .region : .places(filter.keyRanges ?? [CellKey.all]))
        if filter.window.from != nil { lists.append(.starts(filter.window)) }
        return lists
    }
}
