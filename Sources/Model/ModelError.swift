/// Why a request could not be carried out, in the model's terms.
///
/// Web maps each case to a status in one table; the storage maps its own errors to these.
package enum ModelError: ExplainedError, Equatable {
    /// No record has this id.
    case notFound
    /// The record is another user's.
    case forbidden
    /// The attributes break rules.
    case invalid([AttributeError])
    /// As many wait for the storage as may; `reason` may be shown to a client.
    case overloaded(reason: String)
    /// The storage can't do it now but may later: its disk is full, or has failed.
    /// `reason` may be shown to a client; `cause`, if there is more to say, is for the log only.
    case unavailable(reason: String, cause: String? = nil)
    /// The storage failed; `cause` is for the log only.
    case storage(cause: String)

    package var explanation: String {
        switch self {
        case .notFound: "The record doesn't exist."
        case .forbidden: "The record belongs to another user."
        case .invalid(let errors): errors.map(\.sentence).joined(separator: "; ") + "."
        case .overloaded(let reason): reason
        case .unavailable(let reason, let cause): cause.map { "\(reason) \($0)." } ?? reason
        case .storage(let cause): "The database failed: \(cause)."
        }
    }
}
