import Bytes

extension JSONWriter {
    /// Writes a parsed value without white space; numbers stay as they were written.
    ///
    /// Recurses once per nesting level, as the parser does. It writes the members of objects in the
    /// order of their names if `isSorted` is true; O(n log n) then.
    package mutating func value(_ json: JSONValue, isSorted: Bool = false) {
        switch json {
        case .null: null()
        case .boolean(let boolean): value(boolean)
        case .number(let number): encoded(Array(number.utf8).span)
        case .string(let text): value(text)
        case .array(let elements): array(elements) { $0.value($1, isSorted: isSorted) }
        case .object(let object):
            var members = object.members
            if isSorted { members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
            self.object { writer in
                for member in members {
                    writer.key(text: member.key)
                    writer.value(member.value, isSorted: isSorted)
                }
            }
        }
    }

    /// Writes `null`.
    package mutating func null() {
        write { $0.append("null") }
    }

    /// Writes `true` or `false`, or `null` for nil.
    package mutating func value(_ boolean: Bool?) {
        guard let boolean else { return null() }
        write { $0.append(boolean ? "true" : "false") }
    }

    /// Writes an integer, or `null` for nil.
    package mutating func value(_ integer: Int?) {
        value(integer.map(Int64.init))
    }

    /// Writes an integer, or `null` for nil.
    package mutating func value(_ integer: Int64?) {
        guard let integer else { return null() }
        write { $0.append(decimal: integer) }
    }

    /// Writes a number in the shortest form that parses to the same Double, with a decimal point.
    ///
    /// Examples are `1.0` and `1.0e-07`. It writes `null` for nil, infinity and NaN.
    package mutating func value(_ double: Double?) {
        guard let double, double.isFinite else { return null() }
        write { $0.append(shortest: double) }
    }

    /// Writes a string, or `null` for nil; escapes only what RFC 8259, section 7, requires.
    package mutating func value(_ string: String?) {
        guard let string else { return null() }
        write { $0.append(quoting: string) }
    }
}
