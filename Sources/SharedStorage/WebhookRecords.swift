import Model
import Rules
package import System
import Time

/// The webhooks, the same for all engines.
struct WebhookRecords: WebhookStore {
    let database: any SharedDatabase

    func all() async throws -> [(webhook: Webhook, backlog: WebhookBacklog)] {
        try await database.rows(.webhooks, kinds: Webhook.kinds).map { row in
            let webhook = Webhook(row)
            let latest = row.integer(19)
            let backlog = WebhookBacklog(
                changes: max(0, latest - webhook.progress.cursor),
                oldest: row.optionalInteger(20).map { Timestamp(milliseconds: $0) },
                isPruned: row.integer(21) > webhook.progress.cursor
            )
            return (webhook, backlog)
        }
    }

    func add(
        _ settings: Webhook.Settings,
        _ progress: Webhook.Progress,
        limit: Int,
        by actor: String
    ) async throws -> Int64 {
        let now = Timestamp.now()
        return try await database.transaction { session in
            let count = try session.integer(.webhookCount) ?? 0
            guard count < limit else {
                throw ModelError.conflict(
                    "There are \(count) webhooks, and LIMIT_WEBHOOKS is \(limit). Remove one, or "
                        + "raise the limit."
                )
            }
            let kinds = Webhook.Kind.allCases.filter(settings.kinds.contains).map(\.rawValue)
            let id =
                try session.integer(
                    .addWebhook,
                    settings.url,
                    settings.salt,
                    kinds.joined(separator: ","),
                    settings.filter,
                    Int64(settings.batch),
                    settings.allowsPrivate ? Int64(1) : 0,
                    progress.epoch,
                    progress.cursor,
                    progress.snapshotID ?? -1,
                    now
                ) ?? 0
            try session.addAction(.add, "webhook", id, AuditedChange(), actor, at: now)
            return id
        }
    }

    func remove(_ id: Int64, by actor: String) async throws {
        try await change(id, .remove, actor, .removeWebhook, [])
    }

    func rotate(
        _ id: Int64,
        salt: [UInt8],
        until: Timestamp,
        by actor: String
    ) async throws {
        let values: [SharedValue] = [.bytes(salt), .integer(until.milliseconds)]
        try await change(id, .rotate, actor, .rotateSecret, values)
    }

    /// Performs a statement about a webhook, and writes the audit.
    private func change(
        _ id: Int64,
        _ action: AdminAction,
        _ actor: String,
        _ sql: SharedSQL,
        _ values: [SharedValue]
    ) async throws {
        try await database.transaction { session in
            let changed = try session.rows(sql, [.integer(id)] + values, .integers(1))
            if changed.isEmpty { throw ModelError.notFound }
            try session.addAction(action, "webhook", id, AuditedChange(), actor, at: .now())
        }
    }

    func resume(
        _ id: Int64,
        skippingIn epoch: String?,
        by actor: String
    ) async throws {
        try await database.transaction { session in
            let all = try session.rows(.webhooks, kinds: Webhook.kinds).map(Webhook.init)
            guard let webhook = all.first(where: { $0.id == id }) else { throw ModelError.notFound }
            var progress = webhook.progress
            progress.clearFailures()
            if let epoch { progress.finishMessage(epoch) }
            // It ends the lease of a server that is sending the message.
            let isStored = try session.store(
                progress,
                of: webhook,
                by: "",
                now: Timestamp(milliseconds: .max),
                leaseEnd: Timestamp(milliseconds: 0)
            )
            guard isStored else {
                throw ModelError.conflict("The webhook has just sent a message. Try again.")
            }
            let action: AdminAction = epoch == nil ? .resume : .skip
            try session.addAction(action, "webhook", id, AuditedChange(), actor, at: .now())
        }
    }

    func store(
        _ progress: Webhook.Progress,
        of webhook: Webhook,
        by node: String,
        now: Timestamp,
        leaseEnd: Timestamp
    ) async throws -> Bool {
        try await database.transaction { session in
            try session.store(progress, of: webhook, by: node, now: now, leaseEnd: leaseEnd)
        }
    }
}

