import Events
import Model
import Rules
import Time

extension ModerationRecords {
    /// Performs a query on a connection that requests of apps don't wait for.
    private func rows(
        _ sql: SharedSQL,
        _ values: any SharedParameter...,
        kinds: [ColumnKind]
    ) async throws -> [SharedRow] {
        try await database.read { session in
            try session.rows(sql, values.map(\.parameter), kinds)
        }
    }

    func actions(before id: Int64?, limit: Int) async throws -> [DoneAction] {
        try await rows(.actions, id ?? .max, Int64(limit), kinds: DoneAction.kinds)
            .map(DoneAction.init)
    }

    func action(_ id: Int64) async throws -> DoneAction? {
        try await rows(.action, id, kinds: DoneAction.kinds).first.map(DoneAction.init)
    }

    func users(
        areBanned: Bool,
        before id: Int64?,
        limit: Int
    ) async throws -> [ListedUser] {
        try await rows(
            areBanned ? .bannedUsers : .users,
            id ?? .max,
            Int64(limit),
            kinds: .integers(5)
        ).map(ListedUser.init)
    }

    func user(_ id: Int64) async throws -> UserDetails? {
        let kinds = [ColumnKind].integers(9) + [.text]
        let row = try await rows(.userDetails, id, kinds: kinds).first
        guard let row else { return nil }
        return UserDetails(
            user: ListedUser(row),
            name: row.optionalText(9),
            counts: UserDetails.Counts(
                events: try await eventCount(ofOwner: id),
                attendances: row.integer(5),
                reportsAbout: row.integer(6),
                reportsBy: row.integer(7),
                blockedBy: row.integer(8)
            )
        )
    }

    private func eventCount(ofOwner id: Int64) async throws -> Int64 {
        if database.searchesInMemory {
            let count = Int64(try await database.events().eventCount(ofOwner: id))
            return min(count, RecordTotals.mostCounted)
        }
        return try await rows(.eventCount, id, kinds: [.integer]).first?.integer(0) ?? 0
    }

    func accounts(
        emailPrefix: String?,
        after email: String?,
        limit: Int
    ) async throws -> [AccountSummary] {
        let prefix = emailPrefix?.lowercased() ?? ""
        // No address is between one and this text. Two conditions would read all before the cursor.
        let next = email.map { $0.lowercased() + "\u{1}" } ?? prefix
        let first = next.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : next
        return try await rows(
            .accounts,
            first,
            prefix + "\u{10FFFF}",
            Int64(limit),
            kinds: AccountSummary.kinds
        ).map(AccountSummary.init)
    }

    func account(_ id: Int64) async throws -> AccountSummary? {
        try await rows(.accountDetails, id, kinds: AccountSummary.kinds).first
            .map(AccountSummary.init)
    }

    func openReports(
        after cursor: OpenReports.Cursor?,
        limit: Int
    ) async throws -> [OpenReports] {
        let reasons = SharedSQL.reasons
        // The record, the oldest report and the number, those of the reasons, and the latest.
        let first = 4 + reasons.count + 1
        return try await rows(
            .openReports,
            cursor?.since.milliseconds ?? .min,
            cursor?.record.kind ?? 0,
            cursor?.record.id ?? 0,
            Int64(limit),
            kinds: .integers(first + 3) + [.text, .text]
        ).compactMap { row in
            guard let record = ReportedRecord(kind: row.integer(0), id: row.integer(1)) else {
                return nil
            }
            let counts = reasons.enumerated().map { (reason: $1, count: row.integer(4 + $0)) }
            return OpenReports(
                record: record,
                since: Timestamp(milliseconds: row.integer(2)),
                count: row.integer(3),
                reasons: counts.filter { $0.count > 0 }.sorted {
                    ($1.count, $0.reason) < ($0.count, $1.reason)
                },
                latest: Report(
                    id: row.integer(first),
                    reason: row.text(first + 3),
                    note: row.optionalText(first + 4),
                    at: Timestamp(milliseconds: row.integer(first + 2)),
                    reporterID: row.integer(first + 1)
                )
            )
        }
    }

    func reports(
        about record: ReportedRecord,
        before id: Int64?,
        limit: Int
    ) async throws -> [Report] {
        try await rows(
            .reportsOfRecord,
            record.kind,
            record.id,
            id ?? .max,
            Int64(limit),
            kinds: .integers(4) + [.text, .text, .text]
        ).map { row in
            Report(
                id: row.integer(0),
                reason: row.text(4),
                note: row.optionalText(5),
                at: Timestamp(milliseconds: row.integer(2)),
                reporterID: row.integer(1),
                resolvedAt: row.optionalInteger(3).map { Timestamp(milliseconds: $0) },
                outcome: row.optionalText(6)
            )
        }
    }

    func adminTotals() async throws -> RecordTotals {
        let row = try await rows(.recordTotals, kinds: .integers(7)).first
        func total(_ column: Int) -> Int64 {
            let count = row?.integer(column) ?? 0
            return count > RecordTotals.mostCounted ? row?.integer(column + 1) ?? 0 : count
        }
        // Commands don't have the events in memory, and don't need their number.
        let events = database.searchesInMemory ? try await database.events().eventCount : 0
        return RecordTotals(
            events: events,
            users: total(1),
            attendances: total(3),
            accounts: total(5),
            hiddenEvents: row?.integer(0) ?? 0,
            reports: try await reportTotals()
        )
    }
}

extension DoneAction {
    static let kinds: [ColumnKind] = .integers(5) + [.text, .text, .text, .text, .text]

    init(_ row: SharedRow) {
        self.init(
            id: row.integer(0),
            actor: row.text(5),
            at: Timestamp(milliseconds: row.integer(1)),
            action: row.text(6),
            kind: row.text(7),
            recordID: row.optionalInteger(2),
            before: row.optionalText(8),
            after: row.optionalText(9),
            undoneBy: row.optionalInteger(3)
        )
    }
}

extension ListedUser {
    fileprivate init(_ row: SharedRow) {
        self.init(
            id: row.integer(0),
            createdAt: Timestamp(milliseconds: row.integer(1)),
            bannedAt: row.optionalInteger(2).map { Timestamp(milliseconds: $0) },
            deletedAt: row.optionalInteger(3).map { Timestamp(milliseconds: $0) },
            survivorID: row.optionalInteger(4)
        )
    }
}

extension AccountSummary {
    fileprivate static let kinds: [ColumnKind] = .integers(3) + [.text, .text]

    fileprivate init(_ row: SharedRow) {
        self.init(
            id: row.integer(0),
            email: row.text(3),
            name: row.text(4),
            taskCount: row.integer(1),
            isSignedIn: row.integer(2) == 1
        )
    }
}
