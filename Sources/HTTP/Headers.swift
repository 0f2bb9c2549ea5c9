/// Header fields in the order in which they arrived or will be sent (RFC 9110 section 5).
///
/// Names are kept in lower case, so that a comparison is one of plain strings; HTTP/1.1 and every
/// known client compare them without regard to case.
package struct Headers: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// The value of the first field of this lower-case name, in O(n).
    package subscript(name: String) -> String? {
        for field in fields where field.name == name { return field.value }
        return nil
    }

    /// The values of all fields of this lower-case name as one list (RFC 9110 section 5.3).
    ///
    /// Returns nil if no field has this name. O(n).
    package func list(_ name: String) -> String? {
        var list: String?
        for field in fields where field.name == name {
            list = list.map { "\($0), \(field.value)" } ?? field.value
        }
        return list
    }

    /// Appends a field; `name` must be in lower case.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Gives the first field of this lower-case name another value, or appends one, in O(n).
    package mutating func replace(_ name: String, with value: String) {
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields[index] = Field(name: name, value: value)
        } else {
            append(name, value)
        }
    }

    /// Makes room for `count` fields at once.
    package mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    /// The fields of a literal, in its order; names must be in lower case.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}
