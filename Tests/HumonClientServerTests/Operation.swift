import Foundation
import HumonClient
import Testing

/// Two users of a server; Ana's requests can go through a proxy.
struct Scene: Sendable {
    let server: Server
    let ana: HumonClient
    let bob: HumonClient
    let tokens = SharedTokenStore()
    /// The person that Ana is.
    private let person = UUID().uuidString

    init() async throws {
        server = try Server.shared.get()
        ana = server.client(tokens: tokens)
        bob = try await server.newUser()
        try await ana.session.signUp()
    }

    /// Returns an ID token of Ana, or of a stranger.
    func idToken(ofStranger isStranger: Bool = false) throws -> String {
        try Issuer.shared.get().idToken(of: isStranger ? UUID().uuidString : person)
    }

    /// What the server has stored of Ana, without ids.
    func records() async throws -> [String] {
        let problem = try await error { _ = try await ana.users.me() }
        if problem?.kind == .noToken || problem?.kind == .unauthorized { return ["signed out"] }
        let me = try await ana.users.me()
        var events: [String] = []
        for try await event in ana.events.search(.owner(.me).status(.any).sort(.id)) {
            let guests = try await ana.attendances.list(event.id)
            events.append("\(event.name) of \(event.address ?? "nowhere") with \(guests.count)")
        }
        let devices = try await ana.users.devices().map { $0.name ?? "device" }
        let identities = try await ana.users.identities()
        let blocks = try await ana.blocks.list()
        return events + devices + [
            "\(me.name ?? "Ana") attends \(me.attendances)",
            "\(identities.count) identities", "\(blocks.count) blocks",
        ]
    }
}

/// A method of the client, and what it sends.
struct Operation: Sendable, CustomTestStringConvertible {
    typealias Call = @Sendable (HumonClient) async throws -> Void

    /// The group and the method.
    let name: String
    let method: String
    /// The path in the description of the API.
    let path: String
    /// Makes what the call needs, and returns the call.
    let prepare: @Sendable (Scene) async throws -> Call

    init(
        _ name: String,
        _ method: String,
        _ path: String,
        _ prepare: @escaping @Sendable (Scene) async throws -> Call
    ) {
        (self.name, self.method, self.path, self.prepare) = (name, method, path, prepare)
    }

    var testDescription: String { name }

    /// Whether a failed request is not repeated.
    var isSentOnce: Bool {
        ["events.invite", "session.rotateToken", "users.deletionCode"].contains(name)
    }

    static let all = session + users + events + others

    private static let session = [
        Operation("session.signUp", "POST", "/v1/users") { _ in
            { try await $0.session.signUp() }
        },
        Operation("session.signIn", "POST", "/v1/sessions") { scene in
            let idToken = try scene.idToken()
            return { try await $0.session.signIn(idToken: idToken, deviceName: "phone") }
        },
        Operation("session.signOut", "DELETE", "/v1/users/me/devices/{id}") { _ in
            { try await $0.session.signOut(losingUser: true) }
        },
        Operation("session.rotateToken", "POST", "/v1/users/me/token") { _ in
            { try await $0.session.rotateToken() }
        },
    ]

    private static let users = [
        Operation("users.me", "GET", "/v1/users/me") { _ in { _ = try await $0.users.me() } },
        Operation("users.rename", "PATCH", "/v1/users/me") { _ in
            { try await $0.users.rename("Cleo") }
        },
        Operation("users.devices", "GET", "/v1/users/me/devices") { _ in
            { _ = try await $0.users.devices() }
        },
        Operation("users.renameDevice", "PATCH", "/v1/users/me/devices/{id}") { scene in
            let id = try await scene.ana.users.devices()[0].id
            return { try await $0.users.renameDevice(id, to: "watch") }
        },
        Operation("users.endDevice", "DELETE", "/v1/users/me/devices/{id}") { scene in
            let idToken = try scene.idToken()
            try await scene.ana.session.signIn(idToken: idToken)
            try await scene.server.client().session.signIn(idToken: idToken)
            let devices = try await scene.ana.users.devices()
            let id = devices.first { !$0.isCurrent }?.id ?? 0
            return { try await $0.users.endDevice(id) }
        },
        Operation("users.identities", "GET", "/v1/users/me/identities") { _ in
            { _ = try await $0.users.identities() }
        },
        Operation("users.addIdentity", "POST", "/v1/users/me/identities") { scene in
            let idToken = try scene.idToken(ofStranger: true)
            return { try await $0.users.addIdentity(idToken: idToken) }
        },
        Operation("users.removeIdentity", "DELETE", "/v1/users/me/identities/{id}") { scene in
            let idToken = try scene.idToken(ofStranger: true)
            try await scene.ana.users.addIdentity(idToken: scene.idToken())
            let id = try await scene.ana.users.addIdentity(idToken: idToken)
            return { try await $0.users.removeIdentity(id) }
        },
        Operation("users.deletionCode", "POST", "/v1/users/me/deletion_code") { _ in
            { _ = try await $0.users.deletionCode() }
        },
        Operation("users.deleteMe", "DELETE", "/v1/users/me") { _ in
            { try await $0.users.deleteMe() }
        },
    ]

