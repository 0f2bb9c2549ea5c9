/// The reason why a request failed, in the model's terms.
///
/// Web maps each case to a status in one table; the storage maps its own errors to these.
package enum ModelError: ExplainedError, Equatable {
    /// No record has this id.
    case notFound
    /// The record belongs to another user.
    case forbidden
    /// An operator has banned the user from publishing.
    case banned
    /// The change contradicts what is stored, as the text says.
    case conflict(String)
    /// Attributes break rules.
    case invalid([AttributeError])
    /// The storage's queue of writes is full. Clients may see `reason`.
    case overloaded(reason: String)
    /// The storage can't do it now but may later, because its disk is full or has failed.
    ///
    /// Clients may see `reason`. An optional `cause` with details is for the log only.
    case unavailable(reason: String, cause: String? = nil)
    /// A limit of stored records is reached, which an operator must change; `seconds` is when to
    /// try again.
    case postponed(reason: String, seconds: Int)
    /// The storage can't be reached, which its event has reported, so that the log has `cause`.
    case unreachable(cause: String)
    /// The storage failed; `cause` is for the log only.
    case storage(cause: String)

    /// The error for a search that would exceed its limits.
    package static let tooBroad = ModelError.invalid([
        AttributeError("Query", "is too broad: add a radius, a bbox or a time window")
    ])

    /// The error of health checks of a database that `humon move` has closed.
    package static let closedForMove = ModelError.unavailable(
        reason:
            "The database rejects writes, because its records are being moved or were moved. Set "
            + "DATABASE_URL to the database that they were moved to, or run `humon move --reopen`."
    )

    package var explanation: String {
        switch self {
        case .notFound: "The record doesn't exist."
        case .banned: "The user is banned."
        case .conflict(let message): message
        case .forbidden: "The record belongs to another user."
        case .invalid(let errors): errors.map(\.sentence).joined(separator: "; ") + "."
        case .overloaded(let reason), .postponed(let reason, _): reason
        case .unavailable(let reason, let cause): cause.map { "\(reason) \($0)." } ?? reason
        case .unreachable(let cause): "The storage cannot be reached. \(cause)."
        case .storage(let cause): "The database failed: \(cause)."
        }
    }
}
