/// Header fields in the order in which they arrived or will be sent (RFC 9110 section 5).
///
/// Names are stored in lower case, because they are case-insensitive.
package struct Headers: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        /// Returns whether the field has this lower-case name.
        ///
        /// Most names differ in length, which needs no comparison of strings.
        func isNamed(_ name: String) -> Bool {
            self.name.utf8.count == name.utf8.count && self.name == name
        }
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// Returns the value of the first field with this lower-case name; O(n).
    package subscript(name: String) -> String? {
        let fields = fields.span
        for index in fields.indices where fields[index].isNamed(name) { return fields[index].value }
        return nil
    }

    /// Joins the values of all fields with this lower-case name to a list (RFC 9110 section 5.3).
    ///
    /// Returns nil if no field has this name. O(n).
    package func list(_ name: String) -> String? {
        var list: String?
        let fields = fields.span
        for index in fields.indices where fields[index].isNamed(name) {
            let value = fields[index].value
            list = list.map { "\($0), \(value)" } ?? value
        }
        return list
    }

    /// Appends a field; `name` must be in lower case.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces the value of the first field with this lower-case name, or appends a field; O(n).
    package mutating func replace(_ name: String, with value: String) {
        if let index = fields.firstIndex(where: { $0.isNamed(name) }) {
            fields[index] = Field(name: name, value: value)
        } else {
            append(name, value)
        }
    }

    /// Reserves space for `count` fields.
    package mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    /// Creates the fields of a literal, in order; names must be in lower case.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}
