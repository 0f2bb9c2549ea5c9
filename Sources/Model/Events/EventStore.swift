package import Events

/// A store of events that finds those near a point.
///
/// Failures are as in `UserStore`. A viewer is the id of a user, or nil for anybody: only the owner
/// and the users who attend it can see a private event, and only the owner a hidden one. Users
/// don't see the events of users that they block. Only searches have admins as viewers.
package protocol EventStore: Sendable {
    /// Returns the event with this id, or nil if it doesn't exist.
    func find(_ id: Int64) async throws -> Event?

    /// Returns the event with this id and its creation and change times, or nil if the viewer can't
    /// see one.
    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent?

    /// Returns a page of the events that match a query.
    ///
    /// Consecutive pages never repeat or omit an event that doesn't change in the meantime.
    ///
    /// Distances are great circles on a sphere of 6371.0 km, in whole millimetres.
    ///
    /// - Throws: `ModelError.invalid` if the search would exceed its limits, `.overloaded` if too
    ///   many long searches are waiting, and `.unavailable` if the events are not loaded in time.
    func page(_ query: EventQuery) async throws -> EventPage

    /// Returns the number of matching events in each cell of a map, without empty cells.
    ///
    /// Clusters are ordered by count, highest first, and ties by the id of their event. Throws the
    /// same errors as `page`.
    func clusters(_ query: ClusterQuery) async throws -> [EventCluster]

    /// Returns whether the user with a token has blocks; true while that is unknown.
    func isBlocker(_ token: TokenDigest) async throws -> Bool

    /// Returns the event with this id that everybody can see, in the representation for clients.
    ///
    /// Returns nil if the user with the token, if there is one, blocks its owner, or may do so.
    func representation(of id: Int64, for token: TokenDigest?) async throws -> [UInt8]?

    /// Returns what `representation` returns if it is in memory and the user with the token, if
    /// there is one, doesn't block its owner.
    ///
    /// Nil doesn't mean that there is no such event.
    func representationInMemory(of id: Int64, for token: TokenDigest?) -> [UInt8]?

    /// Stores a new event of the user with this token and returns its id.
    ///
    /// Returns nil and stores nothing if no user has the token when the event is stored. Throws
    /// `ModelError.banned` if the user is banned.
    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64?

    /// Replaces the attributes of the user's own event with those that `change` returns.
    ///
    /// This is one transaction. Throws `ModelError.notFound` if the user can't see the event,
    /// `.forbidden` if it belongs to another user, or the error of `precondition`, in this order
    /// and before `change` is called.
    /// If `change` throws, its error is thrown and nothing is changed.
    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>?,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws

    /// Deletes the user's own event with its attendances, and throws as `update` does.
    func delete(_ id: Int64, ownerID: Int64, if precondition: Precondition<Event>?) async throws
}

extension EventStore {
    /// Returns the `limit` nearest events within `radius` km of `origin`, nearest first.
    ///
    /// The radius is inclusive. Events at the same distance are in the order of their ids.
    package func nearest(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> [Event] {
        var query = EventQuery(nearestTo: origin, within: radius, limit: limit)
        query.needsEvents = true
        return try await page(query).rows.compactMap { row in
            if case .event(let dated) = row.content { dated.event } else { nil }
        }
    }
}
