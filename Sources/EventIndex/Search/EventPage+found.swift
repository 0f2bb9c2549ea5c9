package import Model

extension EventPage {
    /// Creates the page of what a search has found.
    ///
    /// - Parameters:
    ///   - found: What the search has found.
    ///   - query: The query.
    ///   - contents: The content of each match, nil for an event that was deleted meanwhile.
    package init(
        _ found: FoundPage,
        _ query: EventQuery,
        _ contents: [FoundEvent.Content?]
    ) {
        var rows: [FoundEvent] = []
        rows.reserveCapacity(contents.count)
        for (match, content) in zip(found.matches, contents) {
            guard let content else { continue }
            let direction = query.filter.origin.map { origin in
                Direction(from: origin, to: match.point, millimetres: match.millimetres)
            }
            rows.append(FoundEvent(content: content, direction: direction))
        }
        self.init(rows: rows, next: found.next, count: found.count)
    }
}
