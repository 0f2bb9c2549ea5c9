import HTTP

/// The origins whose web pages can read responses (Fetch Standard, section 3.2).
struct CrossOriginPolicy: Sendable {
    /// The request headers that pages can send in addition to the safelisted ones.
    private static let requestFields =
        ([
            "authorization", "content-type", "idempotency-key", "if-match", "if-none-match",
            "last-event-id", "prefer", "traceparent", "x-request-id",
        ]
        + Authentication.fields).joined(separator: ", ")
    /// The response headers that pages can read in addition to the safelisted ones.
    private static let responseFields =
        "etag, link, location, content-location, idempotent-replayed, preference-applied, "
        + "retry-after, ratelimit, ratelimit-policy, x-request-id"
    /// The time for which a browser can cache a preflight response, in s.
    private static let maximumAge = "600"

    private let origins: [String]

    /// Creates a policy for origins as browsers write them; an empty list turns it off.
    init(origins: [String]) {
        self.origins = origins
    }

    /// Adds the headers that the request's page needs to read the response; O(n) for n origins.
    func apply(to response: inout Response, of request: Request) {
        guard !origins.isEmpty else { return }
        // Also for requests without an origin, because a cache must not return their response to a
        // page.
        response.headers.vary(on: "Origin")
        guard let origin = request.headers["origin"], origins.contains(origin) else { return }
        response.headers.append("access-control-allow-origin", origin)
        response.headers.append("access-control-expose-headers", Self.responseFields)
        guard request.method == .options,
            request.headers["access-control-request-method"] != nil,
            let methods = response.headers["allow"]
        else { return }
        response.headers.append("access-control-allow-methods", methods)
        response.headers.append("access-control-allow-headers", Self.requestFields)
        response.headers.append("access-control-max-age", Self.maximumAge)
    }
}
