import Events
import HTTP
import System

/// The entity tags of recent responses, to return 304 without a search.
///
/// Tags are computed from the bytes, so they are the same in every process and after a restart.
/// The cache only saves computing them again.
final class KnownTags: Sendable {
    /// The parameters of a response.
    struct Key: Hashable, Sendable {
        let format: EventFormat
        /// The path and all parameters, after a proxy's prefix or, if the response depends on it,
        /// after the address.
        let link: String
        /// The start of the time window, in ms since 1970.
        let from: Int64?
        /// The end of the time window, in ms since 1970.
        let to: Int64?
        let userID: Int64?
    }

    private struct Tag {
        let text: String
        let state: EventsState
    }

    private static let capacity = 4096
    /// The size of the longest link, so that all tags take at most 8 MB.
    ///
    /// A polygon of 64 corners takes 1.5 kB.
    static let maximumLinkBytes = 2048
    private let tags = Mutex<[Key: Tag]>([:])

    /// Returns the tag of a response from this state of the events.
    func tag(of key: Key, at state: EventsState) -> String? {
        tags.withLock { tags in
            guard let tag = tags[key], tag.state == state else { return nil }
            return tag.text
        }
    }

    /// Stores the tag of a response from this state of the events, unless the link is too long.
    func remember(_ text: String, of key: Key, at state: EventsState) {
        guard key.link.utf8.count <= Self.maximumLinkBytes else { return }
        tags.withLock { tags in
            if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
            tags[key] = Tag(text: text, state: state)
        }
    }
}
