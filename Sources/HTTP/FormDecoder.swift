/// A decoded parameter of a form or query.
package struct FormPair: Sendable, Equatable {
    package let key: String
    /// The value: nil without a `=`, and empty if nothing follows it.
    package let value: String?
}

/// A decoder for `application/x-www-form-urlencoded` bodies and queries (WHATWG URL, section 5.1).
package enum FormDecoder {
    /// The maximum number of pairs.
    package static let maximumPairs = 1000

    /// Returns all pairs in order, including repeated keys; O(n).
    ///
    /// The only error is `ParseError.tooManyFormPairs`, because any bytes are a valid form.
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

    /// Returns the pairs of a query without its `?`, if there is one.
    package static func pairs(_ query: String?) throws(ParseError) -> [FormPair] {
        guard let query else { return [] }
        return try pairs(query.utf8.span)
    }

    private static func pair(_ bytes: Span<UInt8>) -> FormPair {
        let end = bytes.offset(of: UInt8(ascii: "="))
        let key = PercentEncoding.decodedFormText(bytes.extracting(first: end))
        guard end < bytes.count else { return FormPair(key: key, value: nil) }
        let value = PercentEncoding.decodedFormText(bytes.extracting(droppingFirst: end + 1))
        return FormPair(key: key, value: value)
    }
}
