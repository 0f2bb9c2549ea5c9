/// A value bound to a parameter of a statement, of one of SQLite's five storage classes.
package enum Value: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null
}

extension Value {
    /// The text, or null if there is none.
    package static func text(orNull text: String?) -> Value {
        text.map(Value.text) ?? .null
    }

    /// The number, or null if there is none.
    package static func real(orNull number: Double?) -> Value {
        number.map(Value.real) ?? .null
    }

    /// The integer, or null if there is none.
    package static func integer(orNull integer: Int64?) -> Value {
        integer.map(Value.integer) ?? .null
    }
}
