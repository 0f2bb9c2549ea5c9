extension JSONWriter {
    /// Writes a member with a boolean or null.
    package mutating func field(_ key: StaticString, _ boolean: Bool?) {
        self.key(key)
        value(boolean)
    }

    /// Writes a member with an integer or null.
    package mutating func field(_ key: StaticString, _ integer: Int?) {
        self.key(key)
        value(integer)
    }

    /// Writes a member with an integer or null.
    package mutating func field(_ key: StaticString, _ integer: Int64?) {
        self.key(key)
        value(integer)
    }

    /// Writes a member with a floating-point number or null; see `value(_:)`.
    package mutating func field(_ key: StaticString, _ double: Double?) {
        self.key(key)
        value(double)
    }

    /// Writes a member with a number of units of 10⁻ⁿ, or null.
    ///
    /// `units` is 0 or more and less than 10¹⁵. The result is that of the Double with this value.
    package mutating func field(_ key: StaticString, units: Int64?, decimals: Int) {
        self.key(key)
        guard let units else { return null() }
        write { $0.append(units: units, decimals: decimals) }
    }

    /// Writes a member with a string or null.
    package mutating func field(_ key: StaticString, _ string: String?) {
        self.key(key)
        value(string)
    }

    /// Writes a member with an object, whose members `members` writes.
    package mutating func object(_ key: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.key(key)
        object(members)
    }

    /// Writes a member with an array, whose values `write` writes.
    package mutating func array<Element>(
        _ key: StaticString,
        _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.key(key)
        array(elements, write)
    }
}
