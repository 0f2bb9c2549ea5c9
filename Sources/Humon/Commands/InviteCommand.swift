import Events
import Model
import Operations
import Rules
import Sodium
import Web

extension Commands {
    /// The command that makes a code with which users can attend an event, or closes all codes.
    static let invite = CommandRow(
        "event invite",
        arguments: "EVENT_ID",
        "Make an invitation code for an event.",
        options: [
            .init(name: "replace", meaning: "Close all earlier codes of the event."),
            .init(name: "close", meaning: "Only close all codes of the event."),
        ]
    ) { arguments in
        let (replaces, closes) = (arguments.has("replace"), arguments.has("close"))
        guard !replaces || !closes else {
            throw UsageError("Use --replace or --close, not both.")
        }
        let id = try Arguments.id(of: "an event", arguments.only("EVENT_ID"))
        return StoreWork(missing: "There is no event \(id).") { stores, _ in
            guard let event = try await stores.events.find(id) else { throw ModelError.notFound }
            // Before the change, so that none is without its row.
            func note(_ action: AdminAction) async throws {
                let moderation = stores.moderation
                try await moderation.note(action, kind: "event", id, by: Machine.actor)
            }
            if closes {
                try await note(.closeInvitations)
                try await stores.invitations.closeAll(ofEvent: id, ownerID: event.ownerID)
                return "All codes of event \(id) are closed."
            }
            try await note(.invite)
            // It is stored nowhere.
            let code = SecretCode(RandomBytes.make(count: SecretCode.randomBytes))
            try await stores.invitations.add(
                TokenDigest(of: code.secret),
                toEvent: id,
                ownerID: event.ownerID,
                replaces: replaces
            )
            return code.text
        }
    }
}
