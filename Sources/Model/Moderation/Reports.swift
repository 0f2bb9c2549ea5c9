package import Rules
package import Time

/// A record that users can report.
package enum ReportedRecord: Hashable, Sendable {
    case event(Int64)
    case user(Int64)

    package var id: Int64 {
        switch self {
        case .event(let id), .user(let id): id
        }
    }

    /// The number in the table of reports.
    package var kind: Int64 {
        switch self {
        case .event: 1
        case .user: 2
        }
    }

    /// The noun, as in `event 7`.
    package var noun: String {
        switch self {
        case .event: "event"
        case .user: "user"
        }
    }

    /// The noun and the id, such as `event 7`.
    package var text: String { "\(noun) \(id)" }

    /// Creates the record of a row; nil for an unknown kind.
    package init?(kind: Int64, id: Int64) {
        switch kind {
        case 1: self = .event(id)
        case 2: self = .user(id)
        default: return nil
        }
    }
}

/// Why a user reports a record.
package enum ReportReason: String, CaseIterable, Sendable {
    case spam, offensive, illegal
    case childSafety = "child_safety"
    case wrong, other

    /// The reason of a report that comes with a block and has no other.
    package static let ofBlocks = "blocked"
    /// The reason of a report of the list of blocked words.
    package static let ofWords = "words"
}

/// The reason and the note of a user's report.
package struct Complaint: Equatable, Sendable {
    /// A reason of `ReportReason`, or `blocked`.
    package let reason: String
    /// At most 1000 characters.
    package let note: String?

    package init(reason: String, note: String?) {
        self.reason = reason
        self.note = note
    }
}

/// A report as it was stored.
package struct StoredReport: Equatable, Sendable {
    package let id: Int64
    package let record: ReportedRecord
    package let reason: String
    /// The number of open reports about the record; nil if nothing was stored.
    package let openCount: Int64?

    package init(id: Int64, record: ReportedRecord, reason: String, openCount: Int64?) {
        self.id = id
        self.record = record
        self.reason = reason
        self.openCount = openCount
    }
}

/// A report, for the operator.
package struct Report: Equatable, Sendable {
    package let id: Int64
    package let reason: String
    package let note: String?
    package let at: Timestamp
    /// 0 is the list of blocked words, and a negative id that of a user who was deleted.
    package let reporterID: Int64
    /// Nil while it is open.
    package let resolvedAt: Timestamp?
    /// Such as `hide`, `edited` or `gone`; nil while it is open.
    package let outcome: String?

    package init(
        id: Int64,
        reason: String,
        note: String?,
        at: Timestamp,
        reporterID: Int64,
        resolvedAt: Timestamp? = nil,
        outcome: String? = nil
    ) {
        self.id = id
        self.reason = reason
        self.note = note
        self.at = at
        self.reporterID = reporterID
        self.resolvedAt = resolvedAt
        self.outcome = outcome
    }
}

/// The open reports about a record, for the operator.
package struct OpenReports: Sendable {
    package let record: ReportedRecord
    /// The time of the oldest one.
    package let since: Timestamp
    /// The number of reports, each by another reporter.
    package let count: Int64
    /// The numbers of reports with each reason, the highest first, and then by name.
    package let reasons: [(reason: String, count: Int64)]
    package let latest: Report

    package init(
        record: ReportedRecord,
        since: Timestamp,
        count: Int64,
        reasons: [(reason: String, count: Int64)],
        latest: Report
    ) {
        self.record = record
        self.since = since
        self.count = count
        self.reasons = reasons
        self.latest = latest
    }

    /// A position in the list of records with open reports.
    package struct Cursor: Equatable, Sendable {
        package let since: Timestamp
        package let record: ReportedRecord

        package init(since: Timestamp, record: ReportedRecord) {
            self.since = since
            self.record = record
        }
    }

    /// The position after which the list continues.
    package var cursor: Cursor { Cursor(since: since, record: record) }
}

/// The number of open reports, and the time of the oldest.
package struct ReportTotals: Equatable, Sendable {
    package let open: Int64
    /// Nil if there are none.
    package let oldest: Timestamp?

    package init(open: Int64, oldest: Timestamp?) {
        self.open = open
        self.oldest = oldest
    }
}

/// A user that another user has blocked.
package struct Block: Equatable, Sendable {
    package let userID: Int64
    package let createdAt: Timestamp

    package init(userID: Int64, createdAt: Timestamp) {
        self.userID = userID
        self.createdAt = createdAt
    }
}

/// A block that a user has made, and the report that came with it.
package struct MadeBlock: Equatable, Sendable {
    package let blockedID: Int64
    /// Nil if there was no report, or too many are open.
    package let report: StoredReport?

    package init(blockedID: Int64, report: StoredReport?) {
        self.blockedID = blockedID
        self.report = report
    }
}

extension ModelError {
    package static let ownEvent = ModelError.invalid([
        AttributeError("Event", Violation(predicate: "is your own"))
    ])
    package static let ownUser = ModelError.invalid([
        AttributeError("User", Violation(predicate: "is yourself"))
    ])
}
