import Foundation
import HTTP
import HTTPServer
import Humon
package import Model
import Operations
package import Settings
import Sodium
import System
import Time
import Web

/// Runs `body` with an admin server beside a server that has an empty database of its own.
///
/// `backups` replaces those of the server. Throws what `body` and `withServer` throw.
package func withAdminServer(
    _ driver: Driver,
    on storage: TestStorage = .ofEnvironment,
    backups: (any AdminBackups)? = nil,
    configure: (inout Configuration) -> Void = { _ in },
    _ body: (AdminServer) async throws -> Void
) async throws {
    let clock = ManualClock()
    try await withServer(
        .socket,
        on: storage,
        configure: { configuration in
            configuration.limitsRates = false
            configure(&configuration)
        }
    ) { api in
        let server = try api.admin(driver, clock, backups)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

/// A clock that a spec sets.
package final class ManualClock: Sendable {
    private let time = Mutex<Int64>(1_000_000_000)

    var microseconds: Int64 { time.withLock { $0 } }

    package func advance(seconds: Int64) {
        time.withLock { $0 += seconds * 1_000_000 }
    }
}

/// The admin server on the database of a server, and a client of it.
package final class AdminServer: Sendable {
    /// The server for apps.
    package let api: TestServer
    package let stores: Stores
    /// The clock of its limits.
    package let clock: ManualClock
    private let application: AdminApplication
    private let client: any Client
    private let backups: ScheduledBackups?
    private let makeBackupFile: @Sendable () throws -> String
    private let knownContract = Mutex<APIContract?>(nil)

    init(
        api: TestServer,
        stores: Stores,
        clock: ManualClock,
        application: AdminApplication,
        client: any Client,
        backups: ScheduledBackups?,
        makeBackupFile: @escaping @Sendable () throws -> String
    ) {
        self.api = api
        self.stores = stores
        self.clock = clock
        self.application = application
        self.client = client
        self.backups = backups
        self.makeBackupFile = makeBackupFile
    }

    /// The headers that every response has, besides `Cache-Control` and `X-Content-Type-Options`.
    private static let securityFields = [
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types 'none'",
    ]

    /// The answer to a request, without the headers that every response must have.
    ///
    /// Throws `LeakError` if it holds a credential and does not answer a sign-in, `ContractError`
    /// if the description does not know such an answer, and `ProtocolError` if it is not as safe
    /// as every response must be.
    package func send(_ request: TestRequest) async throws -> Answer {
        var answer = try await exchange(request)
        let path = request.target.prefix { $0 != "?" }
        guard !["/healthz", "/readyz", "/metrics"].contains(path) else { return answer }
        try api.credentials.inspect(answer, to: request)
        let text = "\(request.method) \(request.target): \(answer)"
        for (name, value) in Self.securityFields {
            guard answer.fields.removeValue(forKey: name) == value else {
                throw ProtocolError("\(name) in \(text)")
            }
        }
        guard answer.cacheControl == "no-store", answer.isNeverSniffed else {
            throw ProtocolError("a response to keep or to sniff: \(text)")
        }
        guard !answer.fields.keys.contains(where: { $0.hasPrefix("access-control-") }),
            answer.fields["set-cookie"] == nil
        else { throw ProtocolError("CORS or a cookie in \(text)") }
        guard answer.fields["content-type"] != "application/octet-stream" else { return answer }
        guard !answer.body.contains("$argon2"), !answer.body.contains(TestServer.secret) else {
            throw ProtocolError("a secret in \(text)")
        }
        let contract = try await contract()
        if contract.hasPath(of: request) { try contract.check(answer, to: request) }
        return answer
    }

    /// The answer to a request with this token.
    package func send(
        _ method: String,
        _ target: String,
        with token: String? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
        let others = headers.map { "\($0): \($1)\r\n" }.joined()
        return try await send(
            TestRequest(
                admin: method,
                target,
                lines: "Host: localhost:3001\r\n" + authorization + type + others,
                body: body
            )
        )
    }

    /// The OpenAPI document.
    package func description() async throws -> String {
        let lines = "Host: localhost\r\n"
        let target = "/admin/v1/openapi.json"
        return try await exchange(TestRequest(admin: "GET", target, lines: lines)).body
    }

    /// Sends a request.
    ///
    /// The handler of the admin server may need the threads that other specs share.
    private func exchange(_ request: TestRequest) async throws -> Answer {
        guard let client = client as? SocketClient else { return try await client.send(request) }
        return try await withCheckedThrowingContinuation { continuation in
            Foundation.Thread.detachNewThread {
                continuation.resume(with: Result { try client.exchange([request])[0] })
            }
        }
    }

    private func contract() async throws -> APIContract {
        if let contract = knownContract.withLock({ $0 }) { return contract }
        let contract = try APIContract(json: Array(await description().utf8))
        knownContract.withLock { $0 = contract }
        return contract
    }

    /// The number of passwords of admins that were checked.
    package var totalHashes: Int { application.totalHashes }

    /// Adds an admin, and returns the password.
    package func addAdmin(_ name: String = "ana") async throws -> String {
        let (password, hash) = try await RandomPassword.ofAdmin()
        try await stores.admins.add(name, hash: hash, by: "cli:eva")
        return password
    }

    /// Returns a new token of an admin, who is added if necessary.
    package func token(
        of name: String = "ana",
        named tokenName: String? = nil,
        in milliseconds: Int64 = AdminLimits.sessionMilliseconds
    ) async throws -> String {
        if try await stores.admins.credentials(of: name) == nil {
            try await stores.admins.add(name, hash: "none", by: "cli:eva")
        }
        let token = Admin.token(from: RandomBytes.make)
        api.credentials.remember(token)
        let end = Timestamp(milliseconds: Timestamp.now().milliseconds + milliseconds)
        guard let credentials = try await stores.admins.credentials(of: name),
            try await stores.admins.addToken(
                TokenDigest(of: token),
                of: credentials,
                name: tokenName,
                expiresAt: end,
                by: name
            )
        else { throw ProtocolError("no token") }
        return token
    }

    /// Makes a backup, and returns its name.
    package func makeBackup() throws -> String { try makeBackupFile() }

    /// The latest actions, newest first, as `ana hide event 7`.
    package func audit(_ limit: Int) async throws -> [String] {
        try await stores.moderation.actions(before: nil, limit: limit).map { action in
            "\(action.actor) \(action.action) \(action.kind) \(action.recordID ?? 0)"
        }
    }

    /// Ends what runs.
    func stop() async {
        await withCheckedContinuation { continuation in
            Foundation.Thread.detachNewThread { [client, application, backups] in
                backups?.stop()
                client.stop()
                application.stop()
                continuation.resume()
            }
        }
    }
}

extension TestRequest {
    /// A request with these header lines, to which nothing but its length is added.
    package init(
        admin method: String,
        _ target: String,
        lines: String,
        body: String = "",
        version: String = "1.1"
    ) {
        var text = "\(method) \(target) HTTP/\(version)\r\n" + lines
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        self.init(method, target, wire: text + "\r\n" + body)
    }
}
