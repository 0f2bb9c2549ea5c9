import HTTPClient
import Model
import Rules
import Time

/// The delivery of one webhook's messages, a step at a time.
///
/// A message is a fixed range of the log or of the view, which is stored before its first byte is
/// sent. So a message that is sent again has the same id, and a step can end anywhere.
package struct WebhookDelivery: Sendable {
    /// How often a webhook that has nothing to do is looked at, in ms.
    package static let glance: Int64 = 5000
    /// How often the log is looked at, and the least time between two writes of a cursor alone, in
    /// ms.
    private static let look: Int64 = 1000
    /// The time during which no other server sends messages, in ms.
    private static let lease: Int64 = 30_000
    /// The pauses after failures, in s, the last one again and again.
    private static let pauses: [Double] = [5, 15, 60, 300, 900]
    private static let longestPause = 3600
    /// The time without a success after which a webhook is disabled, in ms.
    package static let patience: Int64 = 7 * 86_400_000

    private let id: Int64
    private let surroundings: WebhookSurroundings
    /// The end of the last range without a change for the view; nil if the cursor is later.
    private var seen: ChangePosition?
    private var movedAt: Timestamp?
    /// The number of changes in a message since the receiver found one too large.
    private var limit: Int?

    package init(of id: Int64, _ surroundings: WebhookSurroundings) {
        self.id = id
        self.surroundings = surroundings
    }

    /// A message that can be sent.
    private struct Prepared {
        /// The progress that is stored before it is sent.
        var progress: Webhook.Progress
        let content: WebhookSurroundings.Content
    }

    /// Sends the next message if there is one, and returns the time in ms until the next step.
    ///
    /// Returns nil if the webhook doesn't exist any more. Throws the errors of stores, after which
    /// the next step tries again.
    package mutating func step() async throws -> Int64? {
        let all = try await surroundings.webhooks.all()
        guard let webhook = all.first(where: { $0.webhook.id == id })?.webhook else { return nil }
        let wait = webhook.progress.nextAttemptAt.milliseconds - surroundings.now().milliseconds
        if webhook.progress.disabledAt != nil || wait > Self.glance { return Self.glance }
        if wait > 0 { return wait }
        let (latest, floor) = try await surroundings.changes.bounds()
        guard let message = try await prepare(webhook, latest, floor: floor) else {
            return try await move(webhook, latest)
        }
        guard try await store(message.progress, of: webhook, holds: true) else { return Self.look }
        var begun = webhook
        begun.progress = message.progress
        let (progress, outcome) = try send(message, begun, latest.log)
        // Its end also ends the lease, so that a restarted server need not wait for it.
        guard try await store(progress, of: begun, holds: false) else { return Self.look }
        surroundings.report(begun, progress, outcome)
        return 0
    }

    private func store(
        _ progress: Webhook.Progress,
        of webhook: Webhook,
        holds: Bool
    ) async throws -> Bool {
        let now = surroundings.now()
        let end = holds ? now.milliseconds + Self.lease : 0
        return try await surroundings.webhooks.store(
            progress,
            of: webhook,
            by: surroundings.node,
            now: now,
            leaseEnd: Timestamp(milliseconds: end)
        )
    }

    /// Stores how far the log has no change for the view, and returns the time until the next look.
    private mutating func move(_ webhook: Webhook, _ latest: ChangePosition) async throws -> Int64 {
        let now = surroundings.now()
        var progress = webhook.progress
        guard let seen, seen.log == progress.epoch else { return Self.look }
        let pause = seen.number < latest.number ? 0 : Self.look
        let isDue = movedAt.map { now.milliseconds - $0.milliseconds >= Self.look } ?? true
        (progress.cursor, progress.snapshotID) = (max(progress.cursor, seen.number), nil)
        guard progress != webhook.progress, isDue else { return pause }
        movedAt = now
        return try await store(progress, of: webhook, holds: false) ? pause : Self.look
    }

    // MARK: The message

    /// Returns the next message, or the stored one for a retry; nil if there is nothing to send.
    private mutating func prepare(
        _ webhook: Webhook,
        _ latest: ChangePosition,
        floor: Int64
    ) async throws -> Prepared? {
        let progress = webhook.progress
        let position = ChangePosition(log: progress.epoch, number: progress.cursor)
        let isLost = position.log != latest.log || position.number < floor
        switch progress.message {
        case .reset(let end):
            return reset(webhook, to: end)
        case .snapshot(let id) where position.log == latest.log:
            let changes = try await snapshot(webhook, latest, upTo: id).changes
            return prepared(.snapshot(id), progress, changes, surroundings.now())
        case .changes(let end) where !isLost:
            let filter = try filter(of: webhook)
            let range = try await surroundings.changes.range(
                filter,
                after: position,
                upTo: end,
                limit: webhook.settings.batch
            )
            guard let range else { return nil }
            return prepared(
                .changes(end),
                progress,
                range.changes,
                range.endedAt ?? surroundings.now()
            )
        default: break
        }
        if isLost {
            return reset(webhook, to: min(max(position.number, floor), latest.number))
        }
        if progress.snapshotID != nil, webhook.settings.kinds.contains(.event) {
            let (changes, last) = try await snapshot(webhook, latest, upTo: nil)
            if let last {
                return prepared(.snapshot(last), progress, changes, surroundings.now())
            }
        }
        return try await newRange(webhook, position)
    }

    /// Returns the next changes; nil if there are none.
    private mutating func newRange(
        _ webhook: Webhook,
        _ position: ChangePosition
    ) async throws -> Prepared? {
        var start = position
        if let seen, seen.log == start.log, seen.number > start.number { start = seen }
        let range = try await surroundings.changes.range(
            filter(of: webhook),
            after: start,
            upTo: nil,
            limit: limit ?? webhook.settings.batch
        )
        guard let range else {
            // Rows were deleted meanwhile, which the next step sees.
            seen = nil
            return nil
        }
        if range.isEverything { return reset(webhook, to: range.end.number) }
        guard !range.changes.isEmpty else {
            seen = range.end
            return nil
        }
        var progress = webhook.progress
        (progress.cursor, progress.snapshotID) = (start.number, nil)
        return prepared(
            .changes(range.end.number),
            progress,
            range.changes,
            range.endedAt ?? surroundings.now()
        )
    }

    private func filter(of webhook: Webhook) throws -> ChangeFilter {
        try .webhook(surroundings.filter(webhook.settings.filter), webhook.settings.kinds)
    }

    /// Returns the next events of the view, up to an id if one is given, and the id of the last.
    private func snapshot(
        _ webhook: Webhook,
        _ latest: ChangePosition,
        upTo end: Int64?
    ) async throws -> (changes: [RecordChange], last: Int64?) {
        let filter = try filter(of: webhook)
        var changes: [RecordChange] = []
        var next = ChangePosition.Snapshot(part: 1, ids: [webhook.progress.snapshotID ?? 0])
        while end != nil || changes.isEmpty {
            let page = try await surroundings.changes.page(
                filter,
                after: ChangePosition(log: latest.log, number: latest.number, snapshot: next),
                limit: limit ?? webhook.settings.batch
            )
            changes += page.changes.filter { change in end.map { change.eventID <= $0 } ?? true }
            guard let following = page.position.snapshot,
                (following.ids.first ?? .max) < end ?? .max
            else { break }
            next = following
        }
        return (changes, end ?? changes.last?.eventID)
    }

    private func reset(_ webhook: Webhook, to end: Int64) -> Prepared {
        prepared(.reset(end), webhook.progress, nil, surroundings.now())
    }

    private func prepared(
        _ message: Webhook.Message,
        _ progress: Webhook.Progress,
        _ changes: [RecordChange]?,
        _ timestamp: Timestamp
    ) -> Prepared {
        var progress = progress
        progress.message = message
        let type =
            switch message {
            case .changes: "changes"
            case .reset: "reset"
            case .snapshot: "snapshot"
            }
        return Prepared(
            progress: progress,
            content: WebhookSurroundings.Content(
                type: type,
                timestamp: timestamp,
                webhookID: id,
                changes: changes
            )
        )
    }

    // MARK: The attempt

    /// Sends a message, and returns the progress afterwards and the outcome.
    private mutating func send(
        _ message: Prepared,
        _ webhook: Webhook,
        _ epoch: String
    ) throws -> (Webhook.Progress, WebhookSurroundings.Outcome) {
        var progress = message.progress
        let number: String =
            switch progress.message {
            case .changes(let end): "\(end)"
            case .reset(let end): "\(end)_0"
            case .snapshot(let last): "\(progress.cursor)_\(last)"
            case nil: ""
            }
        let response: HTTPClient.Response
        do {
            response = try surroundings.post(
                message.content,
                id: "msg_\(epoch)_\(id)_\(number)",
                to: webhook
            )
            progress.lastResult = String(response.status)
        } catch let error as HTTPClientError {
            response = HTTPClient.Response(status: 0)
            progress.lastResult = error.reason
        }
        let count = message.content.changes?.count ?? 0
        switch response.status {
        case 200..<300:
            progress.finishMessage(epoch)
            progress.clearFailures()
            limit = limit.flatMap { $0 * 2 < webhook.settings.batch ? $0 * 2 : nil }
            return (progress, .delivered)
        case 410:
            progress.disabledAt = surroundings.now()
        case 413 where count > 1:
            progress.message = nil
            limit = max(1, min(limit ?? webhook.settings.batch, count) / 2)
        default:
            fail(&progress, retryAfter: response.retryAfter)
        }
        return (progress, progress.disabledAt == nil ? .failed : .disabled)
    }

    /// Notes a failure; after 7 days, the webhook is disabled.
    private func fail(_ progress: inout Webhook.Progress, retryAfter: Int) {
        let now = surroundings.now().milliseconds
        let since = progress.failingSince?.milliseconds ?? now
        progress.failingSince = Timestamp(milliseconds: since)
        let index = min(progress.attempts, Self.pauses.count - 1)
        let seconds =
            retryAfter > 0
            ? Double(min(retryAfter, Self.longestPause))
            : Self.pauses[index] * surroundings.jitter()
        progress.attempts += 1
        let end = since + Self.patience
        if now >= end { progress.disabledAt = Timestamp(milliseconds: now) }
        // The last attempt is at the end.
        let next = min(now + Int64(seconds * 1000), max(end, now))
        progress.nextAttemptAt = Timestamp(milliseconds: next)
    }
}

extension RecordChange {
    /// The id of an event; 0 for other records.
    fileprivate var eventID: Int64 { if case .event(let id, _) = record { id } else { 0 } }
}
