import Model
import System
import Time

/// A store whose changes a test makes, and which gives them to readers at once.
final class WaitedStore: ChangeStore, LiveChanges {
    private struct State {
        var page: ChangePage? = ChangePage(
            [],
            at: ChangePosition(log: "a", number: 1),
            hasMore: false
        )
        /// The pages before it.
        var earlier: [ChangePage?] = []
        /// The positions after which pages were read.
        var asked: [ChangePosition?] = []
        var isValid = true
        var readers: [ObjectIdentifier: any ChangeReader] = [:]
        var waiters: [(looks: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// The positions after which pages were read.
    var asked: [ChangePosition?] { state.withLock { $0.asked } }

    var number: Int64? { state.withLock { $0.page?.position.number } }

    var oldestUnread: Timestamp? { nil }

    var readerCount: Int { state.withLock { $0.readers.count } }

    func live() -> any LiveChanges { self }

    func perform(_ work: @escaping @Sendable () async -> Void) { Task { await work() } }

    func add(_ reader: any ChangeReader, to group: ChangeGroup) async throws {
        state.withLock { $0.readers[ObjectIdentifier(reader)] = reader }
    }

    func remove(_ reader: any ChangeReader) {
        state.withLock { $0.readers[ObjectIdentifier(reader)] = nil }
    }

    func latest() async throws -> ChangePosition { ChangePosition(log: "a", number: 1) }

    func summary() async throws -> LogSummary {
        LogSummary(latest: try await latest(), first: 1, rows: 1, bytes: nil)
    }

    func renew() async throws {}

    func bounds() async throws -> (latest: ChangePosition, floor: Int64) {
        (try await latest(), 0)
    }

    func range(
        _: ChangeFilter,
        after: ChangePosition,
        upTo: Int64?,
        limit: Int
    ) async throws -> ChangeRange? { nil }

    func page(
        _ filter: ChangeFilter,
        after position: ChangePosition?,
        limit: Int
    ) async throws -> ChangePage {
        let (page, waiters) = state.withLock { state in
            state.asked.append(position)
            let looks = state.asked.count
            let waiters = state.waiters.filter { $0.looks <= looks }
            state.waiters.removeAll { $0.looks <= looks }
            return (state.earlier.isEmpty ? state.page : state.earlier.removeFirst(), waiters)
        }
        for waiter in waiters { waiter.continuation.resume() }
        guard let page else { throw NewStart.behind }
        return page
    }

    func waitForLook(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.asked.count >= number { return true }
                state.waiters.append((number, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Moves the log to a number, with this many changes of the filter.
    func position(_ number: Int64, changes: Int = 0) {
        let position = ChangePosition(log: "a", number: number)
        let change = RecordChange(.leave, .task(1, nil), at: position)
        let page = ChangePage(
            Array(repeating: change, count: changes),
            at: position,
            hasMore: false
        )
        let readers = state.withLock { state in
            state.page = page
            return Array(state.readers.values)
        }
        for reader in readers { reader.lose() }
    }

    /// Returns these pages before the current one; nil for a cursor that has ended.
    func prepare(_ pages: [ChangePage?]) { state.withLock { $0.earlier = pages } }

    /// Gives bytes to all readers.
    func send(_ bytes: [UInt8], after start: Int64? = nil, upTo number: Int64) {
        let (known, readers) = state.withLock { state in
            let known = state.page?.position.number ?? 0
            state.page?.position.number = max(number, known)
            return (known, Array(state.readers.values))
        }
        for reader in readers { reader.receive(bytes, after: start ?? known, upTo: number) }
    }

    var isValid: Bool { state.withLock { $0.isValid } }

    func forbid() { state.withLock { $0.isValid = false } }

    func end() {
        let readers = state.withLock { state in
            state.page = nil
            return Array(state.readers.values)
        }
        for reader in readers { reader.lose() }
    }
}
