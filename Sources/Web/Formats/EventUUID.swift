import Rules
import Sodium

/// The UUIDs of events and feeds, which identify them for other programs.
///
/// They depend on the database, and not on the server's address.
enum EventUUID {
    static func text(ofEvent id: Int64, _ installation: String) -> String {
        text(installation + "/events/" + String(id))
    }

    /// Returns the UUID of the feed with these filters.
    static func text(ofFeed filters: String, _ installation: String) -> String {
        text(installation + "/events?" + filters)
    }

    private static func text(_ name: String) -> String {
        UUIDText.version8(from: Array(SHA256.digest(of: name).prefix(16)))
    }
}
