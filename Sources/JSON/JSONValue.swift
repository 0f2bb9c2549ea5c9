/// A parsed JSON document or a part of one.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// The text of a number as it was written (RFC 8259, section 6).
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Returns the first key that an object in it has twice, or nil; O(n).
    package var repeatedKey: String? {
        switch self {
        case .null, .boolean, .number, .string: return nil
        case .array(let elements): return elements.lazy.compactMap(\.repeatedKey).first
        case .object(let object):
            var seen: Set<[UInt8]> = []
            for member in object.members {
                guard seen.insert(Array(member.key.utf8)).inserted else { return member.key }
                if let key = member.value.repeatedKey { return key }
            }
            return nil
        }
    }
}
