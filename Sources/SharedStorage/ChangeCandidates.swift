import Events
import Model
import Rules
import Time

/// The kinds of records, as the log names them.
package enum LoggedKind: Int64 {
    case event = 1
    case attendance = 2
    case task = 3
    case block = 4
    case user = 5
    /// All records may have changed.
    case everything = 9
}

/// A row of the log of changes, which has what was true before the change.
struct LoggedRow {
    static let kinds: [ColumnKind] = [
        .integer, .integer, .integer, .integer, .integer, .integer, .double, .double, .integer,
        .integer,
    ]

    let number: Int64
    let kind: LoggedKind
    let recordID: Int64?
    let userID: Int64?
    let eventID: Int64?
    let wasPublic: Bool
    let place: Coordinate?
    let changedAt: Timestamp
    /// The number of the last row that was deleted.
    let floor: Int64

    init(_ row: SharedRow) {
        number = row.integer(0)
        // Whatever is unknown may have changed everything.
        kind = LoggedKind(rawValue: row.integer(1)) ?? .everything
        recordID = row.optionalInteger(2)
        userID = row.optionalInteger(3)
        eventID = row.optionalInteger(4)
        wasPublic = row.integer(5) == 1
        place = row.optionalDouble(6).flatMap { latitude in
            row.optionalDouble(7).map { Coordinate(latitude: latitude, longitude: $0) }
        }
        changedAt = Timestamp(milliseconds: row.integer(8))
        floor = row.integer(9)
    }
}

/// The records of a page of changes, before their contents are read.
struct ChangeCandidates {
    /// A record.
    enum Key: Hashable {
        case event(Int64)
        case attendance(Int64)
        case task(Int64)
    }

    /// The facts about a record in its rows.
    struct Candidate {
        let key: Key
        /// Whether the client may have had it before the page.
        let wasThere: Bool
        /// Whether the client may have it after one of the rows.
        let mayLeave: Bool
        /// The number of its first row.
        let first: Int64
        /// The position of its first row.
        let order: Int
    }

    let filter: ChangeFilter
    let all: AllEvents
    /// The events of a region that the filter shows, as far as they were looked up.
    var shown: [Int64: FoundEvent] = [:]
    /// The ids of the user's attendances by event.
    var attended: [Int64: Int64] = [:]
    /// The attendances that a webhook gets, as they were in the log.
    var attendances: [Int64: Attendance] = [:]
    private let blocked: BlockedOwners
    private var candidates: [Key: Candidate] = [:]
    private var rowCount = 0

    init(_ filter: ChangeFilter, _ all: AllEvents) {
        self.filter = filter
        self.all = all
        blocked =
            switch filter {
            case .region(let filter, _): all.users.owners(blockedBy: filter.viewer.token)
            case .mine, .tasks, .webhook: BlockedOwners()
            }
    }

    var count: Int { candidates.count }

    /// Returns the candidates in the order of their first rows, each with the number from which a
    /// client that knows all before goes on.
    ///
    /// `end` is the number of the last row.
    func sorted(upTo end: Int64) -> [(candidate: Candidate, number: Int64)] {
        let sorted = candidates.values.sorted { $0.order < $1.order }
        let numbers = sorted.dropFirst().map { $0.first - 1 } + [end]
        return Array(zip(sorted, numbers))
    }

    /// Returns the reason why a client can't follow this change; nil if it can.
    func newStart(at row: LoggedRow) -> NewStart? {
        switch (filter, row.kind) {
        case (_, .everything): return .everything
        case (.region, .block), (.mine, .block):
            return filter.userID != nil && row.userID == filter.userID ? .block : nil
        case (.mine(_, let userID), .event):
            // The event has another owner.
            guard let id = row.recordID, let before = row.userID, let now = all.owner(of: id)
            else { return nil }
            return before != now && (before == userID || now == userID) ? .owner : nil
        default: return nil
        }
    }

    /// Adds the records that a row concerns.
    mutating func add(_ row: LoggedRow) {
        rowCount += 1
        guard let id = row.recordID else { return }
        switch (filter, row.kind) {
        case (.region(let filter, _), .event):
            let wasThere =
                row.wasPublic && row.place.map(filter.contains) == true
                && row.userID.map(blocked.contains) != true
            if wasThere || shown[id] != nil { add(.event(id), row, wasThere) }
        case (.webhook(let filter, let kinds), .event):
            guard kinds.contains(.event) else { return }
            let wasThere = row.wasPublic && row.place.map(filter.contains) == true
            if wasThere || shown[id] != nil { add(.event(id), row, wasThere) }
        case (.webhook(_, let kinds), .attendance):
            // What ends with its event is no news.
            guard kinds.contains(.attendance), let event = row.eventID, shown[event] != nil,
                let userID = row.userID
            else { return }
            attendances[id] = Attendance(id: id, userID: userID, eventID: event)
            add(.attendance(id), row, false, mayLeave: true)
        case (.mine(_, let userID), .event):
            if row.userID == userID {
                add(.event(id), row)
            } else if let attendance = attended[id] {
                // An end of the event ends its attendances.
                add(.attendance(attendance), row, mayLeave: false)
                add(.event(id), row)
            }
        case (.mine(_, let userID), .attendance):
            guard let event = row.eventID else { return }
            if row.userID == userID {
                add(.attendance(id), row)
                add(.event(event), row)
            } else if all.owner(of: event) == userID {
                add(.attendance(id), row)
            }
        case (.tasks(let accountID), .task):
            if row.userID == accountID { add(.task(id), row) }
        default: break
        }
    }

    private mutating func add(
        _ key: Key,
        _ row: LoggedRow,
        _ wasThere: Bool = true,
        mayLeave: Bool? = nil
    ) {
        let known = candidates[key]
        candidates[key] = Candidate(
            key: key,
            wasThere: known?.wasThere ?? wasThere,
            mayLeave: known?.mayLeave == true || mayLeave ?? wasThere,
            first: known?.first ?? row.number,
            // An event follows the attendance of the same row, which brings it.
            order: known?.order ?? rowCount * 2 + (key.eventID == nil ? 0 : 1)
        )
    }
}

extension ChangeCandidates.Key {
    var eventID: Int64? { if case .event(let id) = self { id } else { nil } }
    var attendanceID: Int64? { if case .attendance(let id) = self { id } else { nil } }
    var taskID: Int64? { if case .task(let id) = self { id } else { nil } }
}
