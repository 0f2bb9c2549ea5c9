package import Rules

/// A store of the codes that let users attend an event that they can't see.
///
/// Failures are as in `UserStore`.
package protocol InvitationStore: Sendable {
    /// Adds a code to the user's own event.
    ///
    /// - Parameters:
    ///   - code: The digest of the code, which is all that is stored of it.
    ///   - event: The id of the event.
    ///   - ownerID: The id of the user.
    ///   - replaces: Whether this closes all earlier codes of the event.
    /// - Throws: `ModelError.notFound` if there is no such event or the user can't see it,
    ///   `.forbidden` if another user owns it, and `.invalid` if it has as many codes as are
    ///   allowed.
    func add(
        _ code: TokenDigest,
        toEvent event: Int64,
        ownerID: Int64,
        replaces: Bool
    ) async throws

    /// Closes all codes of the user's own event, even if it has none.
    ///
    /// Throws `ModelError.notFound` and `.forbidden` as `add` does.
    func closeAll(ofEvent event: Int64, ownerID: Int64) async throws

    /// Returns the user's attendance of the event with a code, and creates it if it doesn't exist.
    ///
    /// - Parameters:
    ///   - code: The digest of the code.
    ///   - eventID: The event that it must be for; nil for any.
    ///   - userID: The id of the user.
    /// - Returns: The attendance.
    /// - Throws: `ModelError.notFound` if no such event has the code.
    func join(_ code: TokenDigest, eventID: Int64?, userID: Int64) async throws -> Attendance
}

extension ModelError {
    /// The number of codes that an event can have.
    package static let mostInvitations = 100

    /// The error for one code too many.
    package static let tooManyInvitations = ModelError.invalid([
        AttributeError(
            "Invitations",
            Violation(predicate: "are too many (maximum is \(mostInvitations))")
        )
    ])
}
