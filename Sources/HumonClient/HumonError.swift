public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error of a call.
///
/// Its `localizedDescription` is a sentence to show to a person: the server's, such as
/// `Lat can't be blank`, or that of the client.
public struct HumonError: LocalizedError, Hashable, Sendable {
    /// The kinds of errors.
    public enum Kind: String, Sendable {
        /// The request is malformed (400).
        case badRequest
        /// The token is missing or has ended (401).
        case unauthorized
        /// The record belongs to another user, or the user is banned (403).
        case forbidden
        /// The record doesn't exist, or the server doesn't know the method (404).
        case notFound
        /// The cursor can't be continued (410).
        case gone
        /// The record has another version than that of `ifMatch` (412).
        case preconditionFailed
        /// The request is too large (413, 414, 431).
        case tooLarge
        /// Values are invalid; `errors` has a sentence for each (422).
        case validationFailed
        /// A sign-in needs a decision, or an identity belongs to another user (409).
        case conflict
        /// No response came within the time.
        case timeout
        /// Too many requests; see `retryAfter` (429).
        case rateLimited
        /// The server is overloaded or restarting (502, 503, 504).
        case unavailable
        /// The server failed.
        case server
        /// The server redirects to another address, which the client doesn't follow.
        case redirected
        /// The response is not what the server would send, such as a page of a hotel's network.
        case decoding
        /// The server can't be reached.
        case network
        /// The task was cancelled.
        case cancelled
        /// The token can't be read or stored now. It doesn't mean that the user is signed out.
        case tokenStore
        /// The address is `http:`, which only local servers may have.
        case insecureURL
        /// The call needs a token, and the device has none.
        case noToken
        /// Signing out would lose the user's records, because the user has no identity.
        case wouldLoseUser
        /// Writes wait in the outbox; see `unsentWrites`.
        case unsentWrites
    }

    /// The records of a device whose sign-in needs a decision.
    public struct Conflict: Hashable, Sendable, Decodable {
        /// The user of a device.
        public struct Device: Hashable, Sendable, Decodable {
            /// The id of the user.
            public let id: User.ID
            /// The number of the user's events.
            public let events: Int
            /// The number of the user's attendances.
            public let attendances: Int
        }

        /// The device's user.
        public let device: Device
        /// The user to which the sign-in belongs.
        public let user: User
    }

    /// The kind of the error.
    public let kind: Kind
    /// A sentence in English.
    public let message: String
    /// A sentence for each invalid value, if the kind is `validationFailed`.
    public internal(set) var errors: [String] = []
    /// The status of the response, or nil without a response.
    public internal(set) var status: Int?
    /// The id of the request in the server's log, or nil without a response.
    public internal(set) var requestID: String?
    /// The time to wait before the next attempt, if the server has named one.
    public internal(set) var retryAfter: Duration?
    /// The two users between which a person must decide, if the kind is `conflict`.
    public internal(set) var conflict: Conflict?
    /// The version that the record has now, if the kind is `preconditionFailed`.
    public internal(set) var version: String?
    /// The number of writes in the outbox, if the kind is `unsentWrites`.
    public internal(set) var unsentWrites: Int?
    /// Whether Humon has sent the response, rather than a proxy in front of it.
    package private(set) var isHumons = false

    /// Creates an error.
    package init(_ kind: Kind, _ message: String, unsentWrites: Int? = nil) {
        (self.kind, self.message, self.unsentWrites) = (kind, message, unsentWrites)
    }

    /// The sentences of `errors`, or else the message.
    public var errorDescription: String? {
        errors.isEmpty ? message : errors.joined(separator: ", ")
    }

    /// Returns the time to wait before a repetition: longer after each, and as the server wishes.
    func pause(after repetitions: Int) -> Duration {
        let longest = min(60, 0.5 * pow(2, Double(repetitions)))
        return max(retryAfter ?? .zero, .seconds(longest * .random(in: 0.5...1)))
    }

    /// Whether the same request can succeed later.
    package var isTemporary: Bool {
        switch kind {
        case .timeout, .rateLimited, .unavailable, .network: true
        default: false
        }
    }
}

extension HumonError {
    static let cancelled = HumonError(.cancelled, "The request was cancelled.")
    static let timeout = HumonError(.timeout, "The server didn't respond in time.")
    static let noToken = HumonError(.noToken, "Sign up or sign in first.")

    /// Returns the error of a response that no Humon server would send.
    static func notOfServer(_ response: HTTPURLResponse?) -> HumonError {
        var error = HumonError(.decoding, "The response is not one of a Humon server.")
        error.status = response?.statusCode
        error.requestID = response?.value(forHTTPHeaderField: "X-Request-Id")
        return error
    }

    /// Creates the error of a response that is no success.
    init(_ response: HTTPURLResponse, _ body: Data) {
        let content = try? JSONDecoder().decode(ErrorBody.self, from: body)
        let status = response.statusCode
        let fallback = "The server responded with status \(status)."
        let other: Kind = (300..<400).contains(status) ? .redirected : .server
        self.init(Self.kinds[status] ?? other, content?.message ?? fallback)
        errors = content?.errors ?? []
        isHumons = content?.message != nil
        self.status = status
        requestID = response.value(forHTTPHeaderField: "X-Request-Id")
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int64($0) }
            .flatMap { $0 < 0 ? nil : .seconds(min($0, 86_400)) }
        version = status == 412 ? response.value(forHTTPHeaderField: "ETag") : nil
        conflict = try? JSONDecoder().decode(Conflict.self, from: body)
    }

    /// Creates the error of a request without a response.
    init(_ error: any Error) {
        let error = error as? URLError
        switch error?.code {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timeout
        default: self.init(.network, "The server can't be reached.")
        }
    }

    /// The kinds of statuses; an older server sends 405 for a method that it doesn't know.
    private static let kinds: [Int: Kind] = [
        400: .badRequest, 401: .unauthorized, 403: .forbidden, 404: .notFound, 405: .notFound,
        408: .timeout, 409: .conflict, 410: .gone, 412: .preconditionFailed, 413: .tooLarge,
        414: .tooLarge, 422: .validationFailed, 429: .rateLimited, 431: .tooLarge,
        502: .unavailable, 503: .unavailable, 504: .unavailable,
    ]

    private struct ErrorBody: Decodable {
        let message: String?
        let errors: [String]?
    }
}
