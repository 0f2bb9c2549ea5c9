import CUTF8Proc

/// A text as searches compare it: without the difference of capitals, of accents, and of compatible
/// characters such as `²` and `2`.
///
/// It is in NFKD, but some letters are replaced and most marks are left out. Those that make
/// another word stay, such as the voicing of kana and the tones of Thai.
package struct FoldedText: Sendable {
    /// Its characters.
    let scalars: [Unicode.Scalar]

    /// The folded text.
    package var text: String { String(String.UnicodeScalarView(scalars)) }

    /// Folds a text; O(n), and O(n log n) for marks in the wrong order.
    package init(_ text: String) {
        var folded: [Unicode.Scalar] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard !scalar.isASCII else {
                let isCapital = ("A"..."Z").contains(scalar)
                folded.append(isCapital ? scalar.lowercase : scalar)
                continue
            }
            for part in scalar.decomposition(UTF8PROC_COMPAT, UTF8PROC_CASEFOLD) {
                if let replacement = Self.replacement(of: part) {
                    folded += replacement.unicodeScalars
                } else if !Self.isLeftOut(part) {
                    folded.append(part)
                }
            }
        }
        folded.orderMarks()
        scalars = folded
    }

    /// Returns what replaces a letter that Unicode doesn't decompose, such as one with a stroke, or
    /// punctuation inside of words.
    private static func replacement(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "ø": "o"
        case "ł": "l"
        case "đ", "ð": "d"
        case "þ": "th"
        case "æ": "ae"
        case "œ": "oe"
        case "ı": "i"
        case "ħ": "h"
        case "ŧ": "t"
        case "ŋ": "n"
        case "\u{2018}", "\u{2019}", "\u{02BB}", "\u{02BC}": "'"
        case "\u{2010}", "\u{2011}": "-"
        default: nil
        }
    }

    /// Whether a character is invisible, a variation selector, the Arabic tatweel, or a mark of
    /// Hebrew, Arabic or Syriac, or above, below or around a letter.
    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{FE00}"..."\u{FE0F}", "\u{0640}": return true
        default: break
        }
        let category = scalar.category
        return category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_ME
            || (10...36).contains(scalar.combiningClass) || scalar.combiningClass >= 200
    }
}
