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
        let allowsContent = response.status.allowsContent
        output.append("HTTP/1.1 ")
        // A code with another number of digits would make the line invalid.
        let code = response.status.code
        output.append(decimal: Int64((100...999).contains(code) ? code : 500))
        output.append(.space)
        output.append(response.status.reasonPhrase)
        output.append("\r\nDate: ")
        output += date
        // Browsers must not guess that a response is a script or page.
        output.append("\r\nX-Content-Type-Options: nosniff\r\n")
        // Iterating over the array would count the references of each name and value.
        let fields = response.headers.fields.span
        for index in fields.indices { output.append(fields[index]) }
        if allowsContent, response.stream == nil {
            output.append("Content-Length: ")
            output.append(decimal: Int64(response.body.count))
            output.append("\r\n")
        } else if allowsContent, !isHTTP10 {
            output.append("Transfer-Encoding: chunked\r\n")
        }
        if !keepsAlive {
            output.append("Connection: close\r\n")
        } else if isHTTP10 {
            output.append("Connection: keep-alive\r\n")
        }
        output.append("\r\n")
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ field: Headers.Field) {
        appendName(field.name)
        append(": ")
        let start = count
        self += field.value.utf8
        // Invalid bytes are replaced, so that a value from input can't start another line.
        for index in start..<count where !self[index].isFieldContent { self[index] = .space }
        append("\r\n")
    }

    /// Capitalises each word of a field name, as most software does.
    private mutating func appendName(_ name: String) {
        // The only name that doesn't follow this rule: RFC 9110 section 8.8.3.
        if name == "etag" { return append("ETag") }
        var beginsWord = true
        let start = count
        self += name.utf8
        for index in start..<count {
            if beginsWord { self[index] = self[index].uppercased }
            beginsWord = self[index] == UInt8(ascii: "-")
        }
    }
}

extension Status {
    /// Whether a response with this status has a body: RFC 9110 section 6.4.1.
    package var allowsContent: Bool {
        code >= 200 && self != .noContent && self != .notModified
    }
}
