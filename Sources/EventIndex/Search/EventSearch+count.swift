import Model

extension EventSearch {
    /// Returns the number of matching events, up to `EventQuery.maximumCount`.
    func count(
        in reader: any EventReader,
        _ page: FoundPage,
        _ allowance: inout Allowance
    ) throws -> EventCount {
        if let count = page.count { return count }
        if query.start == nil, page.next == nil {
            return EventCount(page.matches.count, isExact: true)
        }
        let maximum = EventQuery.maximumCount
        var greatest = 0
        for sequence in lists(hasPlacesInMemory: reader.hasPlacesInMemory) {
            let isInMemory = reader.hasInMemory(sequence)
            var count = 0
            let read = EventRead(
                sequence: sequence,
                filter: query.filter,
                maximumReads: allowance.rest(inMemory: isInMemory),
                maximumMatches: maximum + 1
            )
            guard read.maximumReads > 0 else { continue }
            let end = try reader.forEachMatch(of: read) { _ in count += 1 }
            allowance.spend(end.cost, inMemory: isInMemory)
            if count > maximum { return EventCount(maximum, isExact: false) }
            if end.isComplete { return EventCount(count, isExact: true) }
            greatest = max(greatest, count)
        }
        guard allowsPartialPages else { throw SearchExceeded() }
        return EventCount(max(greatest, page.matches.count), isExact: false)
    }
}
