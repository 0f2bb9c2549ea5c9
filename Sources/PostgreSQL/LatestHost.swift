import System

/// The host of a URL that has accepted the latest connection.
///
/// Another one may not respond at all, and each connection that begins with it would wait for it.
final class LatestHost: Sendable, Equatable {
    private let state = Mutex((index: 0, isReadOnly: false))

    /// Its index in the URL; 0 before the first connection.
    var index: Int { state.withLock { $0.index } }
    /// Whether it was used although it accepts no writes.
    var isReadOnly: Bool { state.withLock { $0.isReadOnly } }

    func note(_ index: Int) { state.withLock { $0.index = index } }

    func noteReadOnly() { state.withLock { $0.isReadOnly = true } }

    /// Returns true, because URLs with the same parameters are equal.
    static func == (one: LatestHost, other: LatestHost) -> Bool { true }
}
