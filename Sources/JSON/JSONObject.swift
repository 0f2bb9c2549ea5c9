/// The members of a JSON object in the order they were written, including duplicates.
package struct JSONObject: Equatable, Sendable {
    /// A name with its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package let members: [Member]

    package init(_ members: [Member]) {
        self.members = members
    }

    /// Returns the value of `key`, the last one if there are several, or nil.
    ///
    /// Keys are compared by code units (RFC 8259, section 8.3). Swift's comparison would treat the
    /// Kelvin sign as a K. O(n) in the number of members.
    package subscript(key: String) -> JSONValue? {
        // `==` rejects most keys quickly; the bytes decide.
        members.last { $0.key == key && $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
