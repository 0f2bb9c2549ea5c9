import Foundation

/// Signing up, in and out.
public struct Session: Sendable {
    let transport: Transport

    /// Whether the device has a token; throws if it can't be read now, which doesn't mean no.
    public var hasToken: Bool {
        get throws(HumonError) { try transport.tokens.current() != nil }
    }

    /// The state now and each later one.
    public var states: AsyncStream<SessionState> { transport.tokens.states() }

    /// Creates a user for this device, or returns its user if it already has one.
    ///
    /// The server needs the app's secret for it, unless it allows sign-up without one.
    @discardableResult
    @concurrent public func signUp() async throws(HumonError) -> User {
        // Stored before it is sent, so that a lost response makes no second user.
        let stored = try prepare()
        let token = stored.current ?? stored.pending
        let call = Call("POST", "users", .harmless, needsToken: false)
            .header("tb-app-secret", transport.configuration.appSecret)
            .header("tb-device-token", token)
        let user = try await transport.send(call, token: .some(nil)).decode(User.self)
        try transport.tokens.update {
            guard $0.current == stored.current else { return }
            $0.begin(token, user.id)
        }
        return user
    }

    /// Signs in with an ID token of Apple, Google or another issuer.
    ///
    /// `nonce` is the text whose SHA-256 the app has given to the issuer, and `deviceName` is for
    /// the list of devices. If the person has another user, `merging` says what becomes of the
    /// device's records; `.ask` throws `conflict`.
    @discardableResult
    @concurrent public func signIn(
        idToken: String,
        nonce: String? = nil,
        deviceName: String? = nil,
        merging: Merging = .ask
    ) async throws(HumonError) -> SignIn {
        let stored = try prepare()
        let texts = [
            "id_token": idToken, "nonce": nonce, "device_token": stored.pending,
            "device_name": deviceName,
        ]
        var body = texts.compactMapValues { $0.map(JSONValue.text) }
        body["merge"] = merging.value.map(JSONValue.boolean)
        let call = try Call("POST", "sessions", .harmless, needsToken: false).with(body)
        let reply = try await transport.send(call, token: .some(stored.current))
        let signIn = try reply.decode(SignIn.self)
        try transport.tokens.update { $0.begin(signIn.token, signIn.userID) }
        return signIn
    }

    /// Ends the device's token, on the server and on the device.
    ///
    /// - Parameter losingUser: Whether a user without identity is given up; nobody can reach its
    ///   records afterwards.
    /// - Throws: `wouldLoseUser` for such a user otherwise; `unsentWrites` if an outbox has writes.
    @concurrent public func signOut(losingUser: Bool = false) async throws(HumonError) {
        guard let token = try transport.tokens.current() else { return }
        let count = try await transport.tokens.unsentWrites()
        guard count == 0 else {
            throw HumonError(.unsentWrites, "\(count) changes are not sent.", unsentWrites: count)
        }
        do throws(HumonError) {
            if !losingUser, try await Users(transport: transport).me().issuers.isEmpty {
                throw HumonError(.wouldLoseUser, "Sign in before you sign out.")
            }
            try await transport.end("users/me/devices/current", token)
        } catch {
            // The token has ended already.
            guard error.kind == .unauthorized, error.isHumons else { throw error }
        }
    }

    /// Replaces the device's token, for example after a backup was restored on another phone.
    ///
    /// The old one works until the new one is first used.
    @concurrent public func rotateToken() async throws(HumonError) {
        struct Rotation: Decodable { let auth_token: String }
        guard let old = try transport.tokens.current() else { throw .noToken }
        let call = Call("POST", "users/me/token", .unsafe)
        let new = try await transport.send(call, token: old).decode(Rotation.self).auth_token
        try transport.tokens.update { if $0.current == old { $0.current = new } }
    }

    /// Returns what is stored, with a pending token if the device has none.
    private func prepare() throws(HumonError) -> StoredToken {
        try transport.tokens.update { stored in
            guard stored.pending == nil else { return }
            stored.pending = UUID().uuidString.lowercased()
        }
    }
}

/// The use of the records of a device when a person with another user signs in.
public enum Merging: Hashable, Sendable {
    /// The call throws `conflict`, so that the app can ask.
    case ask
    /// They move to the person's user; this can't be undone.
    case merge
    /// They stay with the device's user, which nobody can reach afterwards.
    case leave

    var value: Bool? { self == .ask ? nil : self == .merge }
}

/// The result of a sign-in.
public struct SignIn: Hashable, Sendable, Decodable {
    /// The outcome of a sign-in.
    public struct Outcome: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The person is new, and so is the user.
        public static let created = Outcome(rawValue: "created")
        /// The person is known.
        public static let signedIn = Outcome(rawValue: "signed_in")
        /// The device's user has this identity now.
        public static let linked = Outcome(rawValue: "linked")
        /// The device's records have moved to the person's user.
        public static let merged = Outcome(rawValue: "merged")
    }

    /// The user whose token the device has now.
    public let userID: User.ID
    /// The outcome.
    public let outcome: Outcome
    let token: String

    private enum CodingKeys: String, CodingKey {
        case userID = "id"
        case outcome = "result"
        case token = "auth_token"
    }
}
