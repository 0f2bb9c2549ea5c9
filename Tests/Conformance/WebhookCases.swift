import Events
import Model
import Rules
import Time

extension ConformanceCases {
    static let webhooks: [ConformanceCase] = [
        ConformanceCase(.webhooks, "adds webhooks up to the limit, and removes them") { subject in
            let latest = try await subject.changes.latest()
            var progress = Webhook.Progress(after: latest, snapshotID: 0)
            let first = try await subject.webhooks.add(.example, progress, limit: 2, by: "cli:ana")
            let second = try await subject.webhooks.add(
                Webhook.Settings(
                    url: "https://é.example/" + String(repeating: "a", count: 1982),
                    salt: Array(repeating: 0xFF, count: 16),
                    kinds: [.attendance, .event],
                    filter: String(repeating: "é", count: 4000),
                    batch: 1,
                    allowsPrivate: true
                ),
                Webhook.Progress(after: latest),
                limit: 2,
                by: "cli:ana"
            )
            var isRejected = false
            do {
                _ = try await subject.webhooks.add(.example, progress, limit: 2, by: "cli:ana")
            } catch ModelError.conflict {
                isRejected = true
            }
            try expect("whether a third one is rejected", isRejected, equals: true)
            let all = try await subject.webhooks.all().map(\.webhook)
            try expect("the ids", all.map(\.id), equals: [first, second])
            try expect("the settings", all.first?.settings, equals: .example)
            try expect("the kinds", all.last?.settings.kinds, equals: [.event, .attendance])
            try expect("the progress", all.first?.progress, equals: progress)
            progress.snapshotID = nil
            try expect("the progress without a snapshot", all.last?.progress, equals: progress)

            try await subject.webhooks.remove(first, by: "cli:ana")
            let rest = try await subject.webhooks.all().map(\.webhook.id)
            try expect("the ids then", rest, equals: [second])
            try await expect("an unknown id", throws: ModelError.notFound) {
                try await subject.webhooks.remove(first, by: "cli:ana")
            }
            let audit = try await subject.moderation.actions(before: nil, limit: 9)
            try expect(
                "the audit",
                audit.map { "\($0.action) \($0.kind) \($0.recordID ?? 0)" },
                equals: [
                    "remove webhook \(first)", "add webhook \(second)", "add webhook \(first)",
                ]
            )
        },
        ConformanceCase(.webhooks, "rotates a secret, and keeps the former one") { subject in
            let id = try await subject.webhook()
            let end = Timestamp(milliseconds: 86_400_000)
            let salt = [UInt8](repeating: 9, count: 16)
            try await subject.webhooks.rotate(id, salt: salt, until: end, by: "cli:ana")
            let webhook = try await subject.webhooks.all().first?.webhook
            try expect("the salt", webhook?.settings.salt, equals: salt)
            let former = Webhook.Settings.example.salt
            try expect("the former salt", webhook?.former?.salt, equals: former)
            try expect("its end", webhook?.former?.until, equals: end)
            try await expect("an unknown id", throws: ModelError.notFound) {
                try await subject.webhooks.rotate(id + 1, salt: salt, until: end, by: "cli:ana")
            }
        },
        ConformanceCase(.webhooks, "stores progress once, and not while another node sends") {
            subject in
            _ = try await subject.webhook()
            let webhook = try await subject.firstWebhook()
            var progress = webhook.progress
            progress.message = .changes(7)
            progress.attempts = 2
            progress.failingSince = Timestamp(milliseconds: 1)
            progress.nextAttemptAt = Timestamp(milliseconds: 2)
            progress.lastResult = "503"
            progress.disabledAt = Timestamp(milliseconds: 3)
            func store(
                _ progress: Webhook.Progress,
                of webhook: Webhook,
                _ node: String,
                at now: Int64
            ) async throws -> Bool {
                try await subject.webhooks.store(
                    progress,
                    of: webhook,
                    by: node,
                    now: Timestamp(milliseconds: now),
                    leaseEnd: Timestamp(milliseconds: now + 30)
                )
            }
            try await expect("the first", store(progress, of: webhook, "a", at: 1), equals: true)
            try await expect("the progress", subject.firstWebhook().progress, equals: progress)
            try await expect("the same", store(progress, of: webhook, "a", at: 2), equals: false)
            let begun = try await subject.firstWebhook()
            try await expect("another's", store(progress, of: begun, "b", at: 31), equals: false)
            try await expect("its own", store(progress, of: begun, "a", at: 5), equals: true)
            try await expect(
                "another's then",
                store(progress, of: begun, "b", at: 36),
                equals: true
            )
        },
        ConformanceCase(.webhooks, "resumes a webhook with its message or after it") { subject in
            let id = try await subject.webhook()
            for (message, epoch) in [
                (Webhook.Message.changes(7), nil as String?), (.changes(7), "aaaaaaaa"),
                (.snapshot(9), "aaaaaaaa"), (.reset(8), "aaaaaaaa"),
            ] {
                let webhook = try await subject.firstWebhook()
                var progress = webhook.progress
                progress.message = message
                progress.attempts = 3
                progress.failingSince = Timestamp(milliseconds: 1)
                progress.nextAttemptAt = Timestamp(milliseconds: 2)
                progress.disabledAt = Timestamp(milliseconds: 3)
                let isStored = try await subject.webhooks.store(
                    progress,
                    of: webhook,
                    by: "a",
                    now: Timestamp(milliseconds: 4),
                    leaseEnd: Timestamp(milliseconds: 1000)
                )
                try expect("whether it is stored", isStored, equals: true)
                try await subject.webhooks.resume(id, skippingIn: epoch, by: "cli:ana")
                progress.clearFailures()
                if let epoch { progress.finishMessage(epoch) }
                try await expect(
                    "the progress after \(message.text)",
                    subject.firstWebhook().progress,
                    equals: progress
                )
            }
            try await expect("the cursor", subject.firstWebhook().progress.cursor, equals: 8)
            try await expect("an unknown id", throws: ModelError.notFound) {
                try await subject.webhooks.resume(id + 1, skippingIn: nil, by: "cli:ana")
            }
        },
        ConformanceCase(.webhooks, "tells what a webhook is behind") { subject in
            _ = try await subject.webhook()
            let before = try await subject.webhooks.all().first?.backlog
            let fresh = WebhookBacklog(changes: 0, oldest: nil, isPruned: false)
            try expect("without a change", before, equals: fresh)
            _ = try await subject.user(1)
            _ = try await subject.event()
            let behind = try await subject.webhooks.all().first?.backlog
            try expect("after a change", behind?.changes, equals: 1)
            try expect("whether it has a time", behind?.oldest != nil, equals: true)
        },
        ConformanceCase(.webhooks, "shows public events and what begins and ends with them") {
            subject in
            let scene = try await WebhookScene(subject)
            let id = try await subject.event(.at(37, -122))
            try await scene.check("a new event", "enter 1", "")
            _ = try await subject.event(.at(39, -122))
            try await scene.check("an event elsewhere", "", "")
            let guest = try await subject.attendances.findOrCreate(userID: 2, eventID: id)
            _ = try await subject.attendances.findOrCreate(userID: 2, eventID: 2)
            try await scene.check("an attendance", "", "enter attendance 1 of 2 with 1")
            try await subject.attendances.delete(guest.id, userID: 2, if: nil)
            try await scene.check("its end", "", "leave attendance 1 of 2 with 1")
            _ = try await subject.attendances.findOrCreate(userID: 3, eventID: id)
            try await scene.check("another one", "", "enter attendance 3 of 3 with 1")
            try await subject.moderation.perform(.hide, .event(id), by: "cli:ana")
            _ = try await subject.attendances.findOrCreate(userID: 1, eventID: id)
            try await scene.check("hiding", "leave 1", "")
            try await subject.moderation.perform(.show, .event(id), by: "cli:ana")
            try await scene.check("showing", "enter 1", "")
            _ = try await subject.moderation.block(.user(1), nil, by: TokenDigest(2))
            try await scene.check("a block", "", "")
            try await subject.events.delete(id, ownerID: 1, if: nil)
            try await scene.check("deleting it", "leave 1", "")
        },
        ConformanceCase(.webhooks, "reads the same range again, up to its end") { subject in
            let scene = try await WebhookScene(subject)
            for _ in 1...5 { _ = try await subject.event(.at(37, -122)) }
            let range = try await scene.range(limit: 2)
            try expect("the range", range?.operations, equals: "enter 1, enter 2")
            try expect("whether there is more", range?.hasMore, equals: true)
            try expect("whether it has a time", range?.endedAt != nil, equals: true)
            try await subject.events.delete(1, ownerID: 1, if: nil)
            _ = try await subject.event(.at(37, -122))
            let again = try await scene.range(upTo: range?.end.number, limit: 1)
            try expect("the range again", again?.operations, equals: "enter 2")
            try expect("its end", again?.end, equals: range?.end)
            let rest = try await scene.range(limit: 100)
            try expect(
                "all of it",
                rest?.operations,
                equals: "enter 2, enter 3, enter 4, enter 5, leave 1, enter 6"
            )
            try expect("whether there is more", rest?.hasMore, equals: false)
            let (latest, floor) = try await subject.changes.bounds()
            try expect("the last number", rest?.end, equals: latest)
            try expect("the floor", floor, equals: 0)
            let other = ChangePosition(log: "00000000", number: 0)
            let ofOther = try await subject.changes.range(
                .webhook(EventFilter(), [.event]),
                after: other,
                upTo: nil,
                limit: 1
            )
            try expect("whether another log has it", ofOther != nil, equals: false)
        },
    ]
}

