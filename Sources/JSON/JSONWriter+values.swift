extension JSONWriter {
    /// Writes `null`.
    package mutating func null() {
        write { $0.append("null") }
    }

    /// Writes `true`, `false` or, for nil, `null`.
    package mutating func value(_ boolean: Bool?) {
        guard let boolean else { return null() }
        write { $0.append(boolean ? "true" : "false") }
    }

    /// Writes an integer or, for nil, `null`.
    package mutating func value(_ integer: Int?) {
        value(integer.map(Int64.init))
    }

    /// Writes an integer or, for nil, `null`.
    package mutating func value(_ integer: Int64?) {
        guard let integer else { return null() }
        write { $0.append(decimal: integer) }
    }

    /// Writes a number in the shortest form that reads back as the same Double, and always with a
    /// decimal point: `1.0`, `1.0e-07`.
    ///
    /// Writes `null` for nil, and for what JSON has no number for: infinity and NaN.
    package mutating func value(_ double: Double?) {
        guard let double, double.isFinite else { return null() }
        write { $0.append(shortest: double) }
    }

    /// Writes a string or, for nil, `null`; escapes only what RFC 8259, section 7, says must be.
    package mutating func value(_ string: String?) {
        guard let string else { return null() }
        write { $0.append(quoting: string) }
    }
}
