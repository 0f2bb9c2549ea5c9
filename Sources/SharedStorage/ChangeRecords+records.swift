import Events
import Model
import Rules

extension ChangeRecords {
    // MARK: - All records

    /// Returns the next part of all records that a filter shows.
    func snapshot(
        _ filter: ChangeFilter,
        _ start: ChangePosition,
        _ all: AllEvents,
        _ limit: Int
    ) async throws -> ChangePage {
        var page = ChangePage([], at: start, hasMore: true)
        while let position = page.position.snapshot, page.changes.count < limit {
            let rest = limit - page.changes.count
            let (records, next) =
                switch (filter, position.part) {
                case (.region(let filter, _), _), (.webhook(let filter, _), _):
                    try await eventPart(filter, position, rest)
                case (.mine(let viewer, let userID), 1):
                    try await eventPart(
                        EventFilter(ofUser: userID, viewer, owns: true),
                        position,
                        rest
                    )
                case (.mine(let viewer, let userID), 2):
                    try await ownAttendances(userID, viewer, position, rest)
                case (.mine(_, let userID), _):
                    try await othersAttendances(userID, all, position, rest)
                case (.tasks(let accountID), _):
                    try await taskPart(accountID, position, rest)
                }
            page.changes += records.map { record in
                var known = page.position
                known.snapshot?.ids = record.ids(inPart: position.part)
                return RecordChange(.enter, record, at: known)
            }
            page.position.snapshot = next ?? filter.part(after: position.part)
            // A search that has reached its limits goes on with the next request.
            if next != nil { break }
        }
        return page
    }

    private typealias Part = (records: [RecordChange.Record], next: ChangePosition.Snapshot?)

    private func eventPart(
        _ filter: EventFilter,
        _ position: ChangePosition.Snapshot,
        _ limit: Int
    ) async throws -> Part {
        let page = try await page(of: filter, after: position.ids.first ?? 0, limit: limit)
        let next = page.next.map { ChangePosition.Snapshot(part: position.part, ids: [$0.id]) }
        return (page.rows.map { .event($0.id, $0) }, next)
    }

    private func ownAttendances(
        _ userID: Int64,
        _ viewer: EventViewer,
        _ position: ChangePosition.Snapshot,
        _ limit: Int
    ) async throws -> Part {
        let found = try await attendances(
            .attendancesOfUser,
            [.integer(userID), .integer(position.ids.first ?? 0), .integer(Int64(limit))]
        )
        let filter = EventFilter(ofUser: userID, viewer, owns: false)
        let events = try await self.found(filter, among: found.map(\.eventID))
        let records = found.compactMap { attendance in
            events[attendance.eventID].map { event in
                RecordChange.Record.attendance(attendance.id, attendance, event)
            }
        }
        let isFull = found.count == limit
        let next = isFull ? found.last.map { ChangePosition.Snapshot(part: 2, ids: [$0.id]) } : nil
        return (records, next)
    }

    private func othersAttendances(
        _ userID: Int64,
        _ all: AllEvents,
        _ position: ChangePosition.Snapshot,
        _ limit: Int
    ) async throws -> Part {
        let (event, user) = (position.ids.first ?? 0, position.ids.last ?? 0)
        let events = all.eventIDs(ofOwner: userID).sorted().filter { $0 >= event }
        let some = Array(events.prefix(Self.eventsAtOnce))
        let found = try await attendances(
            .attendancesOfOthers,
            [
                .integers(some), .integer(userID), .integer(event), .integer(user),
                .integer(Int64(limit)),
            ]
        )
        var next: [Int64]?
        if found.count == limit {
            next = found.last.map { [$0.eventID, $0.userID] }
        } else if some.count < events.count {
            next = [events[some.count], 0]
        }
        return (
            found.map { .attendance($0.id, $0, nil) },
            next.map { ChangePosition.Snapshot(part: 3, ids: $0) }
        )
    }

    /// The number of events whose attendances are read at once.
    private static let eventsAtOnce = 1000

    private func taskPart(
        _ accountID: Int64,
        _ position: ChangePosition.Snapshot,
        _ limit: Int
    ) async throws -> Part {
        let after = position.ids.first ?? 0
        let rest = try await tasks.all(ofAccount: accountID).filter { $0.id > after }
        let found = rest.prefix(limit)
        let next = found.count < rest.count ? found.last.map { $0.id } : nil
        return (found.map { .task($0.id, $0) }, next.map { .init(part: 1, ids: [$0]) })
    }

    // MARK: - Changes

