import HTTPClient
import JSON
package import Logging
package import Model
package import Rules
import System
package import Time

/// The state of an issuer's keys.
package struct KeyStatus: Sendable {
    package let issuer: Issuer
    /// The keys of the latest successful fetch.
    package let keys: [KeySet.Entry]
    /// The time since the latest successful fetch; nil before the first.
    package let ageSeconds: Int64?
    package let successes: UInt64
    package let failures: UInt64
    /// Why the latest fetch failed; nil if it succeeded.
    package let error: String?
}

/// Verifies ID tokens with the keys of their issuers, which its thread fetches.
package final class IDTokenVerifier: IdentityVerifier {
    /// How often files are looked at, in ms.
    private static let glance: Int64 = 60_000

    private let sources: [IssuerKeys]
    private let fetch: KeyFetch
    private let logger: Logger?
    private let now: @Sendable () -> Timestamp
    private let isStopped = Mutex(false)
    private let wakeUp = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// Creates a verifier without keys; see `start` and `refresh`.
    ///
    /// - Parameters:
    ///   - issuers: The trusted issuers.
    ///   - refreshMinutes: How often keys are fetched from URLs.
    ///   - authorities: A file with certificates of authorities; nil for those of the system.
    ///   - logger: Where failed fetches are logged.
    ///   - fetch: Makes requests for keys; nil for those of libcurl.
    ///   - now: The wall clock, for the times in tokens.
    ///   - uptime: The monotonic clock in ms, for the age of keys.
    /// - Throws: `SignInLibraryError` if a library is missing.
    package init(
        _ issuers: [Issuer],
        refreshMinutes: Int,
        authorities: String? = nil,
        logger: Logger? = nil,
        fetch: KeyFetch? = nil,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        uptime: @escaping @Sendable () -> Int64 = { MonotonicClock.milliseconds() }
    ) throws(SignInLibraryError) {
        let library = try Libcrypto.load()
        let refresh = Int64(refreshMinutes) * 60_000
        sources = issuers.map { IssuerKeys(of: $0, library, refresh: refresh, uptime: uptime) }
        if let fetch {
            self.fetch = fetch
        } else if issuers.contains(where: \.hasURL) {
            guard let client = HTTPClient(authorities: authorities) else {
                throw SignInLibraryError()
            }
            self.fetch = { url throws(KeyError) in try client.keys(at: url) }
        } else {
            self.fetch = { _ throws(KeyError) in throw KeyError("it is a file") }
        }
        self.logger = logger
        self.now = now
    }

    /// The state of each issuer's keys.
    package var statuses: [KeyStatus] { sources.map(\.status) }

    /// Returns the identity in an ID token.
    ///
    /// If its key is unknown, it waits up to 5 s for a fetch, but never blocks the thread.
    package func verify(
        _ idToken: String,
        nonce: String?
    ) async throws(ModelError) -> Identity {
        let (token, issuer) = try await authenticated(idToken)
        return try token.checkedClaims(issuer, nonce: nonce, now: now().milliseconds / 1000)
    }

    /// Returns the configured issuer that a token claims to be from, or `unknown`, for metrics.
    package func issuer(of idToken: String) -> String {
        let name = (try? IDToken(idToken)).flatMap { try? $0.text("iss") }
        return name.flatMap(source)?.issuer.name ?? "unknown"
    }

    /// Returns what a token says, unverified, as rows of a name and a value.
    package static func rows(of idToken: String) -> [[String]] {
        guard let token = try? IDToken(idToken) else { return [] }
        let names =
            ["alg", "kid"].map { ($0, token.header) }
            + ["iss", "aud", "azp", "sub", "iat", "nbf", "exp"].map { ($0, token.claims) }
        return names.compactMap { name, object in
            switch object[name] {
            case nil: nil
            case .string(let text), .number(let text):
                [
                    name,
                    (try? token.seconds(name)).map { Timestamp(milliseconds: $0 * 1000).text }
                        ?? text,
                ]
            default: [name, (try? token.audiences())?.joined(separator: ", ") ?? "malformed"]
            }
        }
    }

    /// Returns the identity that a token claims to be of, unverified; nil if it names none.
    package static func claimedIdentity(in idToken: String) -> Identity? {
        guard let token = try? IDToken(idToken), let issuer = try? token.text("iss"),
            let subject = try? token.text("sub")
        else { return nil }
        return Identity(issuer: issuer, subject: subject)
    }

    /// Returns whether the signature of a token is valid.
    package func hasValidSignature(_ idToken: String) async -> Bool {
        (try? await authenticated(idToken)) != nil
    }

    /// Returns a token whose signature is valid, and its issuer.
    private func authenticated(_ idToken: String) async throws(ModelError) -> (IDToken, Issuer) {
        let token = try IDToken(idToken)
        let algorithm = try token.checkedHeader()
        guard let name = try token.text("iss") else { throw .malformedToken }
        guard let source = source(name) else {
            throw .rejected("is from an unknown issuer")
        }
        guard case .string(let kid) = token.header["kid"], 1...255 ~= kid.utf8.count else {
            throw .unknownKey
        }
        let key = try await source.key(kid) { wakeUp.signal() }
        guard key.algorithm == algorithm, key.verifies(token.signature, of: token.signedText)
        else { throw .rejected("has an invalid signature") }
        return (token, source.issuer)
    }

    private func source(_ name: String) -> IssuerKeys? {
        sources.first { $0.issuer.name.isIdentical(to: name) }
    }

    // MARK: Keys

    /// The time in ms until the keys of an issuer are due; 0 if they are.
    var millisecondsUntilDue: Int64 { sources.map(\.millisecondsUntilDue).min() ?? Self.glance }

    /// Starts the thread that fetches keys; throws `ThreadError` if that is not possible.
    package func start() throws {
        let started = try POSIXThread { [self] in
            while !isStopped.withLock({ $0 }) {
                refresh()
                wakeUp.wait(atMostMilliseconds: min(millisecondsUntilDue, Self.glance))
            }
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread; blocks until its fetch has ended, 5 s at most.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { $0 }?.join()
    }

    /// Fetches all keys that are due; blocks for 5 s at most for each issuer.
    package func refresh() {
        for source in sources where source.millisecondsUntilDue == 0 {
            guard !isStopped.withLock({ $0 }) else { return }
            source.fetch(fetch, logger)
        }
    }
}

extension HTTPClient {
    /// Returns the document with an issuer's keys.
    func keys(at url: String) throws(KeyError) -> [UInt8] {
        do throws(HTTPClientError) {
            return try get(url, maximum: KeySet.maximumBytes)
        } catch {
            throw KeyError(error.reason)
        }
    }
}
