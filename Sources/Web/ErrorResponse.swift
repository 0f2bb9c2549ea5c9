import HTTP
import JSON
import Model
import Rules
import Sodium

/// The response to a failed request.
///
/// This is the only table from errors to statuses.
struct ErrorResponse {
    private let status: Status
    private var message: String
    private var errors: [AttributeError] = []
    private var headers = Headers()
    private var isShed = false
    /// The cause for the log, which the client doesn't see; nil if the response contains
    /// everything.
    private(set) var cause: String?
    /// The reason for the log why a sign-up was rejected; nil for other errors.
    private(set) var rejectionReason: String?

    /// Whether its message helps a person who has sent a form.
    var isShown: Bool { status == .tooManyRequests || status == .serviceUnavailable }

    /// Whether the same request may succeed a moment later.
    var isTemporary: Bool { status == .serviceUnavailable }

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Removes the advice about forms and queries if the request has JSON.
    mutating func removeFormAdvice(if hasJSON: @autoclosure () -> Bool) {
        let advice = Violation.lostPlus.predicate
        guard errors.contains(where: { $0.predicate == advice }), hasJSON() else { return }
        errors = errors.map { $0.predicate == advice ? .notATime($0.attribute) : $0 }
    }

    /// Creates the response to an error.
    ///
    /// `contact` is the operator's e-mail address, which banned users get.
    init(for error: any Error, contact: String? = nil) {
        defer {
            if let contact, case .banned = error as? ModelError {
                message += " Contact: \(contact)"
            }
        }
        switch error {
        case let error as RequestError: self.init(error)
        case let error as ModelError: self.init(error)
        case let error as PasswordHasherError: self.init(error)
        case is NewStart:
            self.init(
                .gone,
                "The cursor is too old, or of another filter, user or database. Start again "
                    + "without since."
            )
        default: self.init(cause: String(describing: error))
        }
    }

    private init(_ error: RequestError) {
        switch error {
        case .malformed(let message):
            self.init(.badRequest, message)
        case .parameterMissing:
            self.init(.badRequest, "Bad Request")
        case .nothingToChange(let keys):
            let names = keys.joined(separator: ", ")
            self.init(.badRequest, "The body has none of these keys: \(names)")
        case .unsupportedMediaType:
            self.init(
                .unsupportedMediaType,
                "The body is multipart. Send JSON or a form (application/x-www-form-urlencoded)."
            )
            headers.append("accept", "application/json, application/x-www-form-urlencoded")
        case .unsupportedEncoding(let coding):
            self.init(
                .unsupportedMediaType,
                "Content-Encoding \(coding) is not supported. Send the body as it is."
            )
            headers.append("accept-encoding", "identity")
        case .unauthorized:
            self.init(unauthorized: "Unauthorized", .humon)
        case .passwordRequired:
            self.init(unauthorized: "Unauthorized", .humonPassword)
        case .signInRequired:
            self.init(unauthorized: "You need to sign in or sign up before continuing.", .todo)
        case .unknownAccessToken:
            self.init(unauthorized: "Invalid authentication token.", .todoInvalidToken)
        case .wrongCredentials:
            self.init(unauthorized: "Invalid email or password.", .todo)
        case .unknownHost:
            self.init(.misdirectedRequest, "This host is not in ADMIN_HOSTS.")
        case .httpsRequired(let message):
            self.init(.forbidden, message)
        case .jsonRequired:
            self.init(
                .unsupportedMediaType,
                "Send JSON with Content-Type: application/json."
            )
            headers.append("accept", "application/json")
        case .adminUnauthorized:
            self.init(unauthorized: "Unauthorized", .admin)
        case .wrongAdminCredentials:
            self.init(unauthorized: "Wrong name or password.", .admin)
        case .notFound:
            self.init(.notFound, "Not Found")
        case .signUpRejected(let reason):
            self.init(.notFound, "Not Found")
            rejectionReason = reason
        case .methodNotAllowed(let allow):
            self.init(.methodNotAllowed, "Method Not Allowed")
            headers.append("allow", allow)
        case .preconditionFailed(let etag):
            self.init(.preconditionFailed, "Precondition Failed")
            if let etag { headers.append("etag", etag) }
        case .tooManyStreams:
            self.init(.serviceUnavailable, "Too many streams are open. Try again in a moment.")
            headers.append("retry-after", "5")
        case .tooManyRequests(let refusal):
            self.init(.tooManyRequests, "Too many requests. Try again in \(refusal.waitSeconds) s.")
            refusal.append(to: &headers)
        }
    }

