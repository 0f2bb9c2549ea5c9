import Events
import Model
import Rules
import Time

extension ModerationRecords {
    func perform(
        _ action: AdminAction,
        _ record: ReportedRecord,
        by actor: String
    ) async throws -> Int64? {
        if action == .delete, case .user(let id) = record {
            return try await delete(id, by: actor)
        }
        let (limits, now) = (limits, Timestamp.now())
        return try await database.transaction { session in
            guard let change = try session.perform(action, record, at: now, limits) else {
                return nil
            }
            return try session.addAction(action, record.noun, record.id, change, actor, at: now)
        }
    }

    func resolve(
        _ record: ReportedRecord,
        _ action: AdminAction,
        by actor: String
    ) async throws -> (reports: Int64, action: Int64) {
        let (limits, now) = (limits, Timestamp.now())
        return try await database.transaction { session in
            let closed = try session.integers(
                .closeReports,
                record.kind,
                record.id,
                now.milliseconds,
                action.rawValue
            ).count
            if closed == 0 { throw ModelError.notFound }
            let change =
                try session.perform(action, record, at: now, limits) ?? session.same(record)
            let id = try session.addAction(
                action,
                record.noun,
                record.id,
                change,
                actor,
                at: now
            )
            return (Int64(closed), id)
        }
    }

    func undo(_ id: Int64, by actor: String) async throws -> DoneAction {
        let now = Timestamp.now()
        return try await database.transaction { session in
            let row = try session.rows(.actionToUndo, id, kinds: DoneAction.kinds).first
            guard let row else { throw ModelError.notFound }
            var done = DoneAction(row)
            guard done.canUndo(at: now), let record = done.record else {
                throw ModelError.conflict("Action \(id) can't be undone.")
            }
            let change = try session.undo(done, record, owner: row.integer(4), at: now)
            try session.run(.reopenReports, record.kind, record.id, done.at.milliseconds)
            let undo = try session.addAction(.undo, done.kind, record.id, change, actor, at: now)
            try session.run(.markUndone, id, undo)
            done.undoneBy = undo
            return done
        }
    }

    func note(
        _ action: AdminAction,
        kind: String,
        _ recordID: Int64?,
        by actor: String
    ) async throws {
        let now = Timestamp.now()
        try await database.transaction { session in
            let change = AuditedChange(userID: kind == "user" ? recordID : nil)
            try session.addAction(action, kind, recordID ?? 0, change, actor, at: now)
        }
    }
}

/// The values of a record before and after an action, as JSON.
struct AuditedChange {
    /// The user whose data the action is about; nil for none.
    var userID: Int64?
    /// Nil if the action can't be undone.
    var before: String?
    var after: String?

    /// Creates the change of a record of this user, without values that could be restored.
    init(userID: Int64? = nil) {
        self.userID = userID
    }

    /// Creates the change of the cause why an event is hidden.
    init(_ event: ModeratedEvent, _ after: HidingCause?) {
        userID = event.ownerID
        before = Self.json(event.hidden)
        self.after = Self.json(after)
    }

    /// Creates the change of whether a user is banned.
    init(ofBan userID: Int64, isBanned: Bool) {
        self.userID = userID
        before = "{\"banned\":\(!isBanned)}"
        after = "{\"banned\":\(isBanned)}"
    }

    static func json(_ cause: HidingCause?) -> String {
        "{\"hidden\":\(cause.map { "\"\($0.name)\"" } ?? "null")}"
    }

    /// Returns the cause in a text of `json`; `isKnown` is false for other texts.
    static func cause(in text: String?) -> (isKnown: Bool, cause: HidingCause?) {
        if text == json(nil) { return (true, nil) }
        let cause = HidingCause.allCases.first { json($0) == text }
        return (cause != nil, cause)
    }
}

extension SharedSession {
    /// Does something about a record; returns nil if that changes nothing.
    fileprivate func perform(
        _ action: AdminAction,
        _ record: ReportedRecord,
        at time: Timestamp,
        _ limits: UserLimits
    ) throws -> AuditedChange? {
        switch (action, record) {
        case (.ban, .event(let id)): try setBan(event(id).ownerID, true, at: time)
        case (.ban, .user(let id)): try setBan(id, true, at: time)
        case (.unban, .user(let id)): try setBan(id, false, at: time)
        case (.hide, .event(let id)): try change(event(id), .admin)
        case (.show, .event(let id)): try show(event(id))
        case (.delete, .event(let id)):
            try delete(event(id), keeping: limits.restoredAttendances, at: time)
        case (.dismiss, .event(let id)): try eventIfAny(id).flatMap(dismiss)
        default: nil
        }
    }

