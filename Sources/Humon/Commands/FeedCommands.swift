import Model
import Operations
import System

extension Commands {
    /// The commands about the log of changes.
    static let feed = [
        CommandRow(
            "feed renew",
            "Give the log of a copied database another identity.",
            notes: [
                """
                Otherwise, clients of the copy would continue with cursors of the original, and \
                miss changes. All clients, streams and webhooks begin again.
                """
            ]
        ) { _ in
            StoreWork(system: nil) { stores, _ in
                try await stores.moderation.note(.renew, kind: "log", nil, by: Machine.actor)
                try await stores.changes.renew()
                return "The identity of the log is now \(try await stores.changes.latest().log)."
            }
        },
        CommandRow("feed", "Show the log of changes, and how far each webhook is behind.") { _ in
            StoreWork(system: nil) { stores, _ in
                let log = try await stores.changes.summary()
                let webhooks = try await stores.webhooks.all().map { webhook, backlog in
                    ["webhook \(webhook.id) behind", String(backlog.changes)]
                }
                let rows = [
                    ["identity", log.latest.log],
                    ["first change", log.first.map { String($0) } ?? "none"],
                    ["latest change", String(log.latest.number)],
                    ["changes", String(log.rows)],
                    ["size", log.bytes.map { ByteCount.text(Int(clamping: $0)) } ?? "unknown"],
                ]
                return TextTable.text(rows + webhooks)
            }
        },
    ]
}
