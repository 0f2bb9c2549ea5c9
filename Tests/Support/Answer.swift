import HTTP

/// A response as a client reads it.
///
/// Two answers are equal if status, fields and body are, but for what differs each time or never:
/// `Date` is not kept, and the request's id and what is for browsers stand apart.
package struct Answer: Equatable, Sendable, CustomStringConvertible {
    package let status: Int
    /// Values by lower-case names, without those that have a property of their own.
    package var fields: [String: String]
    package let body: String
    /// `X-Request-Id`, or an empty string without the header.
    package private(set) var requestID = ""
    /// `Cache-Control`, or an empty string without the header.
    package private(set) var cacheControl = ""
    /// Whether no browser takes the answer for another type than it has.
    package private(set) var isNeverSniffed = false
    /// `Content-Length`, which in an answer to HEAD is the length of what was left out.
    package private(set) var contentLength: Int?

    package init(_ status: Int, _ fields: [String: String] = [:], body: String = "") {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package static func == (left: Answer, right: Answer) -> Bool {
        left.status == right.status && left.fields == right.fields
            && left.body.utf8.elementsEqual(right.body.utf8)
    }

    package var description: String {
        "\(status) \(fields.sorted { $0.key < $1.key }) \(body)"
    }
}

// MARK: Answers to expect

extension Answer {
    /// JSON of status 200, as an answer to anything but GET.
    package static func ok(_ body: String) -> Answer { json(200, body) }

    /// JSON without an entity tag, and with these fields besides.
    package static func json(
        _ status: Int,
        _ body: String,
        _ fields: [String: String] = [:]
    ) -> Answer {
        let type = ["content-type": "application/json; charset=utf-8"]
        return Answer(status, type.merging(fields) { $1 }, body: body)
    }

    /// JSON that GET found, with its entity tag.
    package static func found(_ body: String) -> Answer {
        json(200, body, ["etag": ETag.make(for: body.utf8.span)])
    }

    package static func id(_ id: Int64) -> Answer { ok(#"{"id":\#(id)}"#) }
    package static let noContent = Answer(204)
    package static let unauthorized = json(
        401,
        #"{"message":"Unauthorized"}"#,
        ["www-authenticate": #"ApiKey realm="Humon", header="tb-auth-token""#]
    )
    package static let forbidden = json(403, #"{"message":"Forbidden"}"#)
    package static let notFound = json(404, #"{"message":"Not Found"}"#)

    package static func malformed(_ message: String) -> Answer {
        json(400, #"{"message":"\#(message)"}"#)
    }

    package static func invalid(_ errors: String...) -> Answer { invalid(errors) }

    package static func invalid(_ errors: [String]) -> Answer {
        let list = errors.map { #""\#($0)""# }.joined(separator: ",")
        return json(422, #"{"message":"Validation Failed","errors":[\#(list)]}"#)
    }

    package static func notAllowed(allow: String) -> Answer {
        json(405, #"{"message":"Method Not Allowed"}"#, ["allow": allow])
    }
}

// MARK: Reading

extension Answer {
    /// The answer at the beginning of these bytes, and its length; nil while it is incomplete.
    ///
    /// Throws `ProtocolError` if they are not what HTTP/1.1 allows as an answer to this method.
    package static func read(
        _ bytes: [UInt8],
        to method: String
    ) throws(ProtocolError) -> (answer: Answer, length: Int)? {
        guard let bodyStart = bodyStart(in: bytes) else { return nil }
        let lines = String(decoding: bytes[..<(bodyStart - 4)], as: UTF8.self)
            .split(separator: "\r\n")
        var fields = try fields(in: lines.dropFirst())
        guard let line = lines.first, line.hasPrefix("HTTP/1.1 "),
            let status = Int(line.dropFirst(9).prefix(3)),
            let date = fields.removeValue(forKey: "date"), date.hasSuffix(" GMT")
        else { throw ProtocolError("a head without status or date: \(lines)") }
        if let coding = fields.removeValue(forKey: "transfer-encoding") {
            guard coding == "chunked" else { throw ProtocolError("a coding: \(lines)") }
            let body = method == "HEAD" ? "" : body(ofChunks: bytes[bodyStart...])
            guard let body else { return nil }
            return (answer(status, fields, body), bytes.count)
        }
        let length = fields.removeValue(forKey: "content-length").map { Int($0) ?? -1 }
        let mayHaveBody = status != 204 && status != 304
        guard mayHaveBody == (length != nil) else {
            throw ProtocolError("a wrong length: \(lines)")
        }

        let count = method == "HEAD" ? 0 : length ?? 0
        let end = bodyStart + count
        guard bytes.count >= end else { return nil }
        let body = String(decoding: bytes[bodyStart..<end], as: UTF8.self)
        var answer = answer(status, fields, body)
        answer.contentLength = length
        return (answer, end)
    }

    private static func answer(_ status: Int, _ fields: [String: String], _ body: String) -> Answer
    {
        var fields = fields
        let requestID = fields.removeValue(forKey: "x-request-id") ?? ""
        let cacheControl = fields.removeValue(forKey: "cache-control") ?? ""
        let contentTypeOptions = fields.removeValue(forKey: "x-content-type-options")
        var answer = Answer(status, fields, body: body)
        answer.requestID = requestID
        answer.cacheControl = cacheControl
        answer.isNeverSniffed = contentTypeOptions == "nosniff"
        return answer
    }

    /// The body in chunks, up to their end, or in a stream of changes until the client has caught
    /// up; nil before that.
    package static func body(ofChunks bytes: ArraySlice<UInt8>) -> String? {
        var (body, rest) = ([UInt8](), bytes)
        while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<lineEnd].dropLast(), as: UTF8.self)
            guard let count = Int(line, radix: 16) else { return nil }
            if count == 0 { return String(decoding: body, as: UTF8.self) }
            rest = rest[(lineEnd + 1)...]
            guard rest.count >= count + 2 else { break }
            body += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        let text = String(decoding: body, as: UTF8.self)
        return text.contains("event: ready\n") && text.hasSuffix("\n\n") ? text : nil
    }

    /// The index after the empty line that ends a head.
    ///
    /// A generic search would take a lock of the Swift runtime for each byte in a debug build, and
    /// clients on other threads would wait for it, some for longer than a server waits for them.
    private static func bodyStart(in bytes: [UInt8]) -> Int? {
        for index in bytes.indices.dropFirst(3) where bytes[index] == UInt8(ascii: "\n") {
            if bytes[index - 3...index].elementsEqual("\r\n\r\n".utf8) { return index + 1 }
        }
        return nil
    }

    private static func fields(
        in lines: ArraySlice<Substring>
    ) throws(ProtocolError) -> [String: String] {
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw ProtocolError("\(line)") }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            guard fields.updateValue(value, forKey: name) == nil else {
                throw ProtocolError("\(name) twice")
            }
        }
        return fields
    }
}

/// The server did not speak HTTP as it should.
package struct ProtocolError: Error {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
