/// The members of a JSON object in the order they were written, duplicates included.
package struct JSONObject: Equatable, Sendable {
    /// One name with its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSONValue

        init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package let members: [Member]

    init(members: [Member]) {
        self.members = members
    }

    /// The value of `key`, and the last one if it occurs more than once; nil if it does not occur.
    ///
    /// Keys are compared code unit by code unit (RFC 8259, section 8.3), not as Swift compares
    /// strings, to which the Kelvin sign is a K. O(n) in the number of members.
    package subscript(key: String) -> JSONValue? {
        members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
