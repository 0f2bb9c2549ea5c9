import HTTP
import Model
import Routing

/// A request that has found its route: what an action is given.
struct Call: Sendable {
    let request: Request
    private let path: PathParameters
    private let limits: Limits

    init(request: Request, path: PathParameters, limits: Limits) {
        self.request = request
        self.path = path
        self.limits = limits
    }

    /// The parameters of query and body.
    ///
    /// Throws `RequestError.malformed` if the body is neither JSON nor a form, and
    /// `.unsupportedMediaType` if it is multipart.
    func parameters() throws(RequestError) -> Parameters {
        guard !request.isMultipart else { throw .unsupportedMediaType }
        return try Parameters(query: request.query, body: request.body, limits: limits)
    }

    /// The parameters of a body that has to be a JSON object, whatever the query is.
    ///
    /// Throws `RequestError.malformed` if it is not.
    func objectParameters() throws(RequestError) -> Parameters {
        let parameters = try Parameters(query: nil, body: request.body, limits: limits)
        guard parameters.isObject else { throw .malformed("The body must be a JSON object.") }
        return parameters
    }

    /// The id in the path; throws `RequestError.notFound` for a segment that is not only digits.
    func id() throws(RequestError) -> Int64 {
        guard let text = path["id"], let id = recordID(text) else { throw .notFound }
        return id
    }
}

extension Request {
    /// Whether the body is multipart (RFC 2046 section 5.1).
    ///
    /// It has to begin like one, too: real clients send other bodies under a wrong label.
    fileprivate var isMultipart: Bool {
        guard body.starts(with: "--".utf8) || body.starts(with: "\r\n--".utf8) else { return false }
        return headers["content-type"]?.lowercased().hasPrefix("multipart/") == true
    }
}
