/// A response, or the work that makes it.
///
/// A request that memory can answer then takes no asynchronous call, each of which costs more than
/// the lookup.
package enum EventualResponse: Sendable {
    case now(Response)
    case later(@Sendable () async -> Response)

    /// The response, once it is made.
    package var response: Response {
        get async {
            switch self {
            case .now(let response): response
            case .later(let respond): await respond()
            }
        }
    }
}
