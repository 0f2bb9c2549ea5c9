/// One parameter of a form or a query, decoded.
package struct FormPair: Sendable, Equatable {
    package let key: String
    /// Nil for a key without `=`, empty for one with nothing behind it.
    package let value: String?

    package init(key: String, value: String?) {
        self.key = key
        self.value = value
    }
}

/// Reads `application/x-www-form-urlencoded` (WHATWG URL, section 5.1): bodies and queries.
package enum FormDecoder {
    /// The most pairs that a form may have.
    package static let maximumPairs = 1000

    /// The pairs in their order, those of one key as often as they occur; O(n).
    ///
    /// Throws nothing but `ParseError.tooManyFormPairs`: all bytes are a form.
    package static func pairs(_ bytes: Span<UInt8>) throws(ParseError) -> [FormPair] {
        var pairs: [FormPair] = []
        var start = 0
        while start < bytes.count {
            let end = bytes.offset(of: UInt8(ascii: "&"), from: start)
            if end > start {
                guard pairs.count < maximumPairs else { throw .tooManyFormPairs }
                pairs.append(pair(bytes.extracting(start..<end)))
            }
            start = end + 1
        }
        return pairs
    }

    /// The pairs of a query, which comes without its `?`.
    package static func pairs(_ query: String) throws(ParseError) -> [FormPair] {
        try pairs(query.utf8.span)
    }

    private static func pair(_ bytes: Span<UInt8>) -> FormPair {
        let end = bytes.offset(of: UInt8(ascii: "="))
        let key = PercentEncoding.decodedFormText(bytes.extracting(first: end))
        guard end < bytes.count else { return FormPair(key: key, value: nil) }
        let value = PercentEncoding.decodedFormText(bytes.extracting(droppingFirst: end + 1))
        return FormPair(key: key, value: value)
    }
}
