import Model
import Threads

/// A set of tokens that belonged to a user when they were last looked up.
///
/// After each commit, a reader drops its cached pages. Under a load of writes, looking up a token
/// therefore costs more than the write that it authorizes. A token in this set goes straight to the
/// writer, which looks it up in its own transaction. Other tokens are looked up by a reader first,
/// so that made-up tokens never reach the writer.
final class SeenTokens: Sendable {
    /// The maximum number of tokens, about 100 bytes each.
    private static let capacity = 16_384

    private let tokens = Mutex<Set<TokenDigest>>([])

    func contains(_ token: TokenDigest) -> Bool {
        tokens.withLock { tokens in tokens.contains(token) }
    }

    /// Inserts a token, and removes all others if the set is full.
    func insert(_ token: TokenDigest) {
        tokens.withLock { tokens in
            if tokens.count >= Self.capacity { tokens.removeAll(keepingCapacity: true) }
            tokens.insert(token)
        }
    }
}
