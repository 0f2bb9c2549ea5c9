/// A response, or the work that makes it.
///
/// If the response is in memory, it then takes no asynchronous call, each of which costs more than
/// the lookup.
package enum EventualResponse: Sendable {
    /// The response, which is complete.
    case now(Response)
    /// A function that makes the response, to be called once on the connection's loop.
    ///
    /// A list waits for its turn and its memory first. `listSize` is its size at most, in bytes:
    /// nil if it is no list, and `.max` if the size is unknown.
    case later(listSize: Int? = nil, @Sendable () async -> Response)
}