/// A webhook of events and one of attendances.
private struct WebhookScene {
    private let subject: ConformanceSubject
    private let start: ChangePosition
    private var filter: EventFilter {
        var filter = EventFilter()
        filter.box = BoundingBox(west: -122.5, south: 36.5, east: -121.5, north: 37.5)
        return filter
    }

    init(_ subject: ConformanceSubject) async throws {
        self.subject = subject
        for token in 1...3 { _ = try await subject.user(token) }
        start = try await subject.changes.latest()
    }

    func range(upTo end: Int64? = nil, limit: Int) async throws -> ChangeRange? {
        try await subject.changes.range(
            .webhook(filter, [.event]),
            after: start,
            upTo: end,
            limit: limit
        )
    }

    /// Checks what both get since the last change, and that a webhook of both gets both.
    func check(_ change: String, _ events: String, _ attendances: String) async throws {
        let latest = try await subject.changes.latest()
        let former = try await subject.firstCursor(or: start)
        let both: [(kinds: Set<Webhook.Kind>, expected: String)] = [
            ([.event], events), ([.attendance], attendances),
        ]
        for (kinds, expected) in both {
            let range = try await subject.changes.range(
                .webhook(filter, kinds),
                after: former,
                upTo: nil,
                limit: 100
            )
            try expect("\(change) for \(kinds)", range?.operations, equals: expected)
        }
        try await subject.moveCursor(to: latest)
    }
}