    private static let events = [
        Operation("events.search", "GET", "/v1/events") { scene in
            _ = try await scene.ana.events.create(.ghent())
            return { humon in
                for try await event in humon.events.search(.owner(.me)) { _ = event }
            }
        },
        Operation("events.page", "GET", "/v1/events") { _ in
            { _ = try await $0.events.page(.owner(.me)) }
        },
        Operation("events.clusters", "GET", "/v1/events/clusters") { _ in
            {
                _ = try await $0.events.clusters(
                    in: Box(west: 3, south: 50, east: 4, north: 52),
                    zoom: 8
                )
            }
        },
        Operation("events.event", "GET", "/v1/events/{id}") { scene in
            let id = try await scene.ana.events.create(.ghent())
            return { _ = try await $0.events.event(id) }
        },
        Operation("events.create", "POST", "/v1/events") { _ in
            { _ = try await $0.events.create(.ghent()) }
        },
        Operation("events.update", "PATCH", "/v1/events/{id}") { scene in
            let id = try await scene.ana.events.create(.ghent())
            let version = try await scene.ana.events.event(id).version
            return { humon in
                var changes = EventChanges()
                changes.address = .set("Kouter 1")
                try await humon.events.update(id, changes, ifMatch: version)
            }
        },
        Operation("events.replace", "PUT", "/v1/events/{id}") { scene in
            let id = try await scene.ana.events.create(.ghent())
            let version = try await scene.ana.events.event(id).version
            return { try await $0.events.replace(id, with: .ghent("Blues"), ifMatch: version) }
        },
        Operation("events.delete", "DELETE", "/v1/events/{id}") { scene in
            let id = try await scene.ana.events.create(.ghent())
            let version = try await scene.ana.events.event(id).version
            return { try await $0.events.delete(id, ifMatch: version) }
        },
        Operation("events.invite", "POST", "/v1/events/{id}/invitation") { scene in
            let id = try await scene.ana.events.create(.ghent())
            return { _ = try await $0.events.invite(to: id) }
        },
        Operation("events.closeInvitations", "DELETE", "/v1/events/{id}/invitation") { scene in
            let id = try await scene.ana.events.create(.ghent())
            return { try await $0.events.closeInvitations(to: id) }
        },
    ]

    private static let others = [
        Operation("attendances.attend", "POST", "/v1/attendances") { scene in
            let id = try await scene.bob.events.create(.ghent())
            return { try await $0.attendances.attend(id) }
        },
        Operation("attendances.join", "POST", "/v1/attendances") { scene in
            var draft = EventDraft.ghent()
            draft.visibility = .guests
            let id = try await scene.bob.events.create(draft)
            let code = try await scene.bob.events.invite(to: id)
            return { _ = try await $0.attendances.join(code: code) }
        },
        Operation("attendances.cancel", "DELETE", "/v1/attendances/{id}") { scene in
            let event = try await scene.bob.events.create(.ghent())
            let id = try await scene.ana.attendances.attend(event)
            return { try await $0.attendances.cancel(id) }
        },
        Operation("attendances.list", "GET", "/v1/events/{id}/attendances") { scene in
            let id = try await scene.bob.events.create(.ghent())
            return { _ = try await $0.attendances.list(id) }
        },
        Operation("reports.report(event:)", "POST", "/v1/events/{id}/reports") { scene in
            let id = try await scene.bob.events.create(.ghent())
            return { try await $0.reports.report(event: id, reason: .spam, note: "n") }
        },
        Operation("reports.report(user:)", "POST", "/v1/users/{id}/reports") { scene in
            let id = try await scene.bob.users.me().id
            return { try await $0.reports.report(user: id, reason: .other) }
        },
        Operation("blocks.block(user:)", "POST", "/v1/users/me/blocks") { scene in
            let id = try await scene.bob.users.me().id
            return { try await $0.blocks.block(user: id) }
        },
        Operation("blocks.block(ownerOf:)", "POST", "/v1/users/me/blocks") { scene in
            let id = try await scene.bob.events.create(.ghent())
            return { try await $0.blocks.block(ownerOf: id) }
        },
        Operation("blocks.unblock", "DELETE", "/v1/users/me/blocks/{id}") { scene in
            let id = try await scene.bob.users.me().id
            try await scene.ana.blocks.block(user: id)
            return { try await $0.blocks.unblock(id) }
        },
        Operation("blocks.list", "GET", "/v1/users/me/blocks") { _ in
            { _ = try await $0.blocks.list() }
        },
    ]
}
