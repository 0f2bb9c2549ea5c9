/// All events in memory at one moment: those that everybody can see, and the others apart.
///
/// Searches read the private and the hidden ones only for admins, and for users who request their
/// own events. So what others find, and how long that takes, doesn't depend on them.
package struct AllEvents: Sendable {
    package private(set) var publicEvents: EventSnapshot
    /// The private events and the hidden ones.
    package private(set) var privateEvents: EventSnapshot
    /// The names and the blocks of all users.
    package private(set) var users = UserDirectory()
    /// The position of the log up to which these have all changes; nil if they are not from a
    /// database.
    package internal(set) var position: LogPosition?

    package init(keepsContents: Bool = true) {
        publicEvents = EventSnapshot(keepsContents: keepsContents)
        privateEvents = EventSnapshot(keepsContents: keepsContents)
    }

    /// Whether it keeps the contents of events.
    package var keepsContents: Bool { publicEvents.keepsContents }

    /// The memory of all events, in bytes.
    package var byteCount: Int { publicEvents.byteCount + privateEvents.byteCount }

    /// The part of it that is for their contents.
    package var contentBytes: Int { publicEvents.contentBytes + privateEvents.contentBytes }

    /// The number of terms that events have; those of public and private events are apart.
    var termCount: Int { publicEvents.termCount + privateEvents.termCount }

    /// The memory of the terms in bytes.
    var termBytes: Int { publicEvents.termBytes + privateEvents.termBytes }

    /// Whether the next changes may take some 15 ms more.
    var isApplyDue: Bool { publicEvents.isApplyDue || privateEvents.isApplyDue }

    /// Returns whether there is no copy, so that changes touch only what they change.
    mutating func isUnique() -> Bool {
        publicEvents.isUnique() && (privateEvents.isEmpty || privateEvents.isUnique())
    }

    /// Returns whether the content is that of a former copy.
    func isSame(as former: AllEvents) -> Bool {
        publicEvents.identity == former.publicEvents.identity
            && privateEvents.identity == former.privateEvents.identity
            && users.version == former.users.version
    }

    /// Applies what was read from the log.
    mutating func apply(_ read: LoggedEvents) {
        apply(read.changes)
        for user in read.users { users.apply(user) }
    }

    /// Applies a change of a user.
    mutating func apply(_ user: KnownUser) { users.apply(user) }

    /// Applies the changes in their order; later ones of the same event win.
    ///
    /// O(m log n) for m changes of n events.
    package mutating func apply(_ changes: [EventChange]) {
        if changes.isEmpty { return }
        let isPrivate = changes.map { $0.content?.isPublic == false }
        guard isPrivate.contains(true) || !privateEvents.isEmpty else {
            return publicEvents.apply(changes)
        }
        publicEvents.apply(zip(changes, isPrivate).map { $1 ? $0.removal : $0 })
        privateEvents.apply(zip(changes, isPrivate).map { $1 ? $0 : $0.removal })
    }

    /// The number of events; O(n).
    package var eventCount: Int { Self.count(of: publicEvents) + privateEventCount }

    /// The number of private events; O(n).
    var privateEventCount: Int { Self.count(of: privateEvents) }

    private static func count(of events: EventSnapshot) -> Int {
        var count = 0
        events.ids.forEachLeaf(in: KeyRange(first: .min, last: .max)) { _, indices in
            count += indices.count
            return true
        }
        return count
    }

    /// Returns the owner of the event with this id, or nil if it doesn't exist; O(log n).
    package func owner(of id: Int64) -> Int64? {
        publicEvents.owner(of: id) ?? privateEvents.owner(of: id)
    }

    /// Returns the place of the event with this id that everybody can see; O(log n).
    package func publicPlace(of id: Int64) -> Coordinate? { publicEvents.place(of: id) }

    /// Returns the ids of an owner's events; O(n) for n of these.
    package func eventIDs(ofOwner owner: Int64) -> [Int64] {
        publicEvents.eventIDs(ofOwner: owner) + privateEvents.eventIDs(ofOwner: owner)
    }

    /// Returns the number of events of an owner.
    package func eventCount(ofOwner owner: Int64) -> Int {
        publicEvents.eventCount(ofOwner: owner) + privateEvents.eventCount(ofOwner: owner)
    }

    // MARK: - Searches

    /// Returns a page of a query, with the private events if the query asks for them.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - attended: The ids of the events that the filter's attendee attends, in rising order.
    ///   - bounds: How much may be read of the public events, and as much of the private ones.
    /// - Returns: The page.
    /// - Throws: `SearchExceeded` if it would exceed the bounds.
    package func page(
        _ query: EventQuery,
        attended: [Int64]?,
        _ bounds: SearchBounds
    ) throws(SearchExceeded) -> FoundPage {
        var query = query
        restrict(&query.filter.viewer)
        let search = EventSearch(query, attended: attended, bounds)
        // None of the public events is hidden.
        if query.filter.isHidden == true, query.filter.viewer.isAdmin {
            return try search.page(in: privateEvents)
        }
        guard includesPrivateEvents(query.filter) else { return try search.page(in: publicEvents) }
        let page = try search.page(in: privateEvents)
        return page.merged(with: try search.page(in: publicEvents), query)
    }

    /// Returns the clusters of a query, with the private events if the query asks for them.
    ///
    /// The parameters and errors are those of `page`.
    package func clusters(
        _ query: ClusterQuery,
        attended: [Int64]?,
        _ bounds: SearchBounds
    ) throws(SearchExceeded) -> [FoundCluster] {
        var query = query
        restrict(&query.filter.viewer)
        let search = ClusterSearch(query, attended: attended, bounds)
        let isOwn = includesPrivateEvents(query.filter)
        return try search.clusters(in: isOwn ? [publicEvents, privateEvents] : [publicEvents])
    }

    /// Looks up the owners that a viewer blocks.
    private func restrict(_ viewer: inout EventViewer) {
        if !users.hasNoBlocks { viewer.blocked = users.owners(blockedBy: viewer.token) }
    }

    private func includesPrivateEvents(_ filter: EventFilter) -> Bool {
        (filter.viewer.userID != nil || filter.viewer.isAdmin) && !privateEvents.isEmpty
    }

    /// Returns the content of the event with this id that everybody can see.
    ///
    /// - Parameters:
    ///   - id: The id of the event.
    ///   - token: The digest of the viewer's token; nil without one.
    /// - Returns: The content; nil if it is not in memory, or if the viewer blocks its owner.
    package func publicContent(of id: Int64, for token: [UInt8]?) -> ArraySlice<UInt8>? {
        let blocked = users.owners(blockedBy: token)
        if !blocked.isEmpty, publicEvents.owner(of: id).map(blocked.contains) ?? true { return nil }
        return content(of: id, in: publicEvents)
    }

    /// Returns the content of an event with the name of its owner, if the owner has one.
    private func content(of id: Int64, in events: EventSnapshot) -> ArraySlice<UInt8>? {
        guard let content = events.content(of: id) else { return nil }
        guard !users.names.isEmpty, let owner = events.owner(of: id) else { return content }
        return users.naming(owner, in: content)
    }

    /// Returns the events of the matches of a filter, or nil if the contents of all are not kept:
    /// then read the rows of the matches by their ids.
    ///
    /// `origin` is the point that they have directions from, if any.
    package func events(
        of matches: [EventMatch],
        _ filter: EventFilter,
        _ origin: DirectionOrigin?
    ) -> [FoundEvent]? {
        guard includesPrivateEvents(filter) else {
            return publicEvents.events(of: matches, from: origin, users)
        }
        var events: [FoundEvent] = []
        for match in matches {
            guard
                let content = content(of: match.id, in: publicEvents)
                    ?? content(of: match.id, in: privateEvents)
            else { return nil }
            events.append(match.event(.json(content), from: origin))
        }
        return events
    }
}