extension ConformanceSubject {
    /// Adds a webhook after all changes so far.
    fileprivate func webhook() async throws -> Int64 {
        try await stores.webhooks.add(
            .example,
            Webhook.Progress(after: stores.changes.latest()),
            limit: 16,
            by: "cli:ana"
        )
    }

    fileprivate func firstWebhook() async throws -> Webhook {
        guard let first = try await stores.webhooks.all().first?.webhook else {
            throw ModelError.notFound
        }
        return first
    }

    /// Returns the cursor of the first webhook; without one, the position.
    fileprivate func firstCursor(or start: ChangePosition) async throws -> ChangePosition {
        guard let first = try await stores.webhooks.all().first?.webhook else { return start }
        return ChangePosition(log: first.progress.epoch, number: first.progress.cursor)
    }

    fileprivate func moveCursor(to position: ChangePosition) async throws {
        if try await stores.webhooks.all().isEmpty {
            _ = try await stores.webhooks.add(
                .example,
                Webhook.Progress(after: position),
                limit: 16,
                by: "cli:ana"
            )
            return
        }
        let webhook = try await firstWebhook()
        _ = try await stores.webhooks.store(
            Webhook.Progress(after: position),
            of: webhook,
            by: "",
            now: Timestamp(milliseconds: 1),
            leaseEnd: Timestamp(milliseconds: 0)
        )
    }
}

extension Webhook.Settings {
    fileprivate static let example = Webhook.Settings(
        url: "https://push.example.com/humon",
        salt: Array(0x10...0x1F),
        kinds: [.event],
        filter: "lat=37.788&lon=-122.4",
        batch: 100,
        allowsPrivate: false
    )
}

extension ChangeRange {
    /// The operations in words.
    fileprivate var operations: String {
        changes.map { change in
            switch change.record {
            case .event(let id, let event):
                let isRight = (event == nil) == (change.operation == .leave)
                return "\(change.operation.rawValue) \(id)\(isRight ? "" : " wrongly")"
            case .attendance(let id, let attendance, let event):
                return "\(change.operation.rawValue) attendance \(id) of "
                    + "\(attendance?.userID ?? 0) with \(event?.id ?? 0)"
            case .task: return "a task"
            }
        }.joined(separator: ", ")
    }
}
