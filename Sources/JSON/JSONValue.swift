/// A parsed JSON document or a part of one.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// The text of a number as it was written (RFC 8259, section 6).
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The value with the members of its objects in the order of their names; O(n log n).
    package var sorted: JSONValue {
        switch self {
        case .null, .boolean, .number, .string: self
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { JSONObject.Member($0.key, $0.value.sorted) }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                )
            )
        }
    }

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
