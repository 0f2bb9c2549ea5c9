import Events
import Model
import Rules
import Time

extension ConformanceCases {
    static let admin: [ConformanceCase] = [
        ConformanceCase(.moderation, "edits any event for an operator") { subject in
            let scene = try await AdminScene(subject)
            let (moderation, id) = (subject.moderation, scene.event)
            try await subject.events.update(id, ownerID: scene.owner) {
                var new = $0
                new[.visibility] = "private"
                return new
            }
            try await moderation.perform(.hide, .event(id), by: "cli:ana")
            let former = try await scene.dated()

            let action = try await scene.edit {
                $0.name = "Fête"; $0[.tags] = nil
            }

            let edited = try await scene.dated()
            var expected = former.event.attributes
            (expected.name, expected[.tags]) = ("Fête", nil)
            try expect("the attributes", edited.event.attributes, equals: expected)
            try expect("the state", edited.event.hidden, equals: .admin)
            try expect("when it was created", edited.createdAt, equals: former.createdAt)
            try expect(
                "whether the change is later",
                edited.updatedAt >= former.updatedAt,
                equals: true
            )
            let done = try await scene.done(action)
            try expect("the action", done.action, equals: "edit")
            try expect("the record", done.record, equals: .event(id))
            try expect("the values after", done.after, equals: #"{"name":"Fête","tags":null}"#)
            for (day, canUndo) in [(0, true), (89, true), (90, false)] as [(Int64, Bool)] {
                let time = Timestamp(milliseconds: done.at.milliseconds + day * 86_400_000)
                try expect("an undo after \(day) days", done.canUndo(at: time), equals: canUndo)
            }
            try await expect("an edit of nothing", scene.edit { _ in }, equals: nil)
            try await expect("a precondition", throws: Refusal()) {
                _ = try await moderation.edit(id, by: "cli:ana", if: { _ in throw Refusal() }) {
                    $0
                }
            }
            try await expect("a change that fails", throws: Refusal()) {
                _ = try await scene.edit { _ in throw Refusal() }
            }
            try await expect("an unknown event", throws: ModelError.notFound) {
                _ = try await moderation.edit(id + 9, by: "cli:ana", if: nil) { $0 }
            }
            try await expect("the event then", scene.dated(), equals: edited)

            _ = try await scene.edit { $0[.category] = "music" }
            let undone = try await scene.undo(action)
            expected = former.event.attributes
            expected[.category] = "music"
            try await expect(
                "the attributes after undo",
                scene.dated().event.attributes,
                equals: expected
            )
            let undo = try await moderation.actions(before: nil, limit: 1).first
            try expect("the action that has undone it", undone.undoneBy, equals: undo?.id)
            try expect("whether it can be undone then", undone.canUndo(at: .now()), equals: false)
            let another = try await scene.edit {
                $0.endedAt = nil; $0[.url] = nil
            }
            _ = try await scene.edit { $0[.url] = "https://example.com/" }
            try await scene.expectChanged(another)
            try await expect("its end", scene.dated().event.attributes.endedAt, equals: nil)
        },
        ConformanceCase(.moderation, "restores a deleted event with its attendances") { subject in
            let scene = try await AdminScene(subject)
            let (moderation, id) = (subject.moderation, scene.event)
            _ = try await subject.attendances.findOrCreate(userID: scene.owner, eventID: id)
            _ = try await subject.attendances.findOrCreate(userID: scene.guest, eventID: id)
            let complaint = Complaint(reason: "spam", note: nil)
            _ = try await moderation.report(.event(id), complaint, by: TokenDigest(2))
            let event = try await scene.dated()
            let attendances = try await subject.attendances.all(ofEvent: id)

            for resolves in [false, true] {
                let action =
                    resolves
                    ? try await moderation.resolve(.event(id), .delete, by: "cli:ana").action
                    : try await moderation.perform(.delete, .event(id), by: "cli:ana")
                try await expect("the deleted event", subject.find(id), equals: nil)
                try await expect("the open reports", moderation.reportTotals().open, equals: 0)

                let undone = try await scene.undo(action)

                try expect("the action", undone.action, equals: "delete")
                _ = try await subject.find(id)
                try await expect("the event", scene.dated(), equals: event)
                try await expect(
                    "the attendances",
                    subject.attendances.all(ofEvent: id),
                    equals: attendances
                )
                try await expect("the reports then", moderation.reportTotals().open, equals: 1)
                try await expect("what is found", subject.eventIDs(), equals: [id])
                let twice = ModelError.conflict("Action \(undone.id) can't be undone.")
                try await expect("undoing it twice", throws: twice) {
                    _ = try await scene.undo(action)
                }
            }
            let next = try await subject.event(.picnic)
            try expect("whether the id of the next event is new", next > id, equals: true)
        },
        ConformanceCase(.moderation, "restores no more than may exist since") { subject in
            let scene = try await AdminScene(subject)
            let (moderation, id) = (subject.moderation, scene.event)
            let third = try await subject.user(3).id
            func delete(_ id: Int64) async throws -> Int64? {
                try await moderation.perform(.delete, .event(id), by: "cli:ana")
            }
            func guests() async throws -> [Int64]? {
                try await subject.attendances.all(ofEvent: id)?.map(\.userID)
            }
            for guest in [scene.guest, third] {
                _ = try await subject.attendances.findOrCreate(userID: guest, eventID: id)
            }

            var action = try await delete(id)
            try await moderation.perform(.ban, .user(scene.owner), by: "cli:ana")
            _ = try await moderation.block(.user(scene.owner), nil, by: TokenDigest(2))
            _ = try await scene.undo(action)

            try await expect("the state", subject.find(id)?.hidden, equals: .ban)
            action = try await delete(id)
            try await moderation.perform(.unban, .user(scene.owner), by: "cli:ana")
            _ = try await scene.undo(action)
            try await expect("the state without a ban", subject.find(id)?.hidden, equals: nil)
            try await expect("the guests without a block", guests(), equals: [third])
            action = try await delete(id)
            _ = try await moderation.deleteUser(token: TokenDigest(3))
            _ = try await scene.undo(action)
            try await expect("the guests who are not deleted", guests(), equals: [])

            for token in 4...6 {
                let guest = try await subject.user(token).id
                _ = try await subject.attendances.findOrCreate(userID: guest, eventID: id)
            }
            action = try await delete(id)
            try await scene.expectNoUndo(action)
            let own = try await subject.event(.picnic)
            action = try await delete(own)
            let edited = try await subject.event(.picnic)
            let edit = try await moderation.edit(edited, by: "cli:ana", if: nil) { _ in .bare }
            _ = try await moderation.deleteUser(token: TokenDigest(1))
            for action in [action, edit] {
                let done = try await scene.done(action)
                try expect("the values of a deleted user", done.before, equals: nil)
                try expect("the values after", done.after, equals: nil)
                try await scene.expectNoUndo(action)
            }
        },
    ]

    /// Changes nothing if the row of the audit can't be stored, which is so for the actor
    /// `cli:nobody` on this subject's database.
    package static let failingAudit = ConformanceCase(.moderation, "changes nothing unaudited") {
        subject in
        let scene = try await AdminScene(subject)
        let (moderation, event) = (subject.moderation, ReportedRecord.event(scene.event))
        _ = try await subject.attendances.findOrCreate(userID: scene.guest, eventID: scene.event)
        let complaint = Complaint(reason: "spam", note: nil)
        _ = try await moderation.report(event, complaint, by: TokenDigest(2))
        let (before, nobody) = (try await scene.dated(), "cli:nobody")
        func check(_ name: String, _ body: () async throws -> Void) async throws {
            try await expectRefusal(of: name, body)
            try await expect("the event after \(name)", scene.dated(), equals: before)
            let guests = try await subject.attendances.all(ofEvent: scene.event)
            try expect("the guests after \(name)", guests?.count, equals: 1)
            try await expect("the reports", moderation.reportTotals().open, equals: 1)
            let users = try await moderation.users(areBanned: true, before: nil, limit: 1)
            try expect("who is banned after \(name)", users, equals: [])
        }

        try await check("edit") {
            _ = try await moderation.edit(scene.event, by: nobody, if: nil) { _ in .bare }
        }
        for action in [AdminAction.hide, .delete, .ban] {
            try await check("perform \(action)") {
                try await moderation.perform(action, event, by: nobody)
            }
            try await check("resolve \(action)") {
                _ = try await moderation.resolve(event, action, by: nobody)
            }
        }
        let deletion = try await moderation.perform(.delete, event, by: "cli:ana")
        try await expectRefusal(of: "undo") {
            _ = try await moderation.undo(deletion ?? 0, by: nobody)
        }
        try await expect("the deleted event", subject.find(scene.event), equals: nil)
        _ = try await moderation.undo(deletion ?? 0, by: "cli:ana")
        try await expect("the event then", scene.dated(), equals: before)
        let edit = try await moderation.edit(scene.event, by: "cli:ana", if: nil) { _ in .bare }
        let edited = try await scene.dated()
        try await expectRefusal(of: "undo of an edit") {
            _ = try await moderation.undo(edit ?? 0, by: nobody)
        }
        try await expect("the edited event", scene.dated(), equals: edited)
    }
}
