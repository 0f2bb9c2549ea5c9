import Bytes

/// The serialization of responses (RFC 9112 section 4).
package enum ResponseSerializer {
    /// Appends a response with head and body to `output`; the parameters are those of `appendHead`.
    package static func append(
        _ response: Response,
        to output: inout [UInt8],
        isHead: Bool,
        keepsAlive: Bool,
        isHTTP10: Bool,
        date: [UInt8]
    ) {
        appendHead(
            of: response,
            to: &output,
            keepsAlive: keepsAlive,
            isHTTP10: isHTTP10,
            date: date
        )
        output.append(copying: content(of: response, isHead: isHead).span)
    }

    /// Returns the body of a response, or nothing if the status or a HEAD request allows none.
    package static func content(of response: Response, isHead: Bool) -> [UInt8] {
        response.status.allowsContent && !isHead ? response.body : []
    }

    /// Appends the head of a response to `output`.
    ///
    /// It adds `Date`, `X-Content-Type-Options`, `Content-Length` or `Transfer-Encoding`, and
    /// `Connection`, which `response` must not contain.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - output: The output.
    ///   - keepsAlive: Whether the connection stays open.
    ///   - isHTTP10: Whether the client uses HTTP/1.0, which needs an explicit `keep-alive`.
    ///   - date: The time in the format of `HTTPDate`.
    package static func appendHead(
        of response: Response,
        to output: inout [UInt8],
        keepsAlive: Bool,
        isHTTP10: Bool,
        date: [UInt8]
    ) {
        // A closure that captured the response would copy all of it.
        let status = response.status
        let allowsContent = status.allowsContent
        let headers = response.headers.fields
        let contentLength = response.stream == nil ? response.body.count : nil
        let count = headCapacity(of: status, headers, date: date)
        output.append(addingCapacity: count) { head in
            head.appendStatusLine(status)
            head.append("\r\nDate: ")
            head.append(copying: date.span)
            // Browsers must not guess that a response is a script or page.
            head.append("\r\nX-Content-Type-Options: nosniff\r\n")
            // Iterating over the array would count the references of each name and value.
            let fields = headers.span
            for index in fields.indices { head.append(fields[index]) }
            if allowsContent, let contentLength {
                head.append("Content-Length: ")
                head.append(decimal: Int64(contentLength))
                head.append("\r\n")
            } else if allowsContent, !isHTTP10 {
                head.append("Transfer-Encoding: chunked\r\n")
            }
            if !keepsAlive {
                head.append("Connection: close\r\n")
            } else if isHTTP10 {
                head.append("Connection: keep-alive\r\n")
            }
            head.append("\r\n")
        }
    }

    /// The maximum size of a head without the response's own fields and the date.
    private static let bareHeadBytes = 200

    private static func headCapacity(
        of status: Status,
        _ headers: [Headers.Field],
        date: [UInt8]
    ) -> Int {
        var count = bareHeadBytes + status.reasonPhrase.utf8CodeUnitCount + date.count
        let fields = headers.span
        for index in fields.indices {
            count += fields[index].name.utf8.count + fields[index].value.utf8.count + 4
        }
        return count
    }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func appendStatusLine(_ status: Status) {
        append("HTTP/1.1 ")
        // A code with another number of digits would make the line invalid.
        append(decimal: Int64((100...999).contains(status.code) ? status.code : 500))
        append(.space)
        append(status.reasonPhrase)
    }

    fileprivate mutating func append(_ field: Headers.Field) {
        appendName(field.name)
        append(UInt8(ascii: ":"))
        append(.space)
        appendValue(field.value)
        append(.carriageReturn)
        append(.lineFeed)
    }

    /// Capitalises each word of a field name, as most software does.
    private mutating func appendName(_ name: String) {
        // The only name that doesn't follow this rule: RFC 9110 section 8.8.3.
        if name == "etag" { return append("ETag") }
        let name = name.utf8.span
        let start = count
        append(copying: name)
        var copy = mutableSpan
        var beginsWord = true
        for index in name.indices {
            if beginsWord { copy[start + index] = name[index].uppercased }
            beginsWord = name[index] == UInt8(ascii: "-")
        }
    }

    /// Replaces invalid bytes, so that a value from input can't start another line.
    private mutating func appendValue(_ value: String) {
        let value = value.utf8.span
        var start = 0
        while start < value.count {
            let end = value.endOfFieldContent(from: start, upTo: value.count)
            append(copying: value.extracting(start..<end))
            if end < value.count { append(.space) }
            start = end + 1
        }
    }
}

extension Status {
    /// Whether a response with this status has a body: RFC 9110 section 6.4.1.
    package var allowsContent: Bool {
        code >= 200 && self != .noContent && self != .notModified
    }
}
