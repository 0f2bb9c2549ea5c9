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
}
