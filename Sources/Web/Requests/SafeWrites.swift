import HTTP
import Logging
import Model
import Rules
import System

/// The performance of writes that clients can repeat safely, each in one transaction with the
/// response that is stored for its repetitions.
struct SafeWrites: Sendable {
    let services: Services
    let system: ServedSystem

    /// Returns the response to a write, with the record if the client prefers it.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - write: Performs the write with services that take part in the transaction.
    /// - Returns: The response, or that to an earlier request with the same key and content.
    /// - Throws: `RequestError.malformed` for a malformed key, `ModelError.invalid` if the key was
    ///   used for a different request, and the errors of `write`.
    func respond(
        to call: Call,
        _ write: @escaping @Sendable (Services, Call) async throws -> Response
    ) async throws -> Response {
        let key = try IdempotencyKey(call.request, isShared: system.sharesKeys)
        guard key != nil || call.request.prefersRepresentation else {
            return try await write(services, call)
        }
        var call = call
        call.parseParameters()
        // Without parameters, the write throws the same error as without a key.
        let parameters = try? call.parameters()
        let token: TokenDigest? =
            switch system {
            case .humon: try services.authentication.token(of: call.request)
            case .todo:
                try services.accountAuthentication.token(of: call, call.parameters())
            case .mytasks, .twosquare: nil
            }
        // Otherwise made-up tokens would keep the transactions of others waiting.
        if let token, !services.seenTokens.contains(token) {
            guard try await scope(of: token, services) != nil else {
                return try await write(services, call)
            }
            services.seenTokens.insert(token)
        }
        let fingerprint = key == nil ? nil : parameters.map { call.fingerprint($0) }
        // A transaction can run several times, but its result counts once.
        let (response, result) = try await services.transactions.atomically {
            [services, call] stores -> (Response, String?) in
            let joined = services.joining(stores)
            guard let key, let fingerprint else { return (try await write(joined, call), nil) }
            guard let scope = try await scope(of: token, joined) else {
                if let token { services.seenTokens.remove(token) }
                return (try await write(joined, call), nil)
            }
            let digest = key.digest(in: system, scope: scope)
            if let stored = try await stores.responses.claim(digest, fingerprint: fingerprint) {
                let isSame = stored.fingerprint == fingerprint
                return (Response(stored), isSame ? "replayed" : "conflict")
            }
            let response = try await write(joined, call)
            try await stores.responses.store(
                StoredResponse(fingerprint: fingerprint, response),
                of: digest
            )
            return (response, "stored")
        }
        if let result { services.writeMetrics?.note(result) }
        if result == "conflict" { throw Self.conflict }
        return response
    }

    private static let conflict = ModelError.invalid([
        AttributeError("Idempotency-Key", "has already been used for a different request")
    ])

    /// Returns the scope of the keys of a token; nil if the token is unknown.
    private func scope(of token: TokenDigest?, _ services: Services) async throws -> Int64? {
        // Clients without tokens share their keys.
        guard let token else { return 0 }
        return system == .todo
            ? try await services.accounts.findID(token: token)
            : try await services.responses.scope(of: token)
    }
}

extension Response {
    /// The header that marks the response to an earlier request.
    static let replayField = "idempotent-replayed"

    /// The headers that are stored.
    fileprivate static let storedFields = [
        "content-type", "location", "content-location", "etag", "preference-applied",
        "cache-control",
    ]

    /// Creates the response to a repeated request.
    fileprivate init(_ stored: StoredResponse) {
        let statuses = [Status.ok, .created, .noContent]
        let status = statuses.first { $0.code == stored.status } ?? Status(stored.status)
        self.init(status, body: stored.body)
        for line in stored.fields.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2 { headers.append(String(parts[0]), String(parts[1])) }
        }
        headers.append(Self.replayField, "true")
    }

    /// Creates the response to a write with the record, as a client prefers it (RFC 7240).
    ///
    /// - Parameters:
    ///   - body: The JSON of the record.
    ///   - location: The path of the record; nil if it has none.
    ///   - method: The method of the request.
    /// - Returns: The response.
    static func record(_ body: [UInt8], at location: String?, _ method: Method) -> Response {
        var response = json(location != nil && method == .post ? .created : .ok, body: body)
        if let location {
            if method == .post { response.headers.append("location", location) }
            response.headers.append("content-location", location)
            // A PUT must not return one unless the record is stored as it was sent (RFC 9110
            // section 9.3.4).
            if method != .put { response.headers.append("etag", ETag.make(for: body.span)) }
        }
        response.headers.append("preference-applied", "return=representation")
        response.headers.append("cache-control", "no-store")
        return response
    }
}

extension StoredResponse {
    fileprivate init(fingerprint: [UInt8], _ response: Response) {
        let lines = response.headers.fields.filter { Response.storedFields.contains($0.name) }
            .map { "\($0.name) \($0.value)" }
        self.init(
            fingerprint: fingerprint,
            status: response.status.code,
            fields: lines.joined(separator: "\n"),
            body: response.body
        )
    }
}
