import Foundation
import FoundationNetworking
import HumonClient
import Testing

/// A `humon test-server` that ends with the test.
final class Server: Sendable {
    /// The line that the server prints.
    private struct Line: Decodable {
        let url: URL
        let secret: String
    }

    /// One that many tests use, with sign-in.
    static let shared = Result { try Server("--auth-issuers", Issuer.shared.get().setting) }

    let url: URL
    let secret: String
    private let process: Process
    private let input: Pipe

    /// Starts a server with more flags.
    init(_ flags: String...) throws {
        let (process, input, line) = try Process.start("humon", ["test-server"] + flags)
        (self.process, self.input) = (process, input)
        let read = try JSONDecoder().decode(Line.self, from: line)
        (url, secret) = (read.url, read.secret)
    }

    deinit {
        // Another child can inherit the end of the pipe, so closing it may not end the process.
        process.terminate()
    }

    /// Returns a client with a token of its own, at the server or at another address.
    func client(
        at url: URL? = nil,
        timeout: Duration = .seconds(30),
        retry: RetryPolicy = .standard,
        tokens: any TokenStore = MemoryTokenStore()
    ) -> HumonClient {
        let configuration = HumonConfiguration(
            baseURL: url ?? self.url,
            appSecret: secret,
            timeout: timeout,
            retry: retry
        )
        return HumonClient(configuration, tokens: tokens)
    }

    /// Returns a client whose user is new.
    func newUser() async throws -> HumonClient {
        let humon = client()
        try await humon.session.signUp()
        return humon
    }

    /// Returns a JSON document of the server.
    func json(_ path: String) async throws -> [String: any Sendable] {
        let address = try #require(URL(string: url.absoluteString + path))
        let data = try await URLSession.shared.data(from: address).0
        return try JSONSerialization.jsonObject(with: data) as? [String: any Sendable] ?? [:]
    }
}

/// One token for all addresses of a server.
final class SharedTokenStore: TokenStore {
    private let store = MemoryTokenStore()
    private let key = TokenKey(URL(filePath: "/"))

    func token(for _: TokenKey) -> StoredToken? { store.token(for: key) }

    func set(_ token: StoredToken?, for _: TokenKey) { store.set(token, for: key) }
}

extension EventDraft {
    /// Returns an event in Ghent in 2036.
    static func ghent(_ name: String = "Jazz") -> EventDraft {
        let place = Coordinate(latitude: 51.05, longitude: 3.72)
        return EventDraft(
            name: name,
            at: place,
            startedAt: Date(timeIntervalSince1970: 2_095_956_000.123)
        )
    }
}

/// Returns the error of a call; nil if it succeeds.
func error(of call: () async throws -> Void) async throws -> HumonError? {
    do {
        try await call()
        return nil
    } catch let error as HumonError {
        return error
    }
}
