import HTTP
import Model

extension Request {
    /// What `If-Match` and `If-None-Match` demand of the record that the request changes (RFC 9110
    /// section 13.1).
    ///
    /// - Parameter etag: Makes the tag that GET would send for the record; nil where GET sends
    ///   none, so that `*` alone names the record.
    /// - Returns: A precondition that throws `RequestError.preconditionFailed` with the record's
    ///   tag; nil if the request has neither field.
    func precondition<Record: Sendable>(
        _ etag: @escaping @Sendable (Record) -> String?
    ) -> Precondition<Record>? {
        let ifMatch = headers.list("if-match")
        let ifNoneMatch = headers.list("if-none-match")
        if ifMatch == nil, ifNoneMatch == nil { return nil }
        return { record in
            let current = etag(record)
            if let ifMatch, !ETag.matches(ifMatch: ifMatch, etag: current) {
                throw RequestError.preconditionFailed(etag: current)
            }
            if let ifNoneMatch, ETag.matches(ifNoneMatch: ifNoneMatch, etag: current) {
                throw RequestError.preconditionFailed(etag: current)
            }
        }
    }
}
