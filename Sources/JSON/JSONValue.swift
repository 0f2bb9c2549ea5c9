/// A parsed JSON document or a part of one.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// The text of a number as it was written (RFC 8259, section 6).
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}
