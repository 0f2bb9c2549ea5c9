import CUTF8Proc

/// A word of a folded text, or neighbouring ones that belong together, as ranges of characters.
enum WordGroup {
    /// A word of letters, numbers and marks, or one symbol such as an emoji.
    case word(Range<Int>)

    /// Two or more words joined by single apostrophes or hyphens.
    case compound([Range<Int>])

    /// One or more units of a script without spaces, each a character with the marks after it.
    case run([Range<Int>])
}

/// The groups of words in a folded text.
struct WordGroups: Sequence, IteratorProtocol {
    private enum Kind {
        case letter, number, mark, symbol, other
        /// A letter or number of a script without spaces.
        case unit

        var isInWord: Bool { self == .number || isBesideJoint }
        var isBesideJoint: Bool { self == .letter || self == .mark }
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: FoldedText) {
        scalars = text.scalars
    }

    /// Returns the next group; O(n) in its length and in what is before it.
    mutating func next() -> WordGroup? {
        while position < scalars.count {
            switch kind(at: position) {
            case .unit: return .run(units())
            case .letter, .number, .mark:
                let first = word()
                return isJoint ? .compound(parts(after: first)) : .word(first)
            case .symbol:
                position += 1
                return .word(position - 1..<position)
            case .other: position += 1
            }
        }
        return nil
    }

    private mutating func units() -> [Range<Int>] {
        var units: [Range<Int>] = []
        while kind(at: position) == .unit {
            let start = position
            repeat { position += 1 } while kind(at: position) == .mark
            units.append(start..<position)
        }
        return units
    }

    private mutating func word() -> Range<Int> {
        let start = position
        while kind(at: position).isInWord { position += 1 }
        return start..<position
    }

    private mutating func parts(after first: Range<Int>) -> [Range<Int>] {
        var parts = [first]
        while isJoint {
            position += 1
            parts.append(word())
        }
        return parts
    }

    /// Whether a single apostrophe or hyphen between letters or marks is here.
    private var isJoint: Bool {
        guard position < scalars.count else { return false }
        return (scalars[position] == "'" || scalars[position] == "-")
            && kind(at: position - 1).isBesideJoint && kind(at: position + 1).isBesideJoint
    }

    /// Returns the kind of the character at a position; `other` outside of the text.
    private func kind(at position: Int) -> Kind {
        guard scalars.indices.contains(position) else { return .other }
        let scalar = scalars[position]
        switch scalar {
        case "a"..."z": return .letter
        case "0"..."9": return .number
        default: return scalar.isASCII ? .other : Self.kind(of: scalar)
        }
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.category.rawValue {
        case UTF8PROC_CATEGORY_LU.rawValue...UTF8PROC_CATEGORY_LO.rawValue:
            isOfScriptWithoutSpaces(scalar) ? .unit : .letter
        case UTF8PROC_CATEGORY_ND.rawValue...UTF8PROC_CATEGORY_NO.rawValue:
            isOfScriptWithoutSpaces(scalar) ? .unit : .number
        case UTF8PROC_CATEGORY_MN.rawValue...UTF8PROC_CATEGORY_ME.rawValue: .mark
        case UTF8PROC_CATEGORY_SO.rawValue: .symbol
        default: .other
        }
    }

    /// Whether a character is Thai, Lao, Burmese, Khmer, Japanese or Chinese.
    private static func isOfScriptWithoutSpaces(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
