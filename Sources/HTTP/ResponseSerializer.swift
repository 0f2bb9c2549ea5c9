/// Writes responses as bytes (RFC 9112 section 4).
package enum ResponseSerializer {
    /// Appends a response, head and body, to `output`.
    ///
    /// It adds `Date`, `Content-Length` and `Connection`, which `response` must not have.
    ///
    /// - Parameters:
    ///   - response: What to write.
    ///   - output: Where it goes.
    ///   - isHead: Whether it answers HEAD: it then has the length of its body but not the body.
    ///   - keepsAlive: Whether the connection stays open.
    ///   - isHTTP10: Whether the client speaks HTTP/1.0, where staying open has to be said.
    ///   - date: The time as `HTTPDate` writes it.
    package static func append(
        _ response: Response,
        to output: inout [UInt8],
        isHead: Bool,
        keepsAlive: Bool,
        isHTTP10: Bool,
        date: [UInt8]
    ) {
        reserveCapacity(for: response, in: &output)
        appendStatusLine(response.status, to: &output)
        output += "Date: ".utf8
        output += date
        output += "\r\n".utf8
        for field in response.headers.fields { append(field, to: &output) }
        if response.status.allowsContent {
            output += "Content-Length: ".utf8
            output.append(decimal: response.body.count)
            output += "\r\n".utf8
        }
        if !keepsAlive {
            output += "Connection: close\r\n".utf8
        } else if isHTTP10 {
            output += "Connection: keep-alive\r\n".utf8
        }
        output += "\r\n".utf8
        if response.status.allowsContent, !isHead { output += response.body }
    }

    /// Bytes of a head that has no fields of its own, at most.
    private static let bareHeadBytes = 160

    private static func reserveCapacity(for response: Response, in output: inout [UInt8]) {
        var count = output.count + bareHeadBytes + response.body.count
        for field in response.headers.fields {
            count += field.name.utf8.count + field.value.utf8.count + 4
        }
        output.reserveCapacity(count)
    }

    private static func appendStatusLine(_ status: Status, to output: inout [UInt8]) {
        output += "HTTP/1.1 ".utf8
        // A code of another length would make the line unreadable.
        output.append(decimal: (100...999).contains(status.code) ? status.code : 500)
        output.append(.space)
        output += status.reasonPhrase.utf8
        output += "\r\n".utf8
    }

    private static func append(_ field: Headers.Field, to output: inout [UInt8]) {
        appendName(field.name, to: &output)
        output += ": ".utf8
        let start = output.count
        output += field.value.utf8
        // A value from outside must not be able to end its line and begin another.
        for index in start..<output.count where !output[index].isFieldContent {
            output[index] = .space
        }
        output += "\r\n".utf8
    }

    /// Every word of a name begins with a capital, as most software has it.
    private static func appendName(_ name: String, to output: inout [UInt8]) {
        guard name != "etag" else {
            output += "ETag".utf8
            return
        }
        var beginsWord = true
        for byte in name.utf8 {
            output.append(beginsWord ? byte.uppercased : byte)
            beginsWord = byte == UInt8(ascii: "-")
        }
    }
}

extension Status {
    /// Whether a response of this status has content: RFC 9110 section 6.4.1.
    fileprivate var allowsContent: Bool {
        code >= 200 && self != .noContent && self != .notModified
    }
}

extension [UInt8] {
    /// Appends the decimal digits of a number that is not negative.
    fileprivate mutating func append(decimal number: Int) {
        let start = count
        var rest = number
        repeat {
            append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}
