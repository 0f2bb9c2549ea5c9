import Events
import Model
import Rules

/// An event with an owner, and another user.
struct AdminScene {
    private let subject: ConformanceSubject
    let owner: Int64
    let guest: Int64
    let event: Int64

    init(_ subject: ConformanceSubject) async throws {
        self.subject = subject
        owner = try await subject.user(1).id
        guest = try await subject.user(2).id
        event = try await subject.event(.picnic)
    }

    /// The event as its owner sees it.
    func dated() async throws -> DatedEvent {
        guard let event = try await subject.events.findDated(event, for: owner) else {
            throw ModelError.notFound
        }
        return event
    }

    func edit(
        _ change: @escaping @Sendable (inout EventAttributes) throws -> Void
    ) async throws -> Int64? {
        try await subject.moderation.edit(event, by: "cli:ana", if: nil) { attributes in
            var attributes = attributes
            try change(&attributes)
            return attributes
        }
    }

    /// The action with an id.
    func done(_ action: Int64?) async throws -> DoneAction {
        guard let action, let done = try await subject.moderation.action(action) else {
            throw ModelError.notFound
        }
        return done
    }

    func undo(_ action: Int64?) async throws -> DoneAction {
        try await subject.moderation.undo(action ?? 0, by: "cli:bob")
    }

    func expectChanged(_ action: Int64?) async throws {
        let error = ModelError.conflict("The record has changed since. Nothing was undone.")
        try await expect("undoing what was changed since", throws: error) {
            _ = try await undo(action)
        }
    }

    func expectNoUndo(_ action: Int64?) async throws {
        let id = try await done(action).id
        let error = ModelError.conflict("Action \(id) can't be undone.")
        try await expect("undoing what can't be undone", throws: error) {
            _ = try await undo(action)
        }
    }
}