extension SharedSession {
    /// Stores the progress of a webhook; returns false if it has changed or is leased.
    fileprivate func store(
        _ progress: Webhook.Progress,
        of webhook: Webhook,
        by node: String,
        now: Timestamp,
        leaseEnd: Timestamp
    ) throws -> Bool {
        let old = webhook.progress
        let stored = try integers(
            .storeProgress,
            webhook.id,
            progress.epoch,
            progress.cursor,
            progress.snapshotID ?? -1,
            progress.message?.text,
            Int64(progress.attempts),
            progress.failingSince?.milliseconds ?? 0,
            progress.nextAttemptAt.milliseconds,
            progress.lastResult.map { String($0.unicodeScalars.prefix(200)) },
            progress.disabledAt?.milliseconds ?? 0,
            node,
            leaseEnd.milliseconds,
            now.milliseconds,
            old.epoch,
            old.cursor,
            old.snapshotID ?? -1,
            old.message?.text ?? "",
            Int64(old.attempts)
        )
        return !stored.isEmpty
    }
}

extension Webhook {
    fileprivate static let kinds: [ColumnKind] =
        [
            .integer, .text, .bytes, .bytes, .integer, .text, .text, .integer, .integer, .text,
        ] + [
            .integer, .integer, .text, .integer, .integer, .integer, .text, .integer, .integer,
        ] + .integers(3)

    fileprivate init(_ row: SharedRow) {
        func time(_ column: Int) -> Timestamp? {
            row.optionalInteger(column).map { Timestamp(milliseconds: $0) }
        }
        let position = ChangePosition(log: row.text(9), number: row.integer(10))
        var progress = Progress(after: position, snapshotID: row.optionalInteger(11))
        progress.message = row.optionalText(12).flatMap(Message.init)
        progress.attempts = Int(clamping: row.integer(13))
        progress.failingSince = time(14)
        progress.nextAttemptAt = time(15) ?? progress.nextAttemptAt
        progress.lastResult = row.optionalText(16)
        progress.disabledAt = time(17)
        let former = row.bytes(3)
        self.init(
            id: row.integer(0),
            Settings(
                url: row.text(1),
                salt: row.bytes(2),
                kinds: Set(
                    row.text(5).split(separator: ",").compactMap { Kind(rawValue: String($0)) }
                ),
                filter: row.text(6),
                batch: Int(clamping: row.integer(7)),
                allowsPrivate: row.integer(8) == 1
            ),
            former: former.isEmpty ? nil : time(4).map { FormerSecret(salt: former, until: $0) },
            createdAt: Timestamp(milliseconds: row.integer(18)),
            progress
        )
    }
}

/// The statements about webhooks, which both engines understand.
extension SharedSQL {
    /// Also returns the number of the latest change, the time of the first one after the cursor,
    /// and the number of the last one that was deleted.
    static let webhooks: SharedSQL = """
        SELECT id, url, salt, coalesce(former_salt, ''), former_until, types, filter, batch,
            allow_private, epoch, cursor, snapshot_id, message, attempts, failing_since,
            next_attempt_at, last_result, disabled_at, created_at, (SELECT max(seq) FROM changes),
            (SELECT changed_at FROM changes WHERE seq > cursor ORDER BY seq LIMIT 1),
            (SELECT floor FROM feed WHERE feed.id = 1)
        FROM webhooks ORDER BY id
        """
    static let webhookCount: SharedSQL = "SELECT count(*) FROM webhooks"
    static let addWebhook: SharedSQL = """
        INSERT INTO webhooks (url, salt, types, filter, batch, allow_private, epoch, cursor,
            snapshot_id, attempts, next_attempt_at, leased_by, leased_until, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, -1), 0, 0, '', 0, $10) RETURNING id
        """
    static let removeWebhook: SharedSQL = "DELETE FROM webhooks WHERE id = $1 RETURNING id"
    static let rotateSecret: SharedSQL = """
        UPDATE webhooks SET former_salt = salt, salt = $2, former_until = $3 WHERE id = $1
        RETURNING id
        """
    /// Changes nothing if the progress is not what it was, or while another server has the lease.
    static let storeProgress: SharedSQL = """
        UPDATE webhooks SET epoch = $2, cursor = $3, snapshot_id = nullif($4, -1), message = $5,
            attempts = $6, failing_since = nullif($7, 0), next_attempt_at = $8, last_result = $9,
            disabled_at = nullif($10, 0), leased_by = $11, leased_until = $12
        WHERE id = $1 AND epoch = $14 AND cursor = $15 AND coalesce(snapshot_id, -1) = $16
            AND coalesce(message, '') = $17 AND attempts = $18
            AND (leased_by = $11 OR leased_until < $13)
        RETURNING id
        """
}

/// The statements of webhooks as PostgreSQL takes them, which tests check.
package enum WebhookStatements {
    package static let all = [
        SharedSQL.webhooks, .webhookCount, .addWebhook, .removeWebhook, .rotateSecret,
        .storeProgress,
    ].map(\.postgresql)
}
