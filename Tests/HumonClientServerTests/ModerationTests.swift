import Foundation
import HumonClient
import Testing

/// Private events, blocks and reports.
@Suite struct ModerationTests {
    private let server: Server
    private let ana: HumonClient
    private let bob: HumonClient

    init() async throws {
        server = try Server.shared.get()
        (ana, bob) = (try await server.newUser(), try await server.newUser())
    }

    @Test func `shows a private event to its guests`() async throws {
        var draft = EventDraft.ghent("Party")
        draft.visibility = .guests
        let id = try await ana.events.create(draft)
        let hidden = try await error { _ = try await bob.events.event(id) }
        let code = try await ana.events.invite(to: id)
        let attendance = try await bob.attendances.join(code: code.lowercased())
        let seen = try await bob.events.event(id)
        let attended = try await bob.events.page(.attending()).events
        let list = try await ana.attendances.list(id)
        let other = try await ana.events.invite(to: id, replacing: true)
        let late = try await server.newUser()
        let closed = try await error { _ = try await late.attendances.join(code: code) }
        try await ana.events.closeInvitations(to: id)
        let closedToo = try await error { _ = try await late.attendances.join(code: other) }
        // The owner ends the attendance of a guest.
        try await ana.attendances.cancel(attendance.id)

        #expect(hidden?.kind == .notFound)
        #expect(attendance.event?.id == id)
        #expect(attendance.user.id == (try await bob.users.me().id))
        #expect(seen.visibility == .guests)
        #expect(attended.map(\.id) == [id])
        #expect(list.count == 1 && list.attendances.map(\.id) == [attendance.id])
        #expect(list.attendances.first?.event == nil)
        #expect(closed?.kind == .notFound)
        #expect(closedToo?.kind == .notFound)
        #expect(try await error { _ = try await bob.events.event(id) }?.kind == .notFound)
    }

    @Test func `attends once, and cancels`() async throws {
        let id = try await ana.events.create(.ghent())
        let attendance = try await bob.attendances.attend(id)
        let again = try await bob.attendances.attend(id)
        let count = try await ana.attendances.list(id).count
        try await bob.attendances.cancel(attendance)
        let gone = try await error { try await bob.attendances.cancel(attendance) }

        #expect(attendance == again)
        #expect(count == 1)
        #expect(try await ana.attendances.list(id).count == 0)
        // Only the repetition of a failed request takes this for success.
        #expect(gone?.kind == .notFound)
    }

    @Test func `shows nothing of blocked users`() async throws {
        let anas = try await ana.users.me().id
        let id = try await ana.events.create(.ghent())
        let blocked = try await bob.blocks.block(ownerOf: id)
        let again = try await bob.blocks.block(user: anas)
        let blocks = try await bob.blocks.list()
        let found = try await bob.events.page(.owner(.user(anas))).events
        try await bob.blocks.unblock(anas)

        #expect(blocked == anas && again == anas)
        #expect(blocks.map(\.user.id) == [anas])
        #expect(blocks.allSatisfy { abs($0.createdAt.timeIntervalSinceNow) < 3600 })
        #expect(found == [])
        #expect(try await bob.events.page(.owner(.user(anas))).events.map(\.id) == [id])
        #expect(try await bob.blocks.list() == [])
        #expect(try await error { try await bob.blocks.unblock(anas) }?.kind == .notFound)
    }

    @Test func `reports events and users`() async throws {
        let id = try await ana.events.create(.ghent())
        let anas = try await ana.users.me().id
        for reason in [
            ReportReason.spam, .offensive, .illegal, .childSafety, .wrong, .other,
        ] {
            try await bob.reports.report(event: id, reason: reason, note: "n")
            try await bob.reports.report(user: anas, reason: reason)
        }
        let unknown = try await error {
            try await bob.reports.report(event: id, reason: ReportReason(rawValue: "x"))
        }

        #expect(unknown?.kind == .validationFailed)
    }

    @Test func `has each kind of error`() async throws {
        let id = try await ana.events.create(.ghent())
        var changes = EventChanges()
        changes.name = .set("")
        var huge = EventDraft.ghent()
        huge.description = String(repeating: "x", count: 3_000_000)
        let long = EventQuery.all.text(String(repeating: "x", count: 30_000))
        let stale = changes
        let draft = huge
        let nobody = server.client()
        let gone = HumonConfiguration(baseURL: try #require(URL(string: "http://127.0.0.1:1")))
        let lost = HumonClient(gone, tokens: MemoryTokenStore())
        let calls: [(HumonError.Kind, Int?, () async throws -> Void)] = [
            (.unauthorized, 401, { _ = try await nobody.transport.send(.get("users/me")) }),
            (.forbidden, 403, { try await bob.events.delete(id) }),
            (.notFound, 404, { _ = try await ana.events.event(0) }),
            (.notFound, 404, { _ = try await ana.transport.send(.get("later")) }),
            (.notFound, 405, { _ = try await ana.transport.send(Call("PUT", "users", .unsafe)) }),
            (.preconditionFailed, 412, { try await ana.events.delete(id, ifMatch: "\"x\"") }),
            (.tooLarge, 413, { _ = try await ana.events.create(draft) }),
            (.tooLarge, 414, { _ = try await ana.events.page(long) }),
            (.validationFailed, 422, { try await ana.events.update(id, stale) }),
            (.noToken, nil, { _ = try await nobody.users.me() }),
            (
                .badRequest, 400,
                {
                    let call = Call("DELETE", "events/\(id)", .unsafe)
                    _ = try await ana.transport.send(call.header("Idempotency-Key", "a b"))
                }
            ),
            (
                .network, nil,
                { _ = try await lost.events.page(.all) }
            ),
        ]
        for (kind, status, call) in calls {
            let error = try await error(of: call)
            #expect(error?.kind == kind)
            #expect(error?.status == status)
            #expect((error?.requestID == nil) == (status == nil))
        }
        let invalid = try await error { try await ana.events.update(id, stale) }
        #expect(invalid?.localizedDescription == "Name can't be blank")
        let changed = try await error { try await ana.events.delete(id, ifMatch: "\"x\"") }
        #expect(changed?.version == (try await ana.events.event(id).version))
        #expect(try await ana.users.me().events == 1)
    }
}
