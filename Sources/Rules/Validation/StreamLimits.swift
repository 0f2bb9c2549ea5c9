/// The limits of streams of changes and of requests that wait for changes.
package struct StreamLimits: Equatable, Sendable {
    /// The number of streams and waiting requests.
    package var all = 5000
    /// The number of streams and waiting requests of one address.
    package var address = 500
    /// The number of streams of one token; a further one ends the oldest.
    package var token = 8
    /// The time after which a stream without changes sends its position, in s.
    package var heartbeatSeconds = 20

    package init() {}
}
