import Foundation
import HumonClient
import Testing

@testable import HumonOutbox

/// The users of entries.
@Suite(.timeLimit(.minutes(5))) struct OutboxUserTests {
    private func idToken(of person: String) throws -> String {
        try Issuer.shared.get().idToken(of: person)
    }

    /// Ends the token of a device, as another device of the person does.
    private func endToken(of scene: OutboxScene, _ person: String) async throws {
        let other = scene.server.client()
        try await other.session.signIn(idToken: idToken(of: person))
        let device = try await other.users.devices().first { !$0.isCurrent }
        try await other.users.endDevice(try #require(device).id)
    }

    private func isUnauthorized(_ news: News) -> Bool {
        if case .paused(let error) = news { error.kind == .unauthorized } else { false }
    }

    @Test func `After 401, all writes wait for a session`() async throws {
        let scene = try await OutboxScene(isSignedUp: false)
        let ana = "\(UUID())"
        try await scene.direct.session.signIn(idToken: idToken(of: ana))
        try await endToken(of: scene, ana)
        let device = try await scene.open()
        _ = try await device.outbox.create(.ghent("a"))
        try await device.wait(until: isUnauthorized)
        _ = try await device.outbox.create(.ghent("b"))
        await device.outbox.drain()
        #expect(try await scene.writes().count == 1)

        try await scene.humon.session.signIn(idToken: idToken(of: ana))
        try await device.settle()

        #expect(try await scene.events().map(\.name) == ["a", "b"])
    }

    @Test func `Ana's writes are not sent as Bob`() async throws {
        let scene = try await OutboxScene(isSignedUp: false)
        let (ana, bob) = ("\(UUID())", "\(UUID())")
        let anasID = try await scene.direct.session.signIn(idToken: idToken(of: ana)).userID
        try await endToken(of: scene, ana)
        let device = try await scene.open()
        _ = try await device.outbox.create(.ghent("before 401"))
        try await device.wait(until: isUnauthorized)
        _ = try await device.outbox.create(.ghent("after 401"))

        try await scene.humon.session.signIn(idToken: idToken(of: bob))
        _ = try await device.outbox.create(.ghent("Bob's"))
        try await device.settle(leaving: 2)

        #expect(try await device.outbox.entries.map(\.userID) == [anasID, anasID])
        #expect(try await scene.events().map(\.name) == ["Bob's"])
        // Bob has no unsent writes.
        try await scene.humon.session.signOut()
        try await scene.humon.session.signIn(idToken: idToken(of: ana))
        try await device.settle()
        #expect(try await scene.events().map(\.name) == ["before 401", "after 401"])
    }

    @Test(arguments: [false, true])
    func `The writes of a device's user are sent after a merge`(isResponseLost: Bool) async throws {
        // Foundation can wait for the end of a request whose connection was closed.
        let scene = try await OutboxScene(timeout: .seconds(3))
        let ana = "\(UUID())"
        let other = scene.server.client()
        let anasID = try await other.session.signIn(idToken: idToken(of: ana)).userID
        try await scene.write {
            let event = try await $0.create(.ghent())
            _ = try await $0.attend(event)
        }
        try await scene.proxy.fail(isResponseLost ? ["drop-after"] : [])
        let lost = try await error {
            try await scene.humon.session.signIn(idToken: idToken(of: ana), merging: .merge)
        }

        let device = try await scene.open()
        try await device.settle()

        #expect((lost != nil) == isResponseLost)
        let events = try await other.events.page(.owner(.me)).events
        #expect(events.map(\.owner.id) == [anasID])
        #expect(try await other.attendances.list(try #require(events.first).id).count == 1)
    }

    @Test func `The writes of a device's user become those of the person`() async throws {
        let scene = try await OutboxScene()
        let ana = "\(UUID())"
        try await scene.server.client().session.signIn(idToken: idToken(of: ana))
        try await scene.write { _ = try await $0.create(.ghent()) }
        let anasID = try await scene.direct.session.signIn(
            idToken: idToken(of: ana),
            merging: .merge
        ).userID
        try await scene.write { outbox in
            while try await outbox.entries.map(\.userID) != [anasID] { await Task.yield() }
        }
        // The merge is not known any more after this.
        try await scene.proxy.fail([])
        try await endToken(of: scene, ana)
        _ = try await error { _ = try await scene.direct.users.me() }
        try await scene.direct.session.signIn(idToken: idToken(of: ana))

        try await scene.open().settle()
        #expect(try await scene.events().count == 1)
    }

    @Test func `Signing out needs an empty outbox`() async throws {
        let scene = try await OutboxScene()
        try await scene.proxy.fail(["429 600"])
        let device = try await scene.open()
        _ = try await device.outbox.create(.ghent())
        let problem = try await error { try await scene.humon.session.signOut(losingUser: true) }
        let entry = try #require(try await device.outbox.entries.first)
        try await device.wait(until: \.isPause)
        try await device.outbox.discard(entry.id)
        try await scene.humon.session.signOut(losingUser: true)

        #expect(problem?.kind == .unsentWrites)
        #expect(problem?.unsentWrites == 1)
        #expect(try !scene.humon.session.hasToken)
    }
}
