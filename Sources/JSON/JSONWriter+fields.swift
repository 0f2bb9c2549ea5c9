extension JSONWriter {
    /// Writes a member that is a boolean, or null.
    package mutating func field(_ key: StaticString, _ boolean: Bool?) {
        self.key(key)
        value(boolean)
    }

    /// Writes a member that is an integer, or null.
    package mutating func field(_ key: StaticString, _ integer: Int?) {
        self.key(key)
        value(integer)
    }

    /// Writes a member that is an integer, or null.
    package mutating func field(_ key: StaticString, _ integer: Int64?) {
        self.key(key)
        value(integer)
    }

    /// Writes a member that is a number with a fraction, or null; see `value(_:)`.
    package mutating func field(_ key: StaticString, _ double: Double?) {
        self.key(key)
        value(double)
    }

    /// Writes a member that is a string, or null.
    package mutating func field(_ key: StaticString, _ string: String?) {
        self.key(key)
        value(string)
    }

    /// Writes a member that is an object with the members that `members` writes.
    package mutating func object(_ key: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.key(key)
        object(members)
    }

    /// Writes a member that is an array with the value that `write` writes for each element.
    package mutating func array<Element>(
        _ key: StaticString,
        _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.key(key)
        array(elements, write)
    }
}
