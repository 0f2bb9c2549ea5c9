import CUTF8Proc

/// The libutf8proc that this program uses.
package enum UnicodeLibrary {
    /// Its version, such as `2.8.0`.
    package static var version: String { unsafe String(cString: utf8proc_version()) }

    /// The version of Unicode that it knows, such as `15.0.0`.
    package static var unicodeVersion: String {
        unsafe String(cString: utf8proc_unicode_version())
    }
}

/// Properties of a character in the library's version of Unicode.
extension Unicode.Scalar {
    fileprivate var code: Int32 { Int32(bitPattern: value) }

    /// Its general category.
    var category: utf8proc_category_t { utf8proc_category(code) }

    /// Its canonical combining class; 0 for all but some marks.
    var combiningClass: Int16 {
        // No character before the first mark has a class. The library has a row for any number.
        value < 0x300 ? 0 : unsafe utf8proc_get_property(code).pointee.combining_class
    }

    /// Its simple lower-case mapping, or itself.
    var lowercase: Unicode.Scalar { Unicode.Scalar(code: utf8proc_tolower(code)) ?? self }

    /// Returns its decomposition, with marks in no particular order.
    func decomposition(_ options: utf8proc_option_t...) -> [Unicode.Scalar] {
        let options = options.reduce(UTF8PROC_DECOMPOSE.rawValue) { $0 | $1.rawValue }
        // The longest one has 18 characters.
        var codes = InlineArray<32, Int32>(repeating: 0)
        var span = codes.mutableSpan
        // The library writes nothing beyond the buffer, but then returns a larger count.
        let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
            let options = utf8proc_option_t(rawValue: options)
            return unsafe utf8proc_decompose_char(
                code,
                buffer.baseAddress,
                buffer.count,
                options,
                nil
            )
        }
        guard (0...codes.count).contains(count) else { return [self] }
        return (0..<count).compactMap { Unicode.Scalar(code: codes[$0]) }
    }

    fileprivate init?(code: Int32) {
        self.init(UInt32(bitPattern: code))
    }
}

extension [Unicode.Scalar] {
    /// Sorts the marks after each decomposed character by their classes, which makes the text NFD
    /// or NFKD; O(n log n).
    mutating func orderMarks() {
        var position = 0
        while let start = self[position...].firstIndex(where: { $0.combiningClass != 0 }) {
            position = self[start...].firstIndex { $0.combiningClass == 0 } ?? count
            // The sort is stable, which the order of marks of one class needs.
            self[start..<position].sort { $0.combiningClass < $1.combiningClass }
        }
    }

    /// The text in NFC, if it is in NFD.
    var composed: [Unicode.Scalar] {
        var codes = map(\.code)
        let options = UTF8PROC_COMPOSE.rawValue | UTF8PROC_STABLE.rawValue
        // The library composes in place, and never makes a text longer.
        let count = unsafe codes.withUnsafeMutableBufferPointer { buffer in
            let options = utf8proc_option_t(rawValue: options)
            return unsafe utf8proc_normalize_utf32(buffer.baseAddress, buffer.count, options)
        }
        return codes.prefix(Swift.max(0, count)).compactMap { Unicode.Scalar(code: $0) }
    }
}
