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
            // So that neither the change nor its row of the audit is without the other.
            try await stores.transactions.atomically { stores in
                guard let event = try await stores.events.find(id) else {
                    throw ModelError.notFound
                }
                let action = closes ? AdminAction.closeInvitations : .invite
                try await stores.moderation.note(action, kind: "event", id, by: Machine.actor)
                if closes {
                    try await stores.invitations.closeAll(ofEvent: id, ownerID: event.ownerID)
                    return "All codes of event \(id) are closed."
                }
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
}
