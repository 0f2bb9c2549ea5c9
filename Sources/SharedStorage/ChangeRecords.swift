import Events
import Model
import Rules
import System
import Time

/// The changes of records for clients that follow them, the same for all engines.
///
/// First comes the cut, the position of the events in memory, and then the state: every record is
/// read at the cut or later. So no change after the cut is lost between two pages.
struct ChangeRecords: ChangeStore {
    /// The number of rows of the log that are read at once, which takes about 1 ms.
    private static let rowsAtOnce: Int64 = 1000

    let database: any SharedDatabase
    let events: any EventStore
    let tasks: any TodoTaskStore
    /// The number of changes that a client can catch up with.
    let mostBehind: Int64

    func live() -> any LiveChanges {
        let live = LiveChangeRecords(self)
        database.changeSignal.setReceiver { [weak live] in live?.wake() }
        return live
    }

    func latest() async throws -> ChangePosition {
        ChangePosition(try await cut().position)
    }

    func page(
        _ filter: ChangeFilter,
        after position: ChangePosition?,
        limit: Int
    ) async throws -> ChangePage {
        let (all, latest) = try await cut()
        let beginning = ChangePosition.Snapshot(part: 1, ids: [0])
        let start =
            position
            ?? ChangePosition(log: latest.epoch, number: latest.number, snapshot: beginning)
        guard start.log == latest.epoch, start.number <= latest.number else {
            throw NewStart.epoch
        }
        guard latest.number - start.number <= mostBehind, start.number >= latest.floor else {
            throw NewStart.behind
        }
        if start.snapshot == nil {
            if start.number == latest.number { return ChangePage([], at: start, hasMore: false) }
            return try await changes(filter, after: start, upTo: latest, all, limit)
        }
        var page = try await snapshot(filter, start, all, limit)
        if page.position.snapshot == nil { page.hasMore = latest.number > start.number }
        return page
    }

    /// Returns all events in memory, and their position.
    func cut() async throws -> (events: AllEvents, position: LogPosition) {
        let all = try await database.events()
        guard let position = all.position else {
            throw ModelError.unavailable(
                reason: "The events are being loaded. Try again in a moment."
            )
        }
        return (all, position)
    }

    /// Returns the changes after a position, which the log must have.
    private func changes(
        _ filter: ChangeFilter,
        after start: ChangePosition,
        upTo latest: LogPosition,
        _ all: AllEvents,
        _ limit: Int
    ) async throws -> ChangePage {
        var candidates = ChangeCandidates(filter, all)
        var number = start.number
        while number < latest.number, candidates.count < limit {
            let read = try await rows(after: number)
            // Rows were deleted in the meantime.
            if let first = read.first, first.floor > number { throw NewStart.behind }
            let rows = read.prefix { $0.number <= latest.number }
            if let reason = rows.lazy.compactMap(candidates.newStart).first { throw reason }
            if rows.isEmpty { break }
            try await look(up: Array(rows), for: &candidates)
            for row in rows where candidates.count < limit {
                candidates.add(row)
                number = row.number
            }
            // A reader may see fewer changes than the events have.
            if read.count < Self.rowsAtOnce { break }
            // Otherwise a client that is far behind would keep others waiting.
            await Task.yield()
        }
        let end = ChangePosition(log: start.log, number: number)
        return ChangePage(
            try await changes(of: candidates, upTo: end),
            at: end,
            hasMore: number < latest.number
        )
    }

    func summary() async throws -> LogSummary {
        let latest = try await latest()
        let log = try await database.integers(.logRows, count: 2).first
        // Not every engine reports it.
        let bytes = try? await database.integers(.logBytes).first?.optionalInteger(0)
        return LogSummary(
            latest: latest,
            first: log?.optionalInteger(0),
            rows: log?.integer(1) ?? 0,
            bytes: bytes
        )
    }

    func renew() async throws {
        try await database.transaction { session in
            try session.run(.renewLog, LogPosition.newIdentity())
        }
    }

    func bounds() async throws -> (latest: ChangePosition, floor: Int64) {
        let latest = try await cut().position
        return (ChangePosition(latest), latest.floor)
    }

