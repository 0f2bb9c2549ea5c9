import Events
import Model
import Rules
import System
import Time

/// The changes as they happen: each is read from the log once, and reaches the groups of readers
/// that it may concern.
///
/// A look begins with each commit of this process, and with each notification of another server.
/// Once a second, one finds the changes of other programs. A look that begins while another one is
/// running follows it.
final class LiveChangeRecords: LiveChanges {
    private struct State {
        /// The position up to which all readers have received everything; nil without readers.
        var position: ChangePosition?
        /// The time of the first change after it, or of the first look that failed; nil if none is
        /// known.
        var next: Timestamp?
        var groups = LiveGroups()
        var isLooking = false
        var mustLook = false
        var hasTimer = false

        /// Adds a reader; returns false if there is no position from which it would miss nothing.
        mutating func insert(_ reader: any ChangeReader, _ group: ChangeGroup) -> Bool {
            if position == nil { return false }
            groups.insert(reader, group)
            return true
        }
    }

    /// The number of attendances of changed events that are read at once.
    ///
    /// With more, the changes count for all users.
    private static let mostAttendees: Int64 = 10_000

    private let records: ChangeRecords
    private let executor = ThreadExecutor()
    private let state = Mutex(State())

    init(_ records: ChangeRecords) {
        self.records = records
    }

    var number: Int64? { state.withLock { $0.position?.number } }

    var oldestUnread: Timestamp? { state.withLock { $0.next } }

    func add(_ reader: any ChangeReader, to group: ChangeGroup) async throws {
        while !state.withLock({ state in state.insert(reader, group) }) {
            let latest = ChangePosition(try await records.cut().position)
            state.withLock { state in state.position = state.position ?? latest }
        }
        startTimer()
        wake()
    }

    func remove(_ reader: any ChangeReader) {
        state.withLock { state in
            state.groups.remove(reader)
            if state.groups.isEmpty { (state.position, state.next) = (nil, nil) }
        }
    }

    /// Looks for changes soon; can be called on any thread.
    func wake() {
        let mustStart = state.withLock { state in
            if state.groups.isEmpty { return false }
            state.mustLook = true
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if mustStart { perform { await self.lookWhileNeeded() } }
    }

    func perform(_ work: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await work() }
    }

    /// Wakes once a second while there are readers.
    private func startTimer() {
        let mustStart = state.withLock { state in
            defer { state.hasTimer = true }
            return !state.hasTimer
        }
        guard mustStart else { return }
        perform { [weak self] in
            while self?.continuesTimer() == true { try? await Task.sleep(for: .seconds(1)) }
        }
    }

    private func continuesTimer() -> Bool {
        wake()
        return state.withLock { state in
            state.hasTimer = !state.groups.isEmpty
            return state.hasTimer
        }
    }

    private func lookWhileNeeded() async {
        while beginsLook() {
            let time = Timestamp.now()
            do {
                try await look()
            } catch {
                // Requests report the errors of the storage, and the next look tries again.
                state.withLock { state in
                    if state.position != nil { state.next = state.next ?? time }
                }
            }
        }
    }

    private func beginsLook() -> Bool {
        state.withLock { state in
            state.isLooking = state.mustLook
            state.mustLook = false
            return state.isLooking
        }
    }

    private func look() async throws {
        guard let start = state.withLock({ $0.position }) else { return }
        let (all, latest) = try await records.cut()
        var number = start.number
        guard latest.epoch == start.log, latest.number >= number, latest.floor <= number else {
            return beginAgain(at: ChangePosition(latest))
        }
        while number < latest.number {
            let read = try await records.rows(after: number)
            let rows = Array(read.prefix { $0.number <= latest.number })
            guard let last = rows.last else { return }
            state.withLock { state in
                if state.position != nil { state.next = rows[0].changedAt }
            }
            if rows[0].floor > number || rows.contains(where: { $0.kind == .everything }) {
                return beginAgain(at: ChangePosition(latest))
            }
            let end = ChangePosition(log: start.log, number: last.number)
            try await deliver(rows, all, after: number, upTo: end)
            state.withLock { state in
                if state.position?.number == number { state.position?.number = last.number }
            }
            number = last.number
        }
        state.withLock { $0.next = nil }
    }

    /// Lets all readers ask the store, because the changes since the position can't be known.
    private func beginAgain(at position: ChangePosition) {
        // First, so that no reader takes the position for its own.
        for reader in state.withLock({ $0.groups.readers }) { reader.lose() }
        state.withLock { state in
            if state.position != nil { state.position = position }
            state.next = nil
        }
    }

    /// Gives rows of the log to the groups that they may concern.
    private func deliver(
        _ rows: [LoggedRow],
        _ all: AllEvents,
        after start: Int64,
        upTo end: ChangePosition
    ) async throws {
        let attendees = try await attendees(of: rows)
        // Not under the lock, for which event loops would wait.
        let concerned = state.withLock { $0.groups }.concerned(by: rows, all, attendees)
        for (members, rows) in concerned {
            var candidates = ChangeCandidates(members.group.filter, all)
            if rows.contains(where: { candidates.newStart(at: $0) != nil }) {
                for reader in members.readers.values { reader.lose() }
                continue
            }
            try await records.look(up: rows, for: &candidates)
            for row in rows { candidates.add(row) }
            let changes = try await records.changes(of: candidates, upTo: end)
            if changes.isEmpty { continue }
            let bytes = members.group.render(changes)
            for reader in members.readers.values {
                reader.receive(bytes, after: start, upTo: end.number)
            }
        }
    }

    /// Returns the users that attend the changed events; nil if there are too many.
    private func attendees(of rows: [LoggedRow]) async throws -> [Int64: [Int64]]? {
        let ids = rows.filter { $0.kind == .event }.compactMap(\.recordID)
        if ids.isEmpty || state.withLock({ !$0.groups.hasUsers }) { return [:] }
        let found = try await records.database.integers(
            .attendees,
            ids,
            Self.mostAttendees,
            count: 2
        )
        if found.count == Self.mostAttendees { return nil }
        return Dictionary(grouping: found) { $0.integer(1) }
            .mapValues { rows in rows.map { $0.integer(0) } }
    }
}