    /// Returns the changes of candidates with what they are now; `end` is the position after them.
    func changes(
        of candidates: ChangeCandidates,
        upTo end: ChangePosition
    ) async throws -> [RecordChange] {
        let sorted = candidates.sorted(upTo: end.number).map { candidate, number in
            LocatedCandidate(
                candidate: candidate,
                position: ChangePosition(log: end.log, number: number)
            )
        }
        switch candidates.filter {
        case .region:
            return sorted.compactMap { candidate in
                guard let id = candidate.key.eventID else { return nil }
                return candidate.change(candidates.shown[id]) { .event(id, $0) }
            }
        case .webhook:
            return try await changes(sorted, candidates)
        case .mine(let viewer, let userID):
            return try await changes(of: sorted, userID, viewer)
        case .tasks(let accountID):
            if sorted.isEmpty { return [] }
            let found = try await tasks.all(ofAccount: accountID)
            let known = Dictionary(found.map { ($0.id, $0) }) { $1 }
            return sorted.compactMap { candidate in
                guard let id = candidate.key.taskID else { return nil }
                return candidate.change(known[id]) { .task(id, $0) }
            }
        }
    }

    /// Returns the changes of public events and their attendances.
    private func changes(
        _ sorted: [LocatedCandidate],
        _ candidates: ChangeCandidates
    ) async throws -> [RecordChange] {
        let ids = sorted.compactMap(\.key.attendanceID)
        let found =
            ids.isEmpty ? [] : try await attendances(.attendances, [.integers(ids)])
        let attendances = Dictionary(found.map { ($0.id, $0) }) { $1 }
        return sorted.compactMap { candidate in
            if let id = candidate.key.eventID {
                return candidate.change(candidates.shown[id]) { .event(id, $0) }
            }
            guard let id = candidate.key.attendanceID, let former = candidates.attendances[id],
                let event = candidates.shown[former.eventID]
            else { return nil }
            return candidate.change(attendances[id]) { .attendance(id, $0 ?? former, event) }
        }
    }

    /// Returns the changes of a user's events and attendances.
    private func changes(
        of sorted: [LocatedCandidate],
        _ userID: Int64,
        _ viewer: EventViewer
    ) async throws -> [RecordChange] {
        let found = try await attendances(
            .attendances,
            [.integers(sorted.compactMap(\.key.attendanceID))]
        )
        let attendances = Dictionary(found.map { ($0.id, $0) }) { $1 }
        let ids = sorted.compactMap(\.key.eventID) + found.map(\.eventID)
        let owned = try await self.found(
            EventFilter(ofUser: userID, viewer, owns: true),
            among: ids
        )
        let attended = try await self.found(
            EventFilter(ofUser: userID, viewer, owns: false),
            among: ids
        )
        return sorted.compactMap { candidate in
            switch candidate.key {
            case .event(let id):
                // The attendance brings the event of another owner.
                if owned[id] == nil, attended[id] != nil { return nil }
                return candidate.change(owned[id]) { .event(id, $0) }
            case .attendance(let id):
                let attendance = attendances[id]
                let isOwn = attendance?.userID == userID
                let event = attendance.flatMap { isOwn ? attended[$0.eventID] : owned[$0.eventID] }
                return candidate.change(event) { event in
                    event == nil
                        ? .attendance(id, nil, nil)
                        : .attendance(id, attendance, isOwn ? event : nil)
                }
            case .task: return nil
            }
        }
    }
}

extension ChangeFilter {
    /// Returns the beginning of the next part of all records; nil after the last part.
    fileprivate func part(after part: Int) -> ChangePosition.Snapshot? {
        switch (self, part) {
        case (.mine, 1): ChangePosition.Snapshot(part: 2, ids: [0])
        case (.mine, 2): ChangePosition.Snapshot(part: 3, ids: [0, 0])
        default: nil
        }
    }
}

extension RecordChange.Record {
    /// Returns the ids of this record in a position in the list of all records.
    fileprivate func ids(inPart part: Int) -> [Int64] {
        switch self {
        case .attendance(_, let attendance?, _) where part == 3:
            [attendance.eventID, attendance.userID]
        case .event(let id, _), .task(let id, _), .attendance(let id, _, _): [id]
        }
    }
}

/// A candidate, and a position from which a client that has it goes on.
private struct LocatedCandidate {
    let candidate: ChangeCandidates.Candidate
    let position: ChangePosition

    var key: ChangeCandidates.Key { candidate.key }

    /// Returns the change of the record, as `make` makes it of what the filter shows now; nil if
    /// the client has never had the record.
    func change<Record>(
        _ record: Record?,
        _ make: (Record?) -> RecordChange.Record
    ) -> RecordChange? {
        if record != nil {
            let operation: RecordChange.Operation = candidate.wasThere ? .change : .enter
            return RecordChange(operation, make(record), at: position)
        }
        return candidate.mayLeave ? RecordChange(.leave, make(nil), at: position) : nil
    }
}
