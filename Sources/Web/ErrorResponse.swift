import HTTP
import JSON
import Model

/// The answer to a request that failed.
///
/// The one table from errors to statuses is here.
struct ErrorResponse {
    private let status: Status
    private let message: String
    private var errors: [String] = []
    private var headers = Headers()
    /// What the log says and the client does not hear; nil where the client is told all.
    private(set) var cause: String?

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    init(for error: any Error) {
        switch error {
        case let error as RequestError: self.init(error)
        case let error as ModelError: self.init(error)
        default: self.init(cause: String(describing: error))
        }
    }

    private init(_ error: RequestError) {
        switch error {
        case .malformed(let message):
            self.init(.badRequest, message)
        case .unauthorized:
            self.init(.unauthorized, "Unauthorized")
        case .notFound:
            self.init(.notFound, "Not Found")
        case .methodNotAllowed(let allow):
            self.init(.methodNotAllowed, "Method Not Allowed")
            headers.append("allow", allow)
        }
    }

    private init(_ error: ModelError) {
        switch error {
        case .notFound:
            self.init(.notFound, "Not Found")
        case .forbidden:
            self.init(.forbidden, "Forbidden")
        case .invalid(let errors):
            self.init(.unprocessableContent, "Validation Failed")
            self.errors = errors
        case .unavailable(let reason):
            self.init(.serviceUnavailable, reason)
            headers.append("retry-after", "1")
            cause = reason
        case .storage(let cause):
            self.init(cause: cause)
        }
    }

    private init(cause: String) {
        self.init(.internalServerError, "Internal Server Error")
        self.cause = cause
    }

    /// The answer in the shape that the client knows.
    func response(in shape: ErrorShape) -> Response {
        var response =
            switch shape {
            case .message: messageResponse
            case .empty: Response(status)
            }
        for field in headers.fields { response.headers.append(field.name, field.value) }
        return response
    }

    /// The JSON object with `message` and, for what failed validation, `errors`.
    private var messageResponse: Response {
        .json(status) { json in
            json.object { body in
                body.field("message", message)
                if !errors.isEmpty {
                    body.array("errors", errors) { writer, error in writer.value(error) }
                }
            }
        }
    }
}

/// What the body of an error looks like.
enum ErrorShape: Sendable {
    /// JSON with a `message` that a person can act on.
    case message
    /// Nothing: to some clients any body is data.
    case empty

    init(of system: System) {
        self =
            switch system {
            case .humon, .todo, .twosquare: .message
            case .mytasks: .empty
            }
    }
}