extension EventChange {
    /// The removal of the event.
    fileprivate var removal: EventChange { EventChange(id: id, content: nil) }
}

extension FoundPage {
    /// Returns the page of all matches of two pages of the same query, each of other events.
    ///
    /// It ends where the first of the two ends, because later matches of that one are unknown.
    fileprivate func merged(with other: FoundPage, _ query: EventQuery) -> FoundPage {
        let (order, isDescending) = (query.order, query.order.isDescending)
        let ends = [next, other.next].compactMap(\.self)
        let end = ends.min { $0.precedes($1, isDescending: isDescending) }
        let known = (matches + other.matches).map { ($0.position(in: order), $0) }
            .filter { position, _ in end?.precedes(position, isDescending: isDescending) != true }
            .sorted { $0.0.precedes($1.0, isDescending: isDescending) }
        let isCut = known.count > query.limit
        return FoundPage(
            matches: known.prefix(query.limit).map(\.1),
            next: isCut ? known[query.limit - 1].0 : end,
            count: count.flatMap { count in other.count.map { count.adding($0) } }
        )
    }
}

extension EventCount {
    fileprivate func adding(_ other: EventCount) -> EventCount {
        let sum = count + other.count
        let maximum = EventQuery.maximumCount
        return EventCount(min(sum, maximum), isExact: isExact && other.isExact && sum <= maximum)
    }
}
