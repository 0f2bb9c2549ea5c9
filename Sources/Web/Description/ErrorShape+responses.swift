import HTTP
import OpenAPI

extension ErrorShape {
    /// The answers that every operation may give, whatever it does: to a request that can't be read
    /// or is too large, too slow or one of too many, and where the server fails.
    ///
    /// - Parameter path: How those are told of a wrong method who ask for the path at all.
    /// - Returns: One answer for each status.
    func responses(ofPath path: ErrorShape) -> [PossibleResponse] {
        [
            response(.badRequest, "What was sent can't be read, as HTTP or as JSON.", .partlyRead),
            path.response(
                .methodNotAllowed,
                "The path is known, but not with this method.",
                headers: [
                    ResponseHeader("Allow", "The methods that are.", .text(from: 1))
                ]
            ),
            response(.requestTimeout, "The request took too long to arrive.", .partlyRead),
            response(.contentTooLarge, "The body is too large."),
            response(
                .unsupportedMediaType,
                "The body is multipart, where JSON or a form is expected.",
                headers: [
                    ResponseHeader("Accept", "The media types that are accepted.", .text(from: 1))
                ]
            ),
            response(.uriTooLong, "The path and query are too long.", .unread),
            response(.expectationFailed, "No expectation is met but 100-continue."),
            response(
                .requestHeaderFieldsTooLarge,
                "The header fields are too many or too large.",
                .partlyRead
            ),
        ] + tooManyRequests + failures
    }

    /// The answer of this status in this shape.
    func response(
        _ status: Status,
        _ meaning: String,
        _ stage: Stage = .read,
        headers: [ResponseHeader] = []
    ) -> PossibleResponse {
        PossibleResponse(
            status,
            meaning,
            stage == .unread ? ErrorShape.message.contents : contents(at: stage),
            headers: headers + [.requestID],
            mayBeEmpty: self == .empty && stage == .partlyRead,
            name: (stage == .unread ? "" : prefix) + status.reasonPhrase.filter(\.isLetter)
        )
    }

    /// How much is known of a request when it is refused, and so of who asks.
    enum Stage {
        case read
        /// Perhaps not even the first line, in which case the shape is `message`.
        case partlyRead
        /// Not even the first line.
        case unread
    }

    /// The client who makes too many requests; one that crashes on an error gets an empty list.
    private var tooManyRequests: [PossibleResponse] {
        if self == .emptyArray { return [] }
        let meaning = "Too many requests of one address or of one account; come back later."
        return [
            response(
                .tooManyRequests,
                meaning,
                headers: [.retryAfter, .rateLimit, .rateLimitPolicy]
            )
        ]
    }

    private var failures: [PossibleResponse] {
        let other = [
            response(.notImplemented, "The method or the transfer coding is none.", .partlyRead),
            response(.httpVersionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are.", .unread),
        ]
        if self == .emptyArray { return other }
        return [
            response(.internalServerError, "The server failed; its log says why.")
        ] + other + [
            PossibleResponse(
                .serviceUnavailable,
                """
                Too much waits, the disk is full, or there is no room for another connection, in \
                which case there is no body. The same request may succeed in a moment.
                """,
                contents(at: .read),
                headers: [.retryAfter, .requestID],
                mayBeEmpty: true,
                name: prefix + "ServiceUnavailable"
            )
        ]
    }

    private func contents(at stage: Stage) -> [Content] {
        switch (self, stage) {
        case (.message, _), (.empty, .partlyRead): [.json(.message)]
        case (.empty, _): []
        case (.todo, .read): [.json(.todoError)]
        case (.todo, _): [.json(.anyOf(.todoError, .message))]
        case (.emptyArray, .read): [.json(.emptyArray)]
        case (.emptyArray, _): [.json(.anyOf(.emptyArray, .message))]
        }
    }

    private var contents: [Content] { contents(at: .read) }

    private var prefix: String {
        switch self {
        case .message: ""
        case .todo: "Todo"
        case .empty: "Silent"
        case .emptyArray: "EmptyList"
        }
    }
}

extension ResponseHeader {
    static let challenge = ResponseHeader(
        "WWW-Authenticate",
        "How to authenticate.",
        .text(from: 1)
    )
    static let requestID = ResponseHeader(
        "X-Request-Id",
        "Names the request; the log has the same."
    )
    static let etag = ResponseHeader(
        "ETag",
        "Changes when the response does; for If-None-Match and If-Match.",
        isAlwaysThere: false
    )
    static let retryAfter = ResponseHeader(
        "Retry-After",
        "In how many seconds to come back.",
        .text(pattern: "^[0-9]+$")
    )
    static let rateLimit = ResponseHeader(
        "RateLimit",
        "What is left of the limit, and when it is full again."
    )
    static let rateLimitPolicy = ResponseHeader(
        "RateLimit-Policy",
        "How many requests are allowed in which time."
    )
}