    private init(_ error: ModelError) {
        switch error {
        case .notFound:
            self.init(.notFound, "Not Found")
        case .forbidden:
            self.init(.forbidden, "Forbidden")
        case .banned:
            self.init(.forbidden, "This user is banned.")
        case .conflict(let message):
            self.init(.conflict, message)
        case .invalid(let errors):
            self.init(.unprocessableContent, "Validation Failed")
            self.errors = errors
        case .overloaded(let reason):
            self.init(overloaded: reason)
        case .unavailable(let reason, let cause):
            self.init(unavailable: reason, cause: cause)
        case .postponed(let reason, let seconds):
            self.init(.serviceUnavailable, reason)
            headers.append("retry-after", String(seconds))
        case .unreachable:
            self.init(overloaded: "The storage cannot be reached.")
            // One line for each of thousands of requests would say nothing new.
            self.cause = nil
        case .storage(let cause):
            self.init(cause: cause)
        }
    }

    private init(_ error: PasswordHasherError) {
        switch error {
        case .queueFull:
            self.init(overloaded: "Too many passwords are being checked. Try again in a moment.")
        case .outOfMemory:
            self.init(unavailable: "There is not enough memory. Try again in a moment.")
        case .stopped:
            self.init(unavailable: "The server is shutting down.")
        }
    }

    private init(unauthorized message: String, _ challenge: Challenge) {
        self.init(.unauthorized, message)
        headers.append("www-authenticate", challenge.rawValue)
    }

    private init(unavailable reason: String, cause: String? = nil) {
        self.init(.serviceUnavailable, reason)
        headers.append("retry-after", "1")
        self.cause = cause.map { "\(reason) \($0)" } ?? reason
    }

    private init(overloaded reason: String) {
        self.init(unavailable: reason)
        isShed = true
    }

    private init(cause: String) {
        self.init(.internalServerError, "Internal Server Error")
        self.cause = cause
    }

    /// Returns the response in this error format.
    func response(in shape: ErrorShape) -> Response {
        var response =
            switch shape {
            case .message: messageResponse
            case .todo: todoResponse
            case .empty: Response(status)
            // With 200 unless the request was at fault, because the app crashes on other statuses.
            case .emptyArray: Response.json(isRefusal ? .ok : status, body: Array("[]".utf8))
            }
        response.isShed = isShed
        if response.status != status { response.recordedStatus = status }
        for field in headers.fields { response.headers.append(field.name, field.value) }
        return response
    }

    /// Returns the response as a page that `make` makes of the status and the message.
    func page(_ make: (Status, String) -> Response) -> Response {
        var response = make(status, message)
        response.isShed = isShed
        for field in headers.fields { response.headers.append(field.name, field.value) }
        return response
    }

    /// A JSON object with `message` and, after a failed validation, `errors`.
    private var messageResponse: Response {
        .object(status) { body in
            body.field("message", message)
            if !errors.isEmpty {
                body.array("errors", errors) { writer, error in
                    writer.value(error.sentence)
                }
            }
        }
    }

    /// Whether the client's request was not at fault.
    private var isRefusal: Bool { status.code >= 500 || status == .tooManyRequests }

    /// A JSON object with `error` and, except for 401, `status`.
    ///
    /// After a failed validation, it has an array for each attribute instead.
    private var todoResponse: Response {
        .object(status) { body in
            if !errors.isEmpty {
                var rest = errors
                while let attribute = rest.first?.attribute {
                    body.key(text: attribute)
                    body.array(rest.filter { $0.attribute == attribute }) { writer, error in
                        writer.value(error.predicate)
                    }
                    rest.removeAll { $0.attribute == attribute }
                }
            } else {
                if status != .unauthorized { body.field("status", String(status.code)) }
                body.field("error", message)
            }
        }
    }
}

/// The challenge of a 401 response (RFC 9110 section 11.6.1).
enum Challenge: String {
    /// No registered scheme uses a header of its own for its token; the name is from OpenAPI.
    case humon = #"ApiKey realm="Humon", header="tb-auth-token""#
    /// For calendar apps, which prompt for a name and a password; the password is the token (RFC
    /// 7617).
    case humonPassword = #"Basic realm="Humon", charset="UTF-8""#
    case todo = #"Bearer realm="Todo""#
    case admin = #"Bearer realm="Humon admin""#
    /// The request has a token, but it is not valid (RFC 6750 section 3.1).
    case todoInvalidToken = #"Bearer realm="Todo", error="invalid_token""#
}

/// The format of an error's body.
enum ErrorShape: Sendable {
    /// JSON with a `message`.
    case message
    /// JSON with `status` and `error`, or with an array of errors for each attribute.
    case todo
    /// No body, because some clients treat any body as data.
    case empty
    /// `[]`, for a client that crashes on anything but 200 and an array.
    case emptyArray

    /// The format of the response to an unsupported method of a path with this format.
    ///
    /// The apps that crash on it send only supported ones.
    var ofUnsupportedMethod: ErrorShape { self == .emptyArray ? .message : self }

    /// Selects the error format of a system's clients for this method.
    init(of system: ServedSystem, _ method: Method) {
        self =
            switch system {
            case .humon: .message
            case .todo: .todo
            case .mytasks: .empty
            case .twosquare: method == .get ? .emptyArray : .message
            }
    }
}
