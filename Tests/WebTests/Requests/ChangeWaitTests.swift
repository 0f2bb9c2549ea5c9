import Events
import HTTP
import Model
import System
import Testing

@testable import Web

/// A response that waits ends with the first change.
@Suite final class ChangeWaitTests: Sendable {
    private let store = WaitedStore()

    private let clock = Mutex<Int64>(0)

    private func wait(seconds: Int = 60) -> ChangeWait {
        let waiter = store.signal.add(limit: 5)
        #expect(waiter != nil)
        return ChangeWait(
            store,
            .tasks(accountID: 1),
            ChangePosition(log: "a", number: 1),
            waiter: waiter ?? 0,
            limit: 1000,
            seconds: seconds,
            milliseconds: { [self] in clock.withLock { $0 } },
            isValid: { [store] in store.isValid },
            render: { page in
                let text = "\(page.position.number):\(page.changes.count)"
                return Array("\(text)\(page.hasMore ? "+" : "")".utf8)
                    + [UInt8](repeating: 0x20, count: 100 * max(0, page.changes.count - 1))
            }
        )
    }

    /// Calls `next` whenever the stream is woken, 300 ms later each time, and returns the body.
    private func body(of wait: ChangeWait, _ wakes: AsyncStream<Void>) async -> String {
        var body: [UInt8] = []
        for await _ in wakes {
            clock.withLock { $0 += 300 }
            var progress = BodyProgress.more
            while progress == .more { progress = wait.next(into: &body, isStopping: false) }
            if progress == .end { break }
        }
        return String(decoding: body, as: UTF8.self)
    }

    /// Opens a stream, which `next` is then called for at once.
    private func open(_ wait: ChangeWait) -> AsyncStream<Void> {
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
        wait.open { continuation.yield() }
        continuation.yield()
        return wakes
    }

    @Test func `ends with the first change, however often it looks`() async {
        let wait = wait()
        let wakes = open(wait)
        async let body = body(of: wait, wakes)
        await store.waitForLook(1)
        store.position(2)
        await store.waitForLook(2)
        store.position(3, changes: 1)

        #expect(await body == "3:1")
        wait.close()
    }

    @Test func `lets the client request a long page itself`() async {
        store.position(3, changes: 900)
        let wait = wait()
        #expect(await body(of: wait, open(wait)) == "1:0+")
    }

    @Test func `shows nothing to a client that may not see it any more`() async {
        store.position(3, changes: 1)
        store.forbid()
        let wait = wait()
        #expect(await body(of: wait, open(wait)) == "1:0")
    }

    @Test func `ends with the cursor it had once that has ended`() async {
        store.end()
        let wait = wait()
        #expect(await body(of: wait, open(wait)) == "1:0")
        wait.close()
    }

    @Test func `ends after its time, and when the server stops, and returns its place`() {
        var body: [UInt8] = []
        do {
            #expect(wait(seconds: 0).next(into: &body, isStopping: false) == .end)
            let other = wait()
            #expect(store.signal.count == 1)
            #expect(other.next(into: &body, isStopping: true) == .end)
        }
        #expect(String(decoding: body, as: UTF8.self) == "1:01:0")
        #expect(store.signal.count == 0)
        for isFree in [true, true, true, true, true, false] {
            #expect((store.signal.add(limit: 5) != nil) == isFree)
        }
    }

    @Test func `sends white space now and then`() {
        let wait = wait()
        var body: [UInt8] = []
        for _ in 1...12 {
            clock.withLock { $0 += 1000 }
            guard case .wait(let pause) = wait.next(into: &body, isStopping: false) else { break }
            #expect(pause > 0)
        }
        #expect(body == [0x20])
    }
}

/// A store whose changes a test makes.
private final class WaitedStore: ChangeStore {
    private struct State {
        var page: ChangePage? = ChangePage(
            [],
            at: ChangePosition(log: "a", number: 1),
            hasMore: false
        )
        var looks = 0
        var isValid = true
        var waiters: [(looks: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let signal = ChangeSignal()
    private let state = Mutex(State())

    func latest() async throws -> ChangePosition { ChangePosition(log: "a", number: 1) }

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
    ) async throws -> ChangePage? {
        let (page, waiters) = state.withLock { state in
            state.looks += 1
            let looks = state.looks
            let waiters = state.waiters.filter { $0.looks <= looks }
            state.waiters.removeAll { $0.looks <= looks }
            return (state.page, waiters)
        }
        for waiter in waiters { waiter.continuation.resume() }
        return page
    }

    func waitForLook(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.looks >= number { return true }
                state.waiters.append((number, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Moves the log to a number, with this many changes of the filter.
    func position(_ number: Int64, changes: Int = 0) {
        let change = RecordChange(.leave, .task(1, nil))
        let position = ChangePosition(log: "a", number: number)
        state.withLock {
            $0.page = ChangePage(
                Array(repeating: change, count: changes),
                at: position,
                hasMore: false
            )
        }
        signal.send()
    }

    var isValid: Bool { state.withLock { $0.isValid } }

    func forbid() { state.withLock { $0.isValid = false } }

    func end() {
        state.withLock { $0.page = nil }
        signal.send()
    }
}
