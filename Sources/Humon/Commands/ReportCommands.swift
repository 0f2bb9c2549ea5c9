import Formats
import Model
import Operations
import Rules
import System
import Time

/// `humon reports`: prints a table of the records with open reports, oldest first.
struct ReportsCommand: ListCommand {
    static let header = ["RECORD", "SINCE", "REPORTS", "LATEST REASON", "LATEST NOTE"]
    static let description = CommandDescription(
        name: "reports",
        summary: "List the records that users have reported, oldest first.",
        options: [CommandDescription.limit]
    )

    let limit: Int

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(limit: try arguments.limit())
    }

    func rows(_ moderation: any ModerationStore) async throws -> [[String]] {
        try await moderation.openReports(after: nil, limit: limit).map { report in
            [
                report.record.text, report.since.text, String(report.count), report.latest.reason,
                TextTable.printable(report.latest.note ?? "-", limit: 80),
            ]
        }
    }
}

/// `humon reports resolve`: closes the reports about a record, and does something about it.
struct ResolveReportsCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "reports resolve",
        summary: "Close reports, and hide, delete, ban or keep their record.",
        notes: ["A dismissed event is shown again if reports or blocked words have hidden it."],
        options: [
            .init(name: "event", value: "ID", meaning: "The reported event."),
            .init(name: "user", value: "ID", meaning: "The reported user."),
            .init(name: "hide", meaning: "Hide the event."),
            .init(name: "delete", meaning: "Delete the event."),
            .init(name: "ban", meaning: "Ban the user, or the owner of the event."),
            .init(name: "dismiss", meaning: "Keep the record as it is."),
        ]
    )

    let record: ReportedRecord
    let action: AdminAction

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let actions = [AdminAction.hide, .delete, .ban, .dismiss].filter {
            arguments.has($0.rawValue)
        }
        guard actions.count == 1, let action = actions.first else {
            throw UsageError("Use one of --hide, --delete, --ban and --dismiss.")
        }
        switch (arguments.options["event"], arguments.options["user"]) {
        case (let id?, nil):
            return Self(record: .event(try Arguments.id(of: "an event", id)), action: action)
        case (nil, let id?):
            guard action == .ban || action == .dismiss else {
                throw UsageError("For a user, use --ban or --dismiss.")
            }
            return Self(record: .user(try Arguments.id(of: "a user", id)), action: action)
        default: throw UsageError("Use --event ID or --user ID.")
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let command = "humon reports resolve"
        let count = try await context.withModeration(for: command) { moderation in
            try await moderation.resolve(record, action, by: Machine.actor).reports
        } unlessFound: {
            "There is no open report about \(record.text)."
        }
        let reports = Noun("report").counted(count)
        Terminal.output.write("Closed \(reports) about \(record.text): \(action.rawValue).\n")
        return .success
    }
}

/// `humon deletions`: prints who has deleted their data, or repeats that after a restore.
struct DeletionsCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "deletions",
        summary: "List the deleted users and accounts, or delete them again.",
        notes: [
            """
            A restored backup has the data of people who have deleted it since. List the deletions \
            of the replaced database, and apply the list to the restored one.
            """
        ],
        options: [
            .init(
                name: "apply",
                value: "FILE",
                meaning: "Delete the users and accounts in a list that this command has printed."
            )
        ]
    )

    /// The largest list, in bytes.
    private static let mostBytes = 64 << 20

    /// Nil to print the list.
    let path: String?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(path: arguments.options["apply"])
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let list = try path.map(Self.list)
        let storage = try Databases.open(context.configuration(), mustExist: true)
        defer { storage.close() }
        let moderation = storage.stores.moderation
        if let list {
            let deleted = try await moderation.repeatDeletions(list, by: Machine.actor)
            Terminal.output.write("Deleted \(deleted) of \(list.count) users and accounts.\n")
        } else {
            for deletion in try await moderation.deletions() {
                Terminal.output.write(deletion.text + "\n")
            }
        }
        return .success
    }

    private static func list(at path: String) throws -> [Deletion] {
        var file = try InputFile(path: path, chunkBytes: 1 << 16)
        var bytes: [UInt8] = []
        while try file.read(into: &bytes) {
            guard bytes.count <= mostBytes else {
                throw OperatorError("The list is longer than \(mostBytes) bytes.")
            }
        }
        return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
            guard let deletion = Deletion(String(line)) else {
                throw OperatorError(
                    "\"\(line.prefix(40))\" is not a line of `humon deletions`, such as `user 3`."
                )
            }
            return deletion
        }
    }
}
