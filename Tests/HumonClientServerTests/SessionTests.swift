import Foundation
import HumonClient
import Testing

/// Signing up, in and out.
@Suite struct SessionTests {
    private let server: Server
    /// A person who has signed in on another device.
    private let person = UUID().uuidString
    private let other: HumonClient

    init() async throws {
        server = try Server.shared.get()
        other = server.client()
        try await other.session.signIn(idToken: idToken())
    }

    private func idToken() throws -> String { try Issuer.shared.get().idToken(of: person) }

    /// Returns a device whose user has an event.
    private func device() async throws -> (HumonClient, User.ID) {
        let humon = server.client()
        let user = try await humon.session.signUp()
        _ = try await humon.events.create(.ghent())
        return (humon, user.id)
    }

    @Test func `signs up once`() async throws {
        let humon = server.client()
        let before = try humon.session.hasToken
        let user = try await humon.session.signUp()
        let again = try await humon.session.signUp()

        #expect(!before)
        #expect(try humon.session.hasToken)
        #expect(user == again)
        #expect(try await humon.users.me().id == user.id)
    }

    @Test func `needs the secret of the app to sign up`() async throws {
        let configuration = HumonConfiguration(baseURL: server.url)
        let humon = HumonClient(configuration, tokens: MemoryTokenStore())

        #expect(try await error { try await humon.session.signUp() }?.kind == .notFound)
        #expect(try !humon.session.hasToken)
    }

    @Test func `signs a person in on two devices, and out of one`() async throws {
        let humon = server.client()
        let states = humon.session.states
        let signIn = try await humon.session.signIn(idToken: idToken(), deviceName: "phone")
        let devices = try await humon.users.devices()
        try await humon.session.signOut()
        let created = try await server.client().session.signIn(
            idToken: Issuer.shared.get().idToken(of: UUID().uuidString)
        )

        #expect(signIn.outcome == .signedIn)
        #expect(signIn.userID == (try await other.users.me().id))
        #expect(created.outcome == .created)
        #expect(devices.map(\.name) == ["phone", nil])
        #expect(devices.map(\.isCurrent) == [true, false])
        #expect(try await other.users.devices().count == 1)
        #expect(try !humon.session.hasToken)
        var seen: [SessionState] = []
        for await state in states.prefix(3) { seen.append(state) }
        #expect(seen == [.signedOut, .signedIn(userID: signIn.userID), .signedOut])
    }

    @Test func `links a device to a new person`() async throws {
        let (humon, user) = try await device()
        let idToken = try Issuer.shared.get().idToken(of: UUID().uuidString)

        let signIn = try await humon.session.signIn(idToken: idToken)

        #expect(signIn.outcome == .linked)
        #expect(signIn.userID == user)
        #expect(try await humon.users.me().events == 1)
        #expect(try await humon.users.me().issuers == ["https://issuer.test"])
    }

    @Test(arguments: [Merging.merge, .leave])
    func `decides about the records of a device`(merging: Merging) async throws {
        let (humon, user) = try await device()
        let person = try await other.users.me().id

        let error = try await error { try await humon.session.signIn(idToken: idToken()) }
        #expect(try await humon.users.me().id == user)
        let signIn = try await humon.session.signIn(idToken: idToken(), merging: merging)

        #expect(error?.kind == .conflict)
        #expect(error?.conflict?.device.id == user)
        #expect(error?.conflict?.user.id == person)
        #expect(error?.conflict?.device.events == 1)
        #expect(error?.conflict?.device.attendances == 0)
        #expect(signIn.outcome == (merging == .merge ? .merged : .signedIn))
        #expect(signIn.userID == person)
        #expect(try await humon.users.me().events == (merging == .merge ? 1 : 0))
        #expect(try await other.users.me().events == (merging == .merge ? 1 : 0))
    }

    @Test func `rejects a bad ID token, and keeps the token`() async throws {
        let (humon, user) = try await device()
        let stranger = try Issuer.shared.get().idToken(of: UUID().uuidString)
        let signature = try #require(stranger.split(separator: ".").last)
        let forged =
            try idToken().split(separator: ".").dropLast().joined(separator: ".")
            + "." + signature

        let error = try await error { try await humon.session.signIn(idToken: forged) }

        #expect(error?.kind == .validationFailed)
        #expect(error?.errors == ["Id token has an invalid signature"])
        #expect(try await humon.users.me().id == user)
    }

