import HTTP
import Rules

/// A request with its route's parameters, as actions receive it.
struct Call: Sendable {
    let request: Request
    private let path: PathParameters
    private let limits: APILimits
    let proxies: [IPNetwork]
    /// The result of `parseParameters`.
    private var parsedParameters: Result<Parameters, RequestError>?

    /// Creates a call that trusts the forwarding headers of these proxies.
    init(request: Request, path: PathParameters, limits: APILimits, proxies: [IPNetwork]) {
        self.request = request
        self.path = path
        self.limits = limits
        self.proxies = proxies
    }

    /// Whether the path ends with `.json`.
    var namesJSON: Bool { path.namesJSON }

    /// The client's address; nil if it is unknown.
    var clientAddress: IPAddress? { request.clientAddress(behind: proxies) }

    /// Returns the parameters of query and body.
    ///
    /// Throws `RequestError.malformed` if the body is neither JSON nor a form, and
    /// `.unsupportedMediaType` if it is multipart.
    func parameters() throws(RequestError) -> Parameters {
        if let parsedParameters { return try parsedParameters.get() }
        guard !request.isMultipart else { throw .unsupportedMediaType }
        return try Parameters(query: request.query, body: request.body, limits: limits)
    }

    /// Parses the parameters in advance, if they are needed both before the action and in it.
    mutating func parseParameters() {
        guard parsedParameters == nil else { return }
        parsedParameters = Result { () throws(RequestError) in try parameters() }
    }

    /// Returns the parameters of a body that must be a JSON object; the query is ignored.
    ///
    /// Throws `RequestError.malformed` if it is not one.
    func objectParameters() throws(RequestError) -> Parameters {
        let parameters = try Parameters(query: nil, body: request.body, limits: limits)
        guard parameters.isObject else { throw .notAnObject }
        return parameters
    }

    /// Returns the id in the path; throws `RequestError.notFound` if it is no id.
    func id() throws(RequestError) -> Int64 {
        guard let text = path["id"], let id = Int64(recordID: text) else { throw .notFound }
        return id
    }

    /// Whether the path names the current record instead of an id.
    var namesCurrent: Bool { path["id"] == "current" }

    /// The name of the file in the path, or nil if the route has no such parameter.
    var fileName: String? { path["file"] }

    /// The name of the record in the path, or nil if the route has no such parameter.
    var recordName: String? { path["name"] }
}

extension Request {
    /// The maximum length of a `Content-Encoding` in an error.
    private static let maximumCoding = 40

    /// Throws an error if the headers give the body a meaning that no endpoint supports.
    ///
    /// Such a body would be read as another one, and could store or clear something else.
    func checkBody() throws(RequestError) {
        guard !body.isEmpty else { return }
        if let codings = headers.list("content-encoding"),
            !codings.split(separator: ",").allSatisfy({ $0.trimmed.lowercased() == "identity" })
        {
            throw .unsupportedEncoding(String(codings.unicodeScalars.prefix(Self.maximumCoding)))
        }
        // It is a part of a record (RFC 9110 section 14.5).
        if method == .put, headers["content-range"] != nil {
            throw .malformed("Content-Range is not supported. Send the whole record without it.")
        }
    }

    /// Whether the body is multipart (RFC 2046 section 5.1).
    ///
    /// The content is checked as well, because real clients label other bodies as multipart. O(n).
    fileprivate var isMultipart: Bool {
        guard !body.isEmpty, let type = headers["content-type"], Self.isMultipart(type) else {
            return false
        }
        if ["--", "\r\n--", "\n--"].contains(where: { body.starts(with: $0.utf8) }) { return true }
        guard let boundary = Self.boundary(ofType: type) else { return false }
        // The boundary can follow a preamble, which has no meaning.
        let line = [UInt8](("\n--" + boundary).utf8)
        var rest = body[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = rest[start...]
            if rest.starts(with: line) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func isMultipart(_ type: String) -> Bool {
        // Values contain no control characters, so this only lowers capitals.
        type.utf8.lazy.map { $0 | 0x20 }.starts(with: "multipart/".utf8)
    }

    /// Returns the boundary in a media type, or nil if it is missing or too long.
    private static func boundary(ofType type: String) -> String? {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, let value = parts.last,
                name.trimmed.lowercased() == "boundary"
            else { continue }
            let boundary = value.trimmed.filter { $0 != "\"" }
            return (1...maximumBoundaryLength).contains(boundary.utf8.count) ? boundary : nil
        }
        return nil
    }

    /// The maximum length of a boundary (RFC 2046 section 5.1.1).
    private static let maximumBoundaryLength = 70
}
