import Formats
import Model
import Operations
import Rules
import System
import Time

extension Commands {
    /// The commands about reports of users.
    static let reports = [
        CommandRow(
            "reports resolve",
            "Close reports, and hide, delete, ban or keep their record.",
            notes: ["A dismissed event is shown again if reports or blocked words have hidden it."],
            options: [
                .init(name: "event", value: "ID", meaning: "The reported event."),
                .init(name: "user", value: "ID", meaning: "The reported user."),
                .init(name: "hide", meaning: "Hide the event."),
                .init(name: "delete", meaning: "Delete the event."),
                .init(name: "ban", meaning: "Ban the user, or the owner of the event."),
                .init(name: "dismiss", meaning: "Keep the record as it is."),
            ]
        ) { arguments in
            let (record, action) = try resolution(arguments)
            return StoreWork(missing: "There is no open report about \(record.text).") {
                stores,
                _ in
                let actor = Machine.actor
                let count = try await stores.moderation.resolve(record, action, by: actor).reports
                let reports = Noun("report").counted(count)
                return "Closed \(reports) about \(record.text): \(action.rawValue)."
            }
        },
        CommandRow(
            "reports",
            "List the records that users have reported, oldest first.",
            options: [.limit]
        ) { arguments in
            let limit = try arguments.limit()
            return StoreWork { stores, _ in
                let reports = try await stores.moderation.openReports(after: nil, limit: limit)
                let rows = reports.map { report in
                    [
                        report.record.text, report.since.text, String(report.count),
                        report.latest.reason,
                        TextTable.printable(report.latest.note ?? "-", limit: 80),
                    ]
                }
                let header = ["RECORD", "SINCE", "REPORTS", "LATEST REASON", "LATEST NOTE"]
                return TextTable.text([header] + rows)
            }
        },
    ]

    /// Returns the reported record, and what to do about it.
    private static func resolution(
        _ arguments: Arguments
    ) throws(UsageError) -> (ReportedRecord, AdminAction) {
        let actions = [AdminAction.hide, .delete, .ban, .dismiss].filter {
            arguments.has($0.rawValue)
        }
        guard actions.count == 1, let action = actions.first else {
            throw UsageError("Use one of --hide, --delete, --ban and --dismiss.")
        }
        switch (arguments.options["event"], arguments.options["user"]) {
        case (let id?, nil): return (.event(try Arguments.id(of: "an event", id)), action)
        case (nil, let id?):
            guard action == .ban || action == .dismiss else {
                throw UsageError("For a user, use --ban or --dismiss.")
            }
            return (.user(try Arguments.id(of: "a user", id)), action)
        default: throw UsageError("Use --event ID or --user ID.")
        }
    }

    /// The command that prints who has deleted their data, or repeats that after a restore.
    static let deletions = CommandRow(
        "deletions",
        "List the deleted users and accounts, or delete them again.",
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
    ) { arguments in
        let list = try arguments.options["apply"].map(deletions)
        return StoreWork(system: nil) { stores, _ in
            guard let list else {
                return try await stores.moderation.deletions().map(\.text).joined(separator: "\n")
            }
            let deleted = try await stores.moderation.repeatDeletions(list, by: Machine.actor)
            return "Deleted \(deleted) of \(list.count) users and accounts."
        }
    }

    /// The size of the largest list of deletions, in bytes.
    private static let mostBytes = 64 << 20

    private static func deletions(at path: String) throws -> [Deletion] {
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
