/// A status code (RFC 9110 section 15).
package struct Status: Hashable, Sendable {
    package let code: Int

    package init(_ code: Int) {
        self.code = code
    }

    package static let `continue` = Status(100)
    package static let ok = Status(200)
    package static let created = Status(201)
    package static let noContent = Status(204)
    package static let notModified = Status(304)
    package static let badRequest = Status(400)
    package static let unauthorized = Status(401)
    package static let forbidden = Status(403)
    package static let notFound = Status(404)
    package static let methodNotAllowed = Status(405)
    package static let requestTimeout = Status(408)
    package static let preconditionFailed = Status(412)
    package static let contentTooLarge = Status(413)
    package static let uriTooLong = Status(414)
    package static let unsupportedMediaType = Status(415)
    package static let expectationFailed = Status(417)
    package static let misdirectedRequest = Status(421)
    package static let unprocessableContent = Status(422)
    package static let tooManyRequests = Status(429)
    package static let requestHeaderFieldsTooLarge = Status(431)
    package static let internalServerError = Status(500)
    package static let notImplemented = Status(501)
    package static let serviceUnavailable = Status(503)
    package static let httpVersionNotSupported = Status(505)
}
