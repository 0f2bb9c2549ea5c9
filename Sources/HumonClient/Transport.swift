package import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends calls with the device's token, and repeats those that are safe to repeat.
package final class Transport: Sendable {
    let configuration: HumonConfiguration
    package let tokens: TokenKeeper
    private let session: URLSession
    private let connections = Connections()
    private let address: String?

    init(_ configuration: HumonConfiguration, _ store: any TokenStore) {
        self.configuration = configuration
        tokens = TokenKeeper(store, TokenKey(configuration.baseURL))
        address = Self.address(of: configuration)
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: settings, delegate: connections, delegateQueue: nil)
    }

    // The session retains its delegate until it is invalidated.
    deinit { session.invalidateAndCancel() }

    /// Performs a call with a token, by default the stored one, or throws the last attempt's error.
    @concurrent package func send(
        _ call: Call,
        token given: String?? = .none
    ) async throws(HumonError) -> Reply {
        let token = if let given { given } else { try tokens.current() }
        let request = try request(of: call, token: token)
        let deadline = ContinuousClock.now + configuration.timeout + call.moreTime
        var repetitions = 0
        while true {
            do {
                return try await attempt(request, before: deadline)
            } catch {
                if repetitions > 0, error.isHumons, error.status == call.statusOfRepetition {
                    return Reply(body: Data(), response: nil)
                }
                // The login page of a proxy must not cost the device its only key.
                if error.status == 401, error.isHumons, let token { try tokens.remove(token) }
                let time = error.pause(after: repetitions)
                guard call.repetition != .unsafe, error.isTemporary,
                    repetitions < configuration.retry.maximumRepetitions,
                    ContinuousClock.now + time < deadline
                else { throw error }
                try await pause(time)
                repetitions += 1
            }
        }
    }

    /// Sends a call that ends the token, and removes the token with its user.
    func end(_ path: String, _ token: String) async throws(HumonError) {
        _ = try await send(.delete(path, statusOfRepetition: 401), token: token)
        try tokens.update { if $0.current == token { $0 = StoredToken() } }
    }

    /// Waits for this time, or throws `cancelled`.
    func pause(_ time: Duration) async throws(HumonError) {
        do { try await Task.sleep(for: time) } catch { throw .cancelled }
    }

    /// Sends a request once.
    private func attempt(
        _ request: URLRequest,
        before deadline: ContinuousClock.Instant
    ) async throws(HumonError) -> Reply {
        let remaining = deadline - .now
        guard remaining > .zero else { throw .timeout }
        // A page of 1,000 events has up to 30 MB.
        let limits = Connection.Limits(bytes: 64 << 20, seconds: remaining / .seconds(1))
        let (connection, response) = try await connect(request, limits, "application/json")
        return Reply(body: try await connection.rest(), response: response)
    }

    /// Opens a stream; with more than 256 KiB unread, or after 45 s of silence, it ends.
    func open(_ call: Call) async throws(HumonError) -> Connection {
        let token = try tokens.current()
        let request = try request(of: call, token: token)
        let limits = Connection.Limits(bytes: 256 << 10, seconds: 45, isSilence: true)
        do {
            return try await connect(request, limits, "text/event-stream").0
        } catch {
            if error.status == 401, error.isHumons, let token { try tokens.remove(token) }
            throw error
        }
    }

    /// Starts a request, and returns the beginning of a successful response of this type.
    private func connect(
        _ request: URLRequest,
        _ limits: Connection.Limits,
        _ type: String
    ) async throws(HumonError) -> (Connection, HTTPURLResponse) {
        if Task.isCancelled { throw .cancelled }
        let connection = Connection(limits)
        let task = session.dataTask(with: request)
        connections.add(connection, of: task)
        let response = try await connection.start(task)
        guard (200..<300).contains(response.statusCode) else {
            throw HumonError(response, try await connection.rest())
        }
        // Anything else comes from something between the client and the server.
        let isEmpty = response.statusCode == 204 && !limits.isSilence
        guard isEmpty || response.mimeType == type else { throw .notOfServer(response) }
        return (connection, response)
    }

    /// Returns the request of a call, or throws `noToken` or `insecureURL`.
    func request(of call: Call, token: String?) throws(HumonError) -> URLRequest {
        if call.needsToken, token == nil { throw .noToken }
        guard let address else {
            let problem = "\(configuration.baseURL) is not an https URL."
            throw HumonError(.insecureURL, problem + " Use https, or set allowsPlainHTTP.")
        }
        let items = call.query.map { "\($0.name)=\($0.value?.percentEncoded ?? "")" }
        let text = address + call.path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
        guard let url = URL(string: text) else {
            throw HumonError(.badRequest, "\(text) is not a valid URL.")
        }
        let headers: [String: String?] = [
            "Accept": "application/json", "tb-auth-token": token,
            "Content-Type": call.body == nil ? nil : "application/json",
            "Idempotency-Key": call.repetition == .key ? "\"\(UUID())\"" : nil,
            "traceparent": configuration.traceparent?(),
        ]
        var request = URLRequest(url: url, timeoutInterval: 3_600)
        request.httpMethod = call.method
        request.httpBody = call.body
        request.allHTTPHeaderFields = headers.compactMapValues(\.self).merging(call.headers) { $1 }
        return request
    }

    /// Returns the address of the API, or nil if requests to it are not allowed.
    private static func address(of configuration: HumonConfiguration) -> String? {
        let url = configuration.baseURL
        let host = url.host?.lowercased() ?? ""
        let isLocal =
            ["localhost", "::1", "[::1]", "10.0.2.2"].contains(host) || host.hasSuffix(".local")
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
        let schemes = isLocal || configuration.allowsPlainHTTP ? ["https", "http"] : ["https"]
        guard schemes.contains(url.scheme?.lowercased() ?? "") else { return nil }
        return TokenKey(url).address + "/v1/"
    }
}

/// A successful response.
package struct Reply: Sendable {
    package let body: Data
    var response: HTTPURLResponse?
    /// The `ETag` of the record, or nil.
    package var version: String? { response?.value(forHTTPHeaderField: "ETag") }

    /// Reads the body as JSON, or throws `decoding`.
    package func decode<Value: Decodable>(_: Value.Type = Value.self) throws(HumonError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { try Timestamp(from: $0).date }
        do { return try decoder.decode(Value.self, from: body) } catch {
            throw .notOfServer(response)
        }
    }
}

/// The response to a write.
package struct Identified: Decodable {
    package let id: Int64
}

extension String {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,:"
    )

    /// The text with everything percent-encoded except unreserved characters, commas and colons.
    var percentEncoded: String { addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "" }
}
