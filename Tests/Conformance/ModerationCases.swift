import Events
import Model
import Rules

extension ConformanceCases {
    static let moderation: [ConformanceCase] = [
        ConformanceCase(.moderation, "hides an event from everybody but its owner") { subject in
            let scene = try await Scene(subject)
            let id = scene.event
            func perform(_ action: AdminAction) async throws {
                try await subject.moderation.perform(action, .event(id), by: "cli:ana")
            }
            _ = try await subject.attendances.findOrCreate(userID: scene.guest, eventID: id)

            try await perform(.hide)
            try await perform(.hide)

            for (viewer, isVisible) in [(nil, false), (scene.owner, true), (scene.guest, false)] {
                let found = try await subject.events.findDated(id, for: viewer)
                try expect("the event for \(viewer ?? 0)", found != nil, equals: isVisible)
                try expect("its state", found?.event.hidden, equals: isVisible ? .admin : nil)
            }
            let event = try await subject.find(id)
            try expect("whether it is public", event?.isPublic, equals: false)
            try await expect("what everybody finds", scene.found(), equals: [])
            try await expect("what the owner finds", scene.found(by: scene.owner), equals: [id])
            var query = scene.query(by: scene.owner)
            query.filter.viewer.seesHidden = false
            let listed = try await subject.page(query)
            try expect("what a calendar has", listed.events.map(\.id), equals: [])
            query = scene.query(by: scene.guest)
            (query.filter.ownerID, query.filter.attendeeID) = (nil, scene.guest)
            let attended = try await subject.page(query)
            try expect("what the guest finds", attended.events.map(\.id), equals: [])
            try await expect("attending it", throws: ModelError.notFound) {
                _ = try await subject.attendances.findOrCreate(userID: scene.guest, eventID: id)
            }
            try await subject.events.update(id, ownerID: scene.owner, if: nil) { _ in .picnic }
            let changed = try await subject.find(id)
            try expect("the state after a change", changed?.hidden, equals: .admin)
            try await perform(.show)
            try await expect("what everybody finds then", scene.found(), equals: [id])
            let actions = try await subject.moderation.actions(before: nil, limit: 10)
            try expect("the audit", actions.map(\.action), equals: ["show", "hide"])
            try expect("who did it", actions.map(\.actor), equals: ["cli:ana", "cli:ana"])
            try expect("the value before", actions[0].before, equals: #"{"hidden":"admin"}"#)
            try expect("the value after", actions[0].after, equals: #"{"hidden":null}"#)
            try await expect("hiding an unknown event", throws: ModelError.notFound) {
                try await subject.moderation.perform(.hide, .event(id + 9), by: "cli:ana")
            }
        },
        ConformanceCase(.moderation, "bans a user and hides the user's events") { subject in
            let scene = try await Scene(subject)
            let (id, owner) = (scene.event, ReportedRecord.user(scene.owner))
            let hidden = try await subject.event(.picnic)
            let moderation = subject.moderation
            try await moderation.perform(.hide, .event(hidden), by: "cli:ana")

            try await moderation.perform(.ban, owner, by: "cli:ana")

            try await expect("what everybody finds", scene.found(), equals: [])
            try await expect("the states", states(id, hidden), equals: [.ban, .admin])
            try await expect("creating an event", throws: ModelError.banned) {
                _ = try await subject.events.create(.picnic, token: TokenDigest(1))
            }
            let user = try await subject.users.find(token: TokenDigest(1))
            try expect("whether the user is banned", user?.isBanned, equals: true)
            let summary = try await subject.users.summary(ofUserWith: TokenDigest(1))
            try expect("whether the summary says so", summary?.isBanned, equals: true)
            let banned = try await moderation.users(areBanned: true, before: nil, limit: 10)
            try expect("the banned users", banned.map(\.id), equals: [scene.owner])
            let message = "User \(scene.owner) is banned. Unban the user first."
            try await expect("showing an event", throws: ModelError.conflict(message)) {
                try await moderation.perform(.show, .event(id), by: "cli:ana")
            }
            try await expect("changing an event", throws: ModelError.banned) {
                try await subject.events.update(id, ownerID: scene.owner, if: nil) { _ in .picnic }
            }
            let imported = [(scene.owner, nil), (scene.guest, .ban)] as [(Int64, HidingCause?)]
            let records = imported.map { owner, hidden in
                EventRecord(id: nil, ownerID: owner, attributes: .picnic, hidden: hidden)
            }
            try subject.store(records)
            try await expect("imported events", states(3, 4), equals: [.ban, .admin])
            try await subject.events.delete(3, ownerID: scene.owner, if: nil)
            try await subject.events.delete(4, ownerID: scene.guest, if: nil)
            try await moderation.perform(.unban, owner, by: "cli:ana")
            try await expect("the states then", states(id, hidden), equals: [nil, .admin])
            try await expect("what everybody finds then", scene.found(), equals: [id])
            _ = try await subject.event(.picnic)

            func states(_ ids: Int64...) async throws -> [HidingCause?] {
                var states: [HidingCause?] = []
                for id in ids { states.append(try await subject.find(id)?.hidden) }
                return states
            }
        },
        ConformanceCase(.moderation, "keeps the events of blocked owners from a user") { subject in
            let scene = try await Scene(subject)
            let (id, own) = (scene.event, try await subject.event(.picnic, token: 2))
            let attendances = subject.attendances
            _ = try await attendances.findOrCreate(userID: scene.guest, eventID: id)
            _ = try await attendances.findOrCreate(userID: scene.owner, eventID: own)
            let third = try await subject.event(.picnic, token: 3)
            _ = try await attendances.findOrCreate(userID: scene.owner, eventID: third)

            let made = try await subject.moderation.block(.event(id), nil, by: TokenDigest(2))
            let again = try await subject.moderation.block(
                .user(scene.owner),
                nil,
                by: TokenDigest(2)
            )

            try expect("the blocked user", made?.blockedID, equals: scene.owner)
            try expect("the block again", again, equals: made)
            let found = try await scene.found(with: TokenDigest(2))
            try expect("what the user finds", found, equals: [own, third])
            try await expect("what others find", scene.found(), equals: [id, own, third])
            let nobodys = try await scene.found(with: TokenDigest(9))
            try expect("what a stranger finds", nobodys, equals: [id, own, third])
            let event = try await subject.events.findDated(id, for: scene.guest)
            try expect("the event", event, equals: nil)
            try await expect(
                "whether the user blocks",
                subject.events.isBlocker(TokenDigest(2)),
                equals: true
            )
            try expect(
                "the event in memory",
                subject.events.representationInMemory(of: id, for: TokenDigest(2)),
                equals: nil
            )
            try await expect("the guests", attendances.all(ofEvent: id, for: nil), equals: [])
            try await expect("the own guests", attendances.all(ofEvent: own, for: nil), equals: [])
            let guests = try await attendances.all(ofEvent: third, for: scene.guest)
            try expect("the guests whom the user sees", guests, equals: [])
            for (user, event) in [(scene.guest, id), (scene.owner, own)] {
                try await expect("attending \(event)", throws: ModelError.notFound) {
                    _ = try await attendances.findOrCreate(userID: user, eventID: event)
                }
            }
            let blocks = try await subject.moderation.blocks(of: TokenDigest(2))
            try expect("the blocks", blocks?.map(\.userID), equals: [scene.owner])
            try await expect("blocking oneself", throws: ModelError.ownUser) {
                _ = try await subject.moderation.block(.event(own), nil, by: TokenDigest(2))
            }
            _ = try await subject.moderation.block(.event(third), nil, by: TokenDigest(2))
            let more = try await subject.user(4)
            try await expect("one block too many", throws: ModelError.tooManyBlocks(2)) {
                _ = try await subject.moderation.block(.user(more.id), nil, by: TokenDigest(2))
            }
            let ended = try await subject.moderation.unblock(scene.owner, by: TokenDigest(2))
            try expect("the end", ended, equals: true)
            let endedAgain = try await subject.moderation.unblock(scene.owner, by: TokenDigest(2))
            try expect("the end again", endedAgain, equals: false)
            let then = try await scene.found(with: TokenDigest(2))
            try expect("what the user finds then", then, equals: [id, own])
            try await subject.signIns.revokeTokens(of: scene.guest, device: nil, by: "cli:ana")
            _ = try await subject.users.findOrCreate(token: TokenDigest(2))
            let later = try await scene.found(with: TokenDigest(2))
            try expect("what a later user with the token finds", later, equals: [id, own, third])
            let stranger = try await subject.moderation.blocks(of: TokenDigest(9))
            try expect("the blocks of a stranger", stranger, equals: nil)
        },
        ConformanceCase(.moderation, "keeps one open report of a user about a record") { subject in
            let scene = try await Scene(subject)
            let moderation = subject.moderation
            let (event, user) = (
                ReportedRecord.event(scene.event), ReportedRecord.user(scene.owner)
            )
            func report(_ record: ReportedRecord, _ reason: String, _ token: Int = 2) async throws
                -> StoredReport?
            {
                let complaint = Complaint(reason: reason, note: "\(reason) note")
                return try await moderation.report(record, complaint, by: TokenDigest(token))
            }

            let first = try await report(event, "spam")
            let changed = try await report(event, "wrong")
            let again = try await report(event, "wrong")
            let ofUser = try await report(user, "other")

            try expect("the number of open reports", first?.openCount, equals: 1)
            try expect("the ids", [changed?.id, again?.id], equals: [first?.id, first?.id])
            try expect("whether another reason is news", changed?.openCount, equals: 1)
            try expect("whether the same one is", again?.openCount, equals: nil)
            try expect("another id", ofUser?.id == first?.id, equals: false)
            let open = try await moderation.openReports(after: nil, limit: 10)
            try expect("the records", open.map(\.record), equals: [event, user])
            try expect("the latest reasons", open.map(\.latest.reason), equals: ["wrong", "other"])
            try expect("the latest note", open.first?.latest.note, equals: "wrong note")
            try await expect("the totals", moderation.reportTotals().open, equals: 2)
            try await expect("the own event", throws: ModelError.ownEvent) {
                _ = try await report(event, "spam", 1)
            }
            try await expect("the own user", throws: ModelError.ownUser) {
                _ = try await report(user, "spam", 1)
            }
            for record in [ReportedRecord.event(99), .user(99)] {
                try await expect("an unknown record", throws: ModelError.notFound) {
                    _ = try await report(record, "spam")
                }
            }
            try await expect("a stranger's report", report(event, "spam", 9), equals: nil)

            let block = try await moderation.block(
                event,
                Complaint(reason: ReportReason.ofBlocks, note: nil),
                by: TokenDigest(2)
            )
            try expect("the report of a block", block?.report?.openCount, equals: nil)
            let kept = try await moderation.openReports(after: nil, limit: 10).first
            try expect("the note after a block", kept?.latest.note, equals: "wrong note")
            try await expect(
                "closing",
                moderation.resolve(event, .dismiss, by: "cli:ana").reports,
                equals: 1
            )
            try await expect("closing again", throws: ModelError.notFound) {
                _ = try await moderation.resolve(event, .dismiss, by: "cli:ana")
            }
            let nagged = try await report(event, "spam")
            try expect(
                "the closed report",
                nagged,
                equals: StoredReport(
                    id: first?.id ?? 0,
                    record: event,
                    reason: "spam",
                    openCount: nil
                )
            )
            try await expect("the open reports", moderation.reportTotals().open, equals: 1)
            try await subject.events.delete(scene.event, ownerID: scene.owner, if: nil)
        },
        ConformanceCase(.moderation, "hides an event that enough users report") { subject in
            let scene = try await Scene(subject)
            let moderation = subject.moderation
            let event = ReportedRecord.event(scene.event)
            for (token, reason, hidden) in [
                (2, "spam", nil), (3, "wrong", nil), (4, "spam", .reports as HidingCause?),
            ] {
                _ = try await subject.users.findOrCreate(token: TokenDigest(token))
                let complaint = Complaint(reason: reason, note: nil)
                _ = try await moderation.report(event, complaint, by: TokenDigest(token))
                let found = try await subject.find(scene.event)
                try expect("the state after user \(token)", found?.hidden, equals: hidden)
            }
            let closed = try await moderation.resolve(event, .dismiss, by: "cli:ana").reports
            try expect("the closed reports", closed, equals: 3)
            try await expect("what everybody finds", scene.found(), equals: [scene.event])
            for token in [5, 6] {
                _ = try await subject.users.findOrCreate(token: TokenDigest(token))
                let complaint = Complaint(reason: "spam", note: nil)
                _ = try await moderation.report(event, complaint, by: TokenDigest(token))
            }
            try await expect("what everybody finds then", scene.found(), equals: [scene.event])
            try await moderation.perform(.ban, .user(scene.owner), by: "cli:ana")
            try await moderation.perform(.unban, .user(scene.owner), by: "cli:ana")
            let dismissal = try await moderation.actions(before: nil, limit: 3).last?.id ?? 0
            _ = try await moderation.undo(dismissal, by: "cli:ana")
            try await expect("what everybody finds after undo", scene.found(), equals: [])
            try await expect("the open reports", moderation.reportTotals().open, equals: 5)
        },
        ConformanceCase(.moderation, "hides an event once reports have changed") { subject in
            let scene = try await Scene(subject)
            let event = ReportedRecord.event(scene.event)
            for (token, reason, hidden) in [
                (2, ReportReason.ofBlocks, nil), (3, "wrong", nil), (2, "child_safety", nil),
                (3, "spam", .reports as HidingCause?),
            ] {
                let complaint = Complaint(reason: reason, note: nil)
                _ = try await subject.moderation.report(event, complaint, by: TokenDigest(token))
                let found = try await subject.find(scene.event)
                try expect("the state after \(reason)", found?.hidden, equals: hidden)
            }
        },
        ConformanceCase(.moderation, "bans nobody whose data was deleted") { subject in
            let scene = try await Scene(subject)
            let moderation = subject.moderation
            try await moderation.perform(.ban, .user(scene.guest), by: "cli:ana")
            for token in [1, 2] { _ = try await moderation.deleteUser(token: TokenDigest(token)) }

            try await expect("banning a deleted user", throws: ModelError.notFound) {
                try await moderation.perform(.ban, .user(scene.owner), by: "cli:ana")
            }
            try await moderation.perform(.unban, .user(scene.guest), by: "cli:ana")

            let actions = try await moderation.actions(before: nil, limit: 10)
            try expect("the audit", actions.map(\.action), equals: ["unban", "ban"])
        },
        ConformanceCase(.moderation, "dismisses no event of a banned owner into view") { subject in
            let scene = try await Scene(subject)
            let moderation = subject.moderation
            let event = ReportedRecord.event(scene.event)
            for token in [2, 3] {
                let complaint = Complaint(reason: "spam", note: nil)
                _ = try await moderation.report(event, complaint, by: TokenDigest(token))
            }
            try await moderation.perform(.ban, .user(scene.owner), by: "cli:ana")

            _ = try await moderation.resolve(event, .dismiss, by: "cli:ana")

            try await expect("what everybody finds", scene.found(), equals: [])
            let state = try await subject.find(scene.event)
            try expect("the state", state?.hidden, equals: .ban)
            try await moderation.perform(.unban, .user(scene.owner), by: "cli:ana")
            try await expect("what everybody finds then", scene.found(), equals: [scene.event])
        },
        ConformanceCase(.moderation, "undoes each action once") { subject in
            let scene = try await Scene(subject)
            let moderation = subject.moderation
            let (event, owner) = (
                ReportedRecord.event(scene.event), ReportedRecord.user(scene.owner)
            )
            func latest() async throws -> Int64 {
                try await moderation.actions(before: nil, limit: 1).first?.id ?? 0
            }
            func state() async throws -> HidingCause? {
                let event = try await subject.find(scene.event)
                return event?.hidden
            }

            for (action, record, done, undone) in [
                (AdminAction.hide, event, .admin as HidingCause?, nil as HidingCause?),
                (.ban, owner, .ban, nil),
            ] {
                try await moderation.perform(action, record, by: "cli:ana")
                let id = try await latest()
                try await expect("the state after \(action)", state(), equals: done)
                let undo = try await moderation.undo(id, by: "cli:bob")
                try expect("the action", undo.action, equals: action.rawValue)
                try await expect("the state after undo", state(), equals: undone)
                let twice = ModelError.conflict("Action \(id) can't be undone.")
                try await expect("undoing it twice", throws: twice) {
                    _ = try await moderation.undo(id, by: "cli:bob")
                }
            }
            try await moderation.perform(.hide, event, by: "cli:ana")
            let hiding = try await latest()
            try await moderation.perform(.show, event, by: "cli:ana")
            let changed = ModelError.conflict(
                "The record has changed since. Nothing was undone."
            )
            try await expect("undoing what was changed since", throws: changed) {
                _ = try await moderation.undo(hiding, by: "cli:bob")
            }
            try await expect("an unknown action", throws: ModelError.notFound) {
                _ = try await moderation.undo(9999, by: "cli:bob")
            }
            let complaint = Complaint(reason: "spam", note: nil)
            _ = try await moderation.report(event, complaint, by: TokenDigest(2))
            _ = try await moderation.resolve(event, .hide, by: "cli:ana")
            try await expect("the state after resolve", state(), equals: .admin)
            try await expect("the open reports", moderation.reportTotals().open, equals: 0)
            let resolution = try await latest()
            _ = try await moderation.undo(resolution, by: "cli:bob")
            try await expect("the state after undo of resolve", state(), equals: nil)
            try await expect("the open reports then", moderation.reportTotals().open, equals: 1)
            _ = try await moderation.resolve(event, .delete, by: "cli:ana")
            try await expect("the deleted event", subject.find(scene.event), equals: nil)
        },
    ]
}

/// An event with an owner, and two other users.
private struct Scene {
    private let subject: ConformanceSubject
    let owner: Int64
    let guest: Int64
    let event: Int64

    init(_ subject: ConformanceSubject) async throws {
        self.subject = subject
        owner = try await subject.user(1).id
        guest = try await subject.user(2).id
        _ = try await subject.user(3)
        event = try await subject.event(.picnic)
    }

    /// A query for the events of the owner, as the viewer sees them.
    func query(by viewer: Int64?) -> EventQuery {
        var query = EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 10)
        query.filter.ownerID = viewer
        query.filter.viewer = EventViewer(userID: viewer, seesHidden: viewer != nil)
        return query
    }

    /// The ids of the events that a viewer finds, or that everybody does.
    func found(by viewer: Int64? = nil) async throws -> [Int64] {
        try await subject.page(query(by: viewer)).events.map(\.id)
    }

    /// The ids of the events that a request with a token finds.
    func found(with token: TokenDigest) async throws -> [Int64] {
        var query = query(by: nil)
        query.filter.viewer.token = token.bytes
        return try await subject.page(query).events.map(\.id)
    }
}
