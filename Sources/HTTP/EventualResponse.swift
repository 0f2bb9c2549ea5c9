/// A response, or the work that makes it.
///
/// If the response is in memory, it then takes no asynchronous call, each of which costs more than
/// the lookup.
package enum EventualResponse: Sendable {
    case now(Response)
    case later(@Sendable () async -> Response)
}
