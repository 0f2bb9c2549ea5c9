import Model
import Sodium

/// The UUIDs by which other programs know events and feeds: the same on every server that has the
/// same database, whatever its address is.
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