    /// Returns the change of a record that stays as it is.
    fileprivate func same(_ record: ReportedRecord) throws -> AuditedChange {
        switch record {
        case .event(let id):
            return try eventIfAny(id).map { AuditedChange($0, $0.hidden) } ?? AuditedChange()
        case .user(let id):
            var change = AuditedChange(userID: id)
            (change.before, change.after) = ("{}", "{}")
            return change
        }
    }

    /// Shows an event that reports or blocked words have hidden; nil if they have not.
    private func dismiss(_ event: ModeratedEvent) throws -> AuditedChange? {
        guard [.reports, .words].contains(event.hidden) else { return nil }
        return try change(event, user(event.ownerID).isBanned ? .ban : nil)
    }

    private func change(_ event: ModeratedEvent, _ cause: HidingCause?) throws -> AuditedChange? {
        if event.hidden == cause { return nil }
        try set(cause, event)
        return AuditedChange(event, cause)
    }

    private func show(_ event: ModeratedEvent) throws -> AuditedChange? {
        try requireNoBan(event.ownerID)
        return try change(event, nil)
    }

    private func requireNoBan(_ owner: Int64) throws {
        guard try user(owner).isBanned else { return }
        throw ModelError.conflict("User \(owner) is banned. Unban the user first.")
    }

    private func setBan(
        _ id: Int64,
        _ isBanned: Bool,
        at time: Timestamp
    ) throws -> AuditedChange? {
        let user = try user(id)
        if user.isBanned == isBanned { return nil }
        if isBanned {
            // A deleted or merged user can't act any more.
            if user.isDeleted { throw ModelError.notFound }
            try run(.setBan, id, time.milliseconds)
            try set(.ban, from: nil, ofOwner: id)
        } else {
            try run(.endBan, id)
            try forgetSignIns(id)
            try set(nil, from: .ban, ofOwner: id)
        }
        return AuditedChange(ofBan: id, isBanned: isBanned)
    }

    /// Restores the values before an action, and throws `ModelError.conflict` if the record doesn't
    /// have those after it.
    fileprivate func undo(
        _ done: DoneAction,
        _ record: ReportedRecord,
        owner: Int64,
        at time: Timestamp
    ) throws -> AuditedChange {
        // Only the reports are opened again.
        if done.before == done.after { return try same(record) }
        let hasChanged = ModelError.conflict("The record has changed since. Nothing was undone.")
        if done.action == AdminAction.edit.rawValue {
            guard let change = try undoEdit(done, of: record.id, at: time) else { throw hasChanged }
            return change
        }
        if done.action == AdminAction.delete.rawValue {
            guard let change = try restore(done, record.id, of: owner) else { throw hasChanged }
            return change
        }
        // After a merge, the owner is another user.
        if case .user(let id) = record, id != owner { throw hasChanged }
        for isBanned in [true, false]
        where done.after == AuditedChange(ofBan: owner, isBanned: isBanned).after {
            guard try isBanned || !user(owner).isDeleted,
                let change = try setBan(owner, !isBanned, at: time)
            else { throw hasChanged }
            return change
        }
        let before = AuditedChange.cause(in: done.before)
        let after = AuditedChange.cause(in: done.after)
        guard before.isKnown, after.isKnown, case .event(let id) = record,
            let event = try eventIfAny(id), event.hidden == after.cause
        else { throw hasChanged }
        if before.cause == nil { try requireNoBan(event.ownerID) }
        if before.cause == .ban, try !user(event.ownerID).isBanned { throw hasChanged }
        return try change(event, before.cause) ?? AuditedChange()
    }

    /// Writes a row of the audit and returns its id; two old rows are emptied and two deleted.
    @discardableResult
    func addAction(
        _ action: AdminAction,
        _ kind: String,
        _ recordID: Int64,
        _ change: AuditedChange,
        _ actor: String,
        at time: Timestamp
    ) throws -> Int64 {
        let now = time.milliseconds
        let limits = UserLimits.self
        try run(.purgeValues, now - limits.undoMilliseconds)
        try run(.purgeActions, now - limits.auditMilliseconds)
        return try integer(
            .addAction,
            actor,
            now,
            action.rawValue,
            kind,
            recordID,
            change.userID ?? 0,
            change.before,
            change.after
        ) ?? 0
    }
}
