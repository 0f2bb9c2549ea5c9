import Events
import Model
import Operations
import Rules
import Sodium
import Web

/// `humon event invite`: makes a code with which users can attend an event, or closes all codes.
struct InviteCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "event invite",
        arguments: "EVENT_ID",
        summary: "Make an invitation code for an event.",
        options: [
            .init(name: "replace", meaning: "Close all earlier codes of the event."),
            .init(name: "close", meaning: "Only close all codes of the event."),
        ]
    )

    let eventID: Int64
    let replaces: Bool
    let closes: Bool

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        guard !arguments.has("replace") || !arguments.has("close") else {
            throw UsageError("Use --replace or --close, not both.")
        }
        return Self(
            eventID: try Arguments.id(of: "an event", arguments.only("EVENT_ID")),
            replaces: arguments.has("replace"),
            closes: arguments.has("close")
        )
    }

    /// Changes the codes and prints the new one, which is stored nowhere.
    func run(in context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(with: .humon, for: "humon event invite")
        let storage = try Databases.open(configuration, mustExist: true)
        defer { storage.close() }
        guard let event = try await storage.stores.events.find(eventID) else {
            throw OperatorError("There is no event \(eventID).")
        }
        let invitations = storage.stores.invitations
        func note(_ action: AdminAction) async throws {
            let moderation = storage.stores.moderation
            try await moderation.note(action, kind: "event", eventID, by: Machine.actor)
        }
        if closes {
            try await invitations.closeAll(ofEvent: eventID, ownerID: event.ownerID)
            try await note(.closeInvitations)
            Terminal.output.write("All codes of event \(eventID) are closed.\n")
            return .success
        }
        let code = SecretCode(RandomBytes.make(count: SecretCode.randomBytes))
        try await invitations.add(
            TokenDigest(of: code.secret),
            toEvent: eventID,
            ownerID: event.ownerID,
            replaces: replaces
        )
        try await note(.invite)
        Terminal.output.write("\(code.text)\n")
        return .success
    }
}
