import HTTP
import Model

extension Request {
    /// Returns the precondition that `If-Match` and `If-None-Match` set for the record to be
    /// changed (RFC 9110 section 13.1).
    ///
    /// - Parameter etag: Returns the entity tag of a GET response for the record, or nil if it has
    ///   none; then only `*` matches.
    /// - Returns: A precondition that throws `RequestError.preconditionFailed` with the record's
    ///   entity tag, or nil if the request has neither header.
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
