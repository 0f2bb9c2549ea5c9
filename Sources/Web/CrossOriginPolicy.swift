import HTTP

/// Lets pages of other origins read answers, if they are on the list (Fetch Standard, section 3.2).
struct CrossOriginPolicy: Sendable {
    /// What pages may send besides what every page may.
    private static let requestFields =
        (["authorization", "content-type", "if-match", "if-none-match", "x-request-id"]
        + Authentication.fields).joined(separator: ", ")
    /// What pages may read besides what every page may.
    private static let responseFields =
        "etag, retry-after, ratelimit, ratelimit-policy, x-request-id"
    /// How long a browser may remember what it has been told, in s.
    private static let maximumAge = "600"

    private let origins: [String]

    /// Origins as browsers write them; none switches the whole thing off.
    init(origins: [String]) {
        self.origins = origins
    }

    /// Adds to an answer what the request's page needs to read it, in O(n) for n origins.
    func apply(to response: inout Response, of request: Request) {
        guard !origins.isEmpty else { return }
        // Also without an origin: a cache must not give this answer to a page.
        let vary = response.headers["vary"].map { $0 + ", Origin" } ?? "Origin"
        response.headers.replace("vary", with: vary)
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
