/// A value for a parameter of a statement, in one of SQLite's storage classes.
package enum Value: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null
}

extension Value {
    /// Returns the text, or null if it is nil.
    package static func text(orNull text: String?) -> Value {
        text.map(Value.text) ?? .null
    }

    /// Returns the number, or null if it is nil.
    package static func real(orNull number: Double?) -> Value {
        number.map(Value.real) ?? .null
    }

    /// Returns the integer, or null if it is nil.
    package static func integer(orNull integer: Int64?) -> Value {
        integer.map(Value.integer) ?? .null
    }
}
