/// A response, or the work that makes it.
///
/// If the response is in memory, it then takes no asynchronous call, each of which costs more than
/// the lookup.
package enum EventualResponse: Sendable {
    /// The response, which is complete.
    case now(Response)
    /// A function that makes the response, to be called once on the connection's loop.
    ///
    /// If it may be a long list, it waits for its turn and its memory first.
    case later(isList: Bool = false, @Sendable () async -> Response)
}
