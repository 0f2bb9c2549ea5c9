/// A status code (RFC 9110 section 15).
package struct Status: Hashable, Sendable {
    package let code: Int
    /// The reason phrase of a status line; empty for a code without one.
    package let reasonPhrase: StaticString

    package init(_ code: Int, _ reasonPhrase: StaticString = "") {
        self.code = code
        self.reasonPhrase = reasonPhrase
    }

    package static func == (one: Status, other: Status) -> Bool { one.code == other.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    package static let `continue` = Status(100, "Continue")
    package static let ok = Status(200, "OK")
    package static let created = Status(201, "Created")
    package static let accepted = Status(202, "Accepted")
    package static let noContent = Status(204, "No Content")
    package static let notModified = Status(304, "Not Modified")
    package static let badRequest = Status(400, "Bad Request")
    package static let unauthorized = Status(401, "Unauthorized")
    package static let forbidden = Status(403, "Forbidden")
    package static let notFound = Status(404, "Not Found")
    package static let methodNotAllowed = Status(405, "Method Not Allowed")
    package static let requestTimeout = Status(408, "Request Timeout")
    package static let conflict = Status(409, "Conflict")
    package static let gone = Status(410, "Gone")
    package static let preconditionFailed = Status(412, "Precondition Failed")
    package static let contentTooLarge = Status(413, "Content Too Large")
    package static let uriTooLong = Status(414, "URI Too Long")
    package static let unsupportedMediaType = Status(415, "Unsupported Media Type")
    package static let expectationFailed = Status(417, "Expectation Failed")
    package static let misdirectedRequest = Status(421, "Misdirected Request")
    package static let unprocessableContent = Status(422, "Unprocessable Content")
    package static let tooManyRequests = Status(429, "Too Many Requests")
    package static let requestHeaderFieldsTooLarge = Status(431, "Request Header Fields Too Large")
    package static let internalServerError = Status(500, "Internal Server Error")
    package static let notImplemented = Status(501, "Not Implemented")
    package static let serviceUnavailable = Status(503, "Service Unavailable")
    package static let httpVersionNotSupported = Status(505, "HTTP Version Not Supported")
}
