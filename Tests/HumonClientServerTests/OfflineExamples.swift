import Foundation
import HumonClient
import HumonOutbox

// The code of docs/offline.md.

/// An event in the list of the app, from the server or from this device.
struct ListedEvent: Identifiable {
    let id: Record
    var name: String
    /// Nil for events of the server.
    var state: WaitingState?

    enum WaitingState: Hashable {
        case waiting
        case rejected(Entry, String)
    }
}

/// Makes writes offline, and shows them beside the events of the server.
@MainActor
final class EventStore {
    private(set) var events: [ListedEvent] = []
    /// The app's copy of what it has created; a database in a real app.
    private var drafts: [Record: EventDraft] = [:]
    private let humon: HumonClient
    private let outbox: Outbox

    init(_ humon: HumonClient, folder: URL) throws {
        self.humon = humon
        outbox = try Outbox(client: humon, file: folder.appending(path: "outbox.sqlite3"))
    }

    func create(_ draft: EventDraft) async throws {
        let record = try await outbox.create(draft)
        drafts[record] = draft
        try await show()
    }

    /// Shows the events that wait, and those of the server.
    func show() async throws {
        var shown: [ListedEvent] = []
        for entry in try await outbox.entries where entry.kind == .create {
            guard let draft = drafts[entry.record] else { continue }
            let state = entry.error.map { ListedEvent.WaitingState.rejected(entry, $0) }
            shown.append(
                ListedEvent(id: entry.record, name: draft.name, state: state ?? .waiting)
            )
        }
        let stored = try? await humon.events.page(.owner(.me)).events
        events = shown + (stored ?? []).map { ListedEvent(id: .stored($0.id), name: $0.name) }
    }

    /// Follows the outbox for the life of the app.
    func follow() async throws {
        for await news in outbox.news {
            switch news {
            case .sent, .rejected: try await show()
            case .broken(let file): print("Send \(file) to the developer.")
            case .waiting, .paused, .idle: break
            }
        }
    }
}

extension EventStore {
    /// Changes the name of an event that another device can have changed, too.
    func rename(_ event: Event, to name: String) async throws {
        var changes = EventChanges()
        changes.name = .set(name)
        try await outbox.update(.stored(event.id), changes, ifMatch: event.version)
    }

    /// Keeps this device's change after a 412, on top of the current version.
    func overwrite(_ rejected: Entry, with changes: EventChanges) async throws {
        guard case .stored(let id) = rejected.record else { return }
        let current = try await humon.events.event(id)
        try await outbox.replace(rejected.id, with: changes, ifMatch: current.version)
    }
}

extension EventStore {
    /// Signs out; a person decides about changes that are not sent.
    func signOut(of user: User.ID, discardingChanges: Bool) async throws {
        await outbox.drain()
        for entry in try await outbox.entries where discardingChanges {
            // One that was made before the first sign-in has no user.
            guard (entry.userID ?? user) == user else { continue }
            // An earlier one can have included it.
            _ = try? await outbox.discard(entry.id)
        }
        try await humon.session.signOut()
    }
}
