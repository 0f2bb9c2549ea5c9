/// A parsed JSON document or a part of one.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}
