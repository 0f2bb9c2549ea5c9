import HTTP

extension ErrorShape {
    /// Returns the responses that are possible for every operation.
    ///
    /// They are for requests that are malformed, too large, too slow or too many, and for failures
    /// of the server.
    ///
    /// - Parameter path: The shape of the response to an unsupported method.
    /// - Returns: One response for each status.
    func responses(ofPath path: ErrorShape) -> [PossibleResponse] {
        [
            response(.badRequest, "The request is malformed, as HTTP or as JSON.", .partlyRead),
            path.response(
                .methodNotAllowed,
                "The path doesn't support this method.",
                headers: [ResponseHeader("Allow", "The supported methods.", .text(from: 1))]
            ),
            response(.requestTimeout, "The request took too long to arrive.", .partlyRead),
            response(.contentTooLarge, "The body is too large."),
            response(
                .unsupportedMediaType,
                "The body is multipart or has a Content-Encoding. Send JSON or a form as it is.",
                headers: [
                    ResponseHeader(
                        "Accept",
                        "The accepted media types, if the body is multipart.",
                        .text(from: 1),
                        isAlwaysThere: false
                    ),
                    ResponseHeader(
                        "Accept-Encoding",
                        "The accepted encoding, if the body has another one.",
                        .text(from: 1),
                        isAlwaysThere: false
                    ),
                ]
            ),
            response(.uriTooLong, "The path and query are too long.", .unread),
            response(
                .misdirectedRequest,
                "The target is an https URL, but the server speaks plain HTTP.",
                .unread
            ),
            response(.expectationFailed, "The only supported expectation is 100-continue."),
            response(
                .requestHeaderFieldsTooLarge,
                "The request has too many or too large header fields.",
                .partlyRead
            ),
        ] + tooManyRequests + failures
    }

    /// Returns a response with this status in this format.
    func response(
        _ status: Status,
        _ meaning: String,
        _ stage: Stage = .read,
        headers: [ResponseHeader] = []
    ) -> PossibleResponse {
        PossibleResponse(
            status,
            meaning,
            stage == .unread ? ErrorShape.message.contents(at: .read) : contents(at: stage),
            headers: headers + [.requestID],
            mayBeEmpty: self == .empty && stage == .partlyRead,
            name: (stage == .unread ? "" : prefix)
                + status.reasonPhrase.description.filter(\.isLetter)
        )
    }

    /// The part of a request that was read before it was rejected.
    enum Stage {
        case read
        /// Possibly not even the first line, in which case the format is `message`.
        case partlyRead
        /// Not even the first line.
        case unread
    }

    /// The response for an exceeded rate limit; clients that crash on errors get an empty list.
    private var tooManyRequests: [PossibleResponse] {
        if self == .emptyArray { return [] }
        let meaning = "Too many requests from one address, with one token or for one account."
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
            response(
                .notImplemented,
                "The method or transfer coding is not supported.",
                .partlyRead
            ),
            response(
                .httpVersionNotSupported,
                "The server supports HTTP/1.0 and HTTP/1.1.",
                .unread
            ),
        ]
        if self == .emptyArray { return other }
        return [
            response(
                .internalServerError,
                "The server failed. The log has the cause, under the request's id."
            )
        ] + other + [
            PossibleResponse(
                .serviceUnavailable,
                """
                The server is overloaded or its disk is full. Retry after the given time. If there \
                are too many connections, the response has no body.
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
        "The id of the request, which is also in the log."
    )
    static let etag = ResponseHeader(
        "ETag",
        "Identifies this version of the response, for If-None-Match and If-Match.",
        isAlwaysThere: false
    )
    static let retryAfter = ResponseHeader(
        "Retry-After",
        "The number of seconds to wait before retrying.",
        .text(pattern: "^[0-9]+$")
    )
    static let rateLimit = ResponseHeader(
        "RateLimit",
        "The remaining requests, and the seconds until the limit is full again."
    )
    static let rateLimitPolicy = ResponseHeader(
        "RateLimit-Policy",
        "The number of allowed requests and the window in seconds."
    )
}