    func range(
        _ filter: ChangeFilter,
        after position: ChangePosition,
        upTo end: Int64?,
        limit: Int
    ) async throws -> ChangeRange? {
        let (all, latest) = try await cut()
        let last = end ?? latest.number
        guard position.log == latest.epoch, last <= latest.number else { return nil }
        var candidates = ChangeCandidates(filter, all)
        var (number, endedAt, looked) = (position.number, nil as Timestamp?, 0)
        // When the range is read again, each of its rows may concern the filter.
        let mostRows = max(Int(Self.rowsAtOnce), 10 * limit)
        while number < last, end != nil || candidates.count < limit && looked < mostRows {
            let read = try await rows(after: number)
            // Rows were deleted in the meantime.
            if read.first.map({ $0.floor > number }) ?? (latest.floor > number) { return nil }
            var rows = Array(read.prefix { $0.number <= last })
            if let index = rows.firstIndex(where: { candidates.newStart(at: $0) != nil }) {
                let row = rows[index]
                if number == position.number, index == 0 {
                    let end = ChangePosition(log: position.log, number: row.number)
                    return ChangeRange(
                        [],
                        to: end,
                        at: row.changedAt,
                        isEverything: true,
                        hasMore: true
                    )
                }
                rows.removeSubrange(index...)
                looked = mostRows
            }
            if rows.isEmpty { break }
            try await look(up: rows, for: &candidates)
            for row in rows where end != nil || candidates.count < limit {
                candidates.add(row)
                (number, endedAt) = (row.number, row.changedAt)
            }
            looked += rows.count
            if read.count < Self.rowsAtOnce { break }
        }
        if let end, number < end {
            throw ModelError.unavailable(
                reason: "The log is not up to date. Try again in a moment."
            )
        }
        let end = ChangePosition(log: position.log, number: number)
        return ChangeRange(
            try await changes(of: candidates, upTo: end),
            to: end,
            at: endedAt,
            isEverything: false,
            hasMore: number < latest.number
        )
    }

    /// Returns the next rows of the log.
    func rows(after number: Int64) async throws -> [LoggedRow] {
        try await database.rows(
            .changes,
            number,
            Self.rowsAtOnce,
            kinds: LoggedRow.kinds
        ).map(LoggedRow.init)
    }

    /// Finds which of the changed events the filter shows now, as far as the candidates need it.
    func look(up rows: [LoggedRow], for candidates: inout ChangeCandidates) async throws {
        var ids = rows.filter { $0.kind == .event }.compactMap(\.recordID)
        if case .webhook(_, let kinds) = candidates.filter, kinds.contains(.attendance) {
            ids += rows.filter { $0.kind == .attendance }.compactMap(\.eventID)
        }
        if ids.isEmpty { return }
        switch candidates.filter {
        case .region(let filter, _), .webhook(let filter, _):
            let found = try await found(filter, among: ids)
            for id in ids { candidates.shown[id] = found[id] }
        case .mine(_, let userID):
            let attended = try await attendances(
                .attendancesOfUserAtEvents,
                [.integers(ids), .integer(userID)]
            )
            for attendance in attended { candidates.attended[attendance.eventID] = attendance.id }
        case .tasks: break
        }
    }

    /// Returns those events among some that match a filter, by id.
    ///
    /// Events that are not in memory are read later, and compared again.
    func found(_ filter: EventFilter, among ids: [Int64]) async throws -> [Int64: FoundEvent] {
        if ids.isEmpty { return [:] }
        var filter = filter
        filter.ids = Set(ids).sorted()
        let page = try await page(of: filter, after: 0, limit: ids.count, isWhole: true)
        return Dictionary(page.rows.map { ($0.id, $0) }) { $1 }
    }

    /// Returns a page of the events that match a filter, in the order of their ids.
    func page(
        of filter: EventFilter,
        after id: Int64,
        limit: Int,
        isWhole: Bool = false
    ) async throws -> EventPage {
        var page = try await events.page(
            EventQuery(
                filter: filter,
                order: .id(isDescending: false),
                limit: limit,
                start: id > 0 ? EventPosition(key: id, id: id) : nil,
                allowsShortPages: !isWhole
            )
        )
        page.rows.removeAll { row in
            guard case .event(let dated) = row.content else { return false }
            return !filter.matches(dated.event, database.representation)
        }
        return page
    }

    /// Returns attendances; the statement selects the id, the user and the event.
    func attendances(_ sql: SharedSQL, _ values: [SharedValue]) async throws -> [Attendance] {
        try await database.rows(sql, values, .integers(3)).map { row in
            Attendance(id: row.integer(0), userID: row.integer(1), eventID: row.integer(2))
        }
    }
}

extension EventFilter {
    /// Creates the filter of the events that a user owns, with the hidden ones, or else attends.
    init(ofUser userID: Int64, _ viewer: EventViewer, owns: Bool) {
        self.init()
        (self.viewer, statuses) = (viewer, .any)
        if owns { ownerID = userID } else { attendeeID = userID }
    }
}

extension LogPosition {
    /// The identity of the log in positions of clients.
    var epoch: String { String(log.prefix(8)) }
}

extension ChangePosition {
    init(_ position: LogPosition) {
        self.init(log: position.epoch, number: position.number)
    }
}
