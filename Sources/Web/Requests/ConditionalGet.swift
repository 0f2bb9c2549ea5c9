import HTTP

/// Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13.2.2).
enum ConditionalGet {
    /// Adds the entity tag to the successful response to a read, or replaces the response by a 304.
    ///
    /// Throws `RequestError.preconditionFailed` if `If-Match` doesn't have the tag.
    static func apply(
        to response: inout Response,
        of request: Request
    ) throws(RequestError) {
        guard response.status == .ok, response.stream == nil, !response.body.isEmpty else { return }
        let known = response.headers["etag"]
        let etag = known ?? ETag.make(for: response.body.span)
        if let field = request.headers.list("if-match"),
            !ETag.matches(ifMatch: field, etag: etag)
        {
            throw .preconditionFailed(etag: etag)
        }
        if let field = request.headers.list("if-none-match"),
            ETag.matches(ifNoneMatch: field, etag: etag)
        {
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
