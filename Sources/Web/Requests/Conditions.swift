import HTTP
import Model

/// The conditions that a request sets for an entity tag (RFC 9110 section 13.1).
struct Conditions: Sendable {
    private let ifMatch: String?
    private let ifNoneMatch: String?

    /// Reads `If-Match` and `If-None-Match`; nil if the request has neither.
    init?(_ request: Request) {
        ifMatch = request.headers.list("if-match")
        ifNoneMatch = request.headers.list("if-none-match")
        if ifMatch == nil, ifNoneMatch == nil { return nil }
    }

    /// Throws `RequestError.preconditionFailed` if `If-Match` doesn't have the tag.
    func requireMatch(_ etag: String?) throws(RequestError) {
        if let ifMatch, !ETag.matches(ifMatch: ifMatch, etag: etag) {
            throw .preconditionFailed(etag: etag)
        }
    }

    /// Returns whether `If-None-Match` has the tag.
    func know(_ etag: String?) -> Bool {
        ifNoneMatch.map { ETag.matches(ifNoneMatch: $0, etag: etag) } ?? false
    }

    /// Adds the entity tag to the successful response to a read, or replaces the response by a 304
    /// (RFC 9110 section 13.2.2).
    ///
    /// Throws `RequestError.preconditionFailed` if `If-Match` doesn't have the tag.
    static func apply(to response: inout Response, of request: Request) throws(RequestError) {
        guard response.status == .ok, response.stream == nil, !response.body.isEmpty else { return }
        let known = response.headers["etag"]
        let etag = known ?? ETag.make(for: response.body.span)
        let conditions = Conditions(request)
        try conditions?.requireMatch(etag)
        if conditions?.know(etag) == true {
            let vary = response.headers["vary"]
            let rendering = response.rendering
            response = Response(.notModified)
            response.rendering = rendering
            // Caches need the headers that the response depends on: RFC 9110 section 15.4.5.
            if let vary { response.headers.append("vary", vary) }
        } else if known != nil {
            return
        }
        response.headers.append("etag", etag)
    }
}

extension Request {
    /// Returns the precondition that the request sets for the record to be changed.
    ///
    /// - Parameter etag: Returns the entity tag of a GET response for the record, or nil if it has
    ///   none; then only `*` matches.
    /// - Returns: A precondition that throws `RequestError.preconditionFailed` with the record's
    ///   entity tag, or nil if the request has no conditions.
    func precondition<Record: Sendable>(
        _ etag: @escaping @Sendable (Record) -> String?
    ) -> Precondition<Record>? {
        guard let conditions = Conditions(self) else { return nil }
        return { record in
            let current = etag(record)
            try conditions.requireMatch(current)
            if conditions.know(current) { throw RequestError.preconditionFailed(etag: current) }
        }
    }
}
