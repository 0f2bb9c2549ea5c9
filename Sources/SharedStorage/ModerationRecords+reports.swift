import Events
import Model
import Rules
import Time

extension ModerationRecords {
    func report(
        _ record: ReportedRecord,
        _ complaint: Complaint,
        by token: TokenDigest
    ) async throws -> StoredReport? {
        let (limits, now) = (limits, Timestamp.now().milliseconds)
        return try await database.transaction { session in
            guard let user = try session.user(with: token) else { return nil }
            if user.isBanned { throw ModelError.banned }
            let changedAt: Int64
            switch record {
            case .event(let id):
                let event = try session.event(id, visibleTo: user.id)
                if event.ownerID == user.id { throw ModelError.ownEvent }
                changedAt = event.updatedAt
            case .user(let id):
                if try session.user(id).isDeleted { throw ModelError.notFound }
                if id == user.id { throw ModelError.ownUser }
                changedAt = now - UserLimits.decisionMilliseconds
            }
            return try session.report(
                record,
                complaint,
                by: user.id,
                since: changedAt,
                now,
                limits
            )
        }
    }

    func reportTotals() async throws -> ReportTotals {
        try await database.read { session in
            let totals = try session.integers(.reportTotals, count: 2).first
            return ReportTotals(
                open: totals?.integer(0) ?? 0,
                oldest: totals?.optionalInteger(1).map { Timestamp(milliseconds: $0) }
            )
        }
    }

    func block(
        _ record: ReportedRecord,
        _ complaint: Complaint?,
        by token: TokenDigest
    ) async throws -> MadeBlock? {
        let (limits, now) = (limits, Timestamp.now().milliseconds)
        return try await database.transaction { session in
            guard let user = try session.livingUser(with: token) else { return nil }
            let blocked: Int64
            var changedAt = now - UserLimits.decisionMilliseconds
            switch record {
            case .event(let id):
                let event = try session.event(id, visibleTo: user.id)
                (blocked, changedAt) = (event.ownerID, event.updatedAt)
            case .user(let id):
                if try session.user(id).isDeleted { throw ModelError.notFound }
                blocked = id
            }
            if blocked == user.id { throw ModelError.ownUser }
            try session.addBlock(of: blocked, by: user.id, now, limits)
            var report: StoredReport?
            if let complaint, try session.openCount(limits.openReports) < limits.openReports {
                report = try session.report(
                    record,
                    complaint,
                    by: user.id,
                    since: changedAt,
                    now,
                    limits
                )
            }
            return MadeBlock(blockedID: blocked, report: report)
        }
    }

    func blocks(of token: TokenDigest) async throws -> [Block]? {
        try await database.read { session in
            let user = try session.integers(
                .userToRead,
                token,
                count: 3
            ).first.map(ModeratedUser.init)
            guard let user, !user.isDeleted else { return nil }
            return try session.integers(.blocks, user.id, count: 2)
                .map { row in
                    Block(
                        userID: row.integer(0),
                        createdAt: Timestamp(milliseconds: row.integer(1))
                    )
                }
        }
    }

    func unblock(_ userID: Int64, by token: TokenDigest) async throws -> Bool? {
        try await database.transaction { session in
            guard let user = try session.user(with: token) else { return nil }
            let rows = try session.integers(.deleteBlock, user.id, userID)
            if !rows.isEmpty { try session.note(.block(of: userID, by: user.id)) }
            return !rows.isEmpty
        }
    }
}

extension SharedSession {
    /// Stores a user's report about a record that was last changed at a time.
    fileprivate func report(
        _ record: ReportedRecord,
        _ complaint: Complaint,
        by user: Int64,
        since changedAt: Int64,
        _ now: Int64,
        _ limits: UserLimits
    ) throws -> StoredReport {
        func stored(_ id: Int64, _ openCount: Int64? = nil) -> StoredReport {
            StoredReport(id: id, record: record, reason: complaint.reason, openCount: openCount)
        }
        let (kind, id, reason) = (record.kind, record.id, complaint.reason)
        let open = try rows(.openReport, kind, id, user, kinds: [.integer, .text]).first
        // A block without a reason of its own says nothing new.
        if let open, reason == ReportReason.ofBlocks { return stored(open.integer(0)) }
        let report: Int64
        if let open, let id = try integer(.changeReport, open.integer(0), reason, complaint.note) {
            report = id
            if reason == open.text(1) { return stored(report) }
        } else {
            if let closed = try integer(.closedReport, kind, id, user, changedAt) {
                return stored(closed)
            }
            guard try openCount(limits.openReports) < limits.openReports else {
                throw ModelError.tooManyReports
            }
            report =
                try integer(.addReport, kind, id, user, reason, complaint.note, now) ?? 0
            try run(.purgeReports, now - UserLimits.closedReportMilliseconds)
        }
        if case .event(let id) = record { try hideIfReported(id, now, limits) }
        return stored(report, try integer(.openCountOfRecord, kind, id) ?? 0)
    }

    /// Hides an event once enough users have reported it, unless an operator has shown it since its
    /// last change.
    private func hideIfReported(_ id: Int64, _ now: Int64, _ limits: UserLimits) throws {
        guard limits.hidingReports > 0 else { return }
        let event = try event(id)
        let count =
            try integer(.hidingReporters, id, now - limits.youngMilliseconds) ?? 0
        guard event.hidden == nil, count >= limits.hidingReports,
            try integers(.decision, id, event.updatedAt).isEmpty
        else { return }
        try set(.reports, event)
    }

    /// Returns the number of open reports, up to a limit.
    fileprivate func openCount(_ limit: Int64) throws -> Int64 {
        try integer(.openCount, limit) ?? 0
    }

    /// Stores a block, unless it exists, and ends the attendances of each other's events.
    fileprivate func addBlock(
        of blocked: Int64,
        by user: Int64,
        _ now: Int64,
        _ limits: UserLimits
    ) throws {
        let pair = (SharedValue.integer(user), SharedValue.integer(blocked))
        guard try integers(.block, pair.0, pair.1).isEmpty else { return }
        let count = try integer(.blockCount, pair.0) ?? 0
        guard count < limits.blocks else { throw ModelError.tooManyBlocks(limits.blocks) }
        try run(.addBlock, pair.0, pair.1, now)
        try note(.block(of: blocked, by: user))
        for (guest, owner) in [(pair.0, pair.1), (pair.1, pair.0)] {
            try noteAttendances(integers(.endAttendances, guest, owner, count: 3))
        }
    }
}