    @Test func `loses no user by signing out`() async throws {
        let (humon, user) = try await device()

        #expect(try await error { try await humon.session.signOut() }?.kind == .wouldLoseUser)
        #expect(try await humon.users.me().id == user)
        try await humon.session.signOut(losingUser: true)
        #expect(try !humon.session.hasToken)
        #expect(try await humon.session.signUp().id != user)
    }

    @Test func `rotates the token`() async throws {
        let tokens = MemoryTokenStore()
        let humon = server.client(tokens: tokens)
        let user = try await humon.session.signUp()
        let old = tokens.token(for: TokenKey(server.url))
        try await humon.session.rotateToken()
        let new = tokens.token(for: TokenKey(server.url))
        #expect(try await humon.users.me().id == user.id)

        #expect(old?.current != new?.current)
        #expect(new?.userID == user.id)
        // The server stores the use of the new token beside the request, and then ends the old one.
        var failure: HumonError?
        let end = ContinuousClock.now + .seconds(10)
        repeat {
            tokens.set(old, for: TokenKey(server.url))
            failure = try await error { _ = try await humon.users.me() }
        } while failure == nil && ContinuousClock.now < end
        #expect(failure?.kind == .unauthorized)
    }

    @Test func `forgets a token that has ended, but not a newer one`() async throws {
        let store = MemoryTokenStore()
        let humon = server.client(tokens: store)
        try await humon.session.signIn(idToken: idToken())
        for device in try await other.users.devices() where !device.isCurrent {
            try await other.users.endDevice(device.id)
        }

        let error = try await error { _ = try await humon.users.me() }
        #expect(error?.kind == .unauthorized)
        #expect(error?.localizedDescription == "Unauthorized")
        #expect(try !humon.session.hasToken)
        #expect(try await humon.session.signIn(idToken: idToken()).outcome == .signedIn)
        #expect(try humon.session.hasToken)
    }

    @Test func `signs out with a token that has ended`() async throws {
        let humon = server.client()
        try await humon.session.signIn(idToken: idToken())
        for device in try await other.users.devices() where !device.isCurrent {
            try await other.users.endDevice(device.id)
        }

        try await humon.session.signOut()

        #expect(try !humon.session.hasToken)
    }

    @Test func `has devices, identities and a name`() async throws {
        let humon = server.client()
        try await humon.session.signIn(idToken: idToken())
        let device = try #require(try await humon.users.devices().first)
        try await humon.users.renameDevice(device.id, to: "watch")
        let named = try await humon.users.devices().first?.name
        try await humon.users.renameDevice(device.id, to: nil)
        let second = try Issuer.shared.get().idToken(of: UUID().uuidString)
        let identity = try await humon.users.addIdentity(idToken: second)
        let identities = try await humon.users.identities()
        let taken = try await error {
            try await server.newUser().users.addIdentity(idToken: second)
        }
        try await humon.users.removeIdentity(identity)
        let only = try await humon.users.identities()
        let last = try await error { try await humon.users.removeIdentity(only[0].id) }
        try await humon.users.rename("Ana 😀")
        let name = try await humon.users.me().name
        try await humon.users.rename(nil)

        #expect(named == "watch")
        #expect(try await humon.users.devices().first?.name == nil)
        #expect(identities.map(\.issuer) == ["https://issuer.test", "https://issuer.test"])
        #expect(identities.last?.id == identity)
        #expect(taken?.kind == .conflict && taken?.conflict == nil)
        #expect(only.count == 1)
        #expect(last?.kind == .conflict && last?.conflict == nil)
        #expect(name == "Ana 😀")
        #expect(try await humon.users.me().name == nil)
    }

    @Test func `deletes the user`() async throws {
        let (humon, user) = try await device()
        let code = try await humon.users.deletionCode()
        try await humon.users.deleteMe()
        let everything = try await server.client().events.page(.owner(.user(user)))

        #expect(code.code.count == 19)
        #expect(code.url.path == "/account/delete")
        #expect(code.expiresAt > .now)
        #expect(everything.events == [])
        #expect(try !humon.session.hasToken)
        #expect(try await humon.session.signUp().id != user)
    }
}
