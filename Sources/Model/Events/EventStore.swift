/// Stores events and finds those near a point.
///
/// Failures are as in `UserStore`.
package protocol EventStore: Sendable {
    func find(_ id: Int64) async throws -> Event?

    /// The events within `radius` km of `origin`, inclusive, nearest first and ties by id; at most
    /// the `limit` nearest. The distance is the great circle's on a sphere of 6371.0 km.
    ///
    /// Costs O(log n + m) for n events and m results, whatever the radius.
    func nearest(to origin: Coordinate, within radius: Double, limit: Int) async throws -> [Event]

    /// Stores a new event of the user with this token and returns its id; nil, with nothing stored,
    /// if no user has the token when the event is stored.
    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64?

    /// Replaces the attributes of the user's own event by what `change` makes of them, in one
    /// transaction; what `change` throws is thrown and nothing is changed.
    ///
    /// Throws `ModelError.notFound` or, if the event is another user's, `.forbidden`, or what
    /// `precondition` throws, in this order and before `change` is called.
    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>?,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws

    /// Deletes the user's own event with its attendances; throws as `update` does.
    func delete(_ id: Int64, ownerID: Int64, if precondition: Precondition<Event>?) async throws
}
