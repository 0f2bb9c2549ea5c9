import Model
import Threads

/// Tokens that were some user's when they were last looked up.
///
/// Each commit makes a reader forget the pages it had read, so that under a load of writes to look
/// a token up costs more than to write what it authorizes. One that was seen goes straight to the
/// writer, which looks it up in its own transaction; one that was not is looked up by a reader
/// first, so that made-up tokens never reach the writer.
final class SeenTokens: Sendable {
    /// Tokens that are kept, about 100 bytes each.
    private static let capacity = 16_384

    private let tokens = Mutex<Set<TokenDigest>>([])

    func contains(_ token: TokenDigest) -> Bool {
        tokens.withLock { tokens in tokens.contains(token) }
    }

    /// Keeps a token; when there are too many, the others are forgotten.
    func insert(_ token: TokenDigest) {
        tokens.withLock { tokens in
            if tokens.count >= Self.capacity { tokens.removeAll(keepingCapacity: true) }
            tokens.insert(token)
        }
    }
}
