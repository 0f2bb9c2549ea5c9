import Events
import HTTP
import Model
import System
import Testing

@testable import Web

/// A response that waits ends with the first change.
@Suite struct ChangeWaitTests {
    private let store = WaitedStore()

    private func wait(seconds: Int = 60) -> ChangeWait {
        ChangeWait(
            store,
            .tasks(accountID: 1),
            ChangePosition(log: "a", number: 1),
            limit: 10,
            seconds: seconds
        ) { page in Array("\(page.position.number):\(page.changes.count)".utf8) }
    }

    /// Calls `next` whenever the stream is woken, and returns the body.
    private func body(of wait: ChangeWait, _ wakes: AsyncStream<Void>) async -> String {
        var body: [UInt8] = []
        for await _ in wakes {
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
        #expect(store.signal.count == 1)
        async let body = body(of: wait, wakes)
        await store.waitForLook(1)
        store.position(2)
        await store.waitForLook(2)
        store.position(3, changes: 1)

        #expect(await body == "3:1")
        wait.close()
        #expect(store.signal.count == 0)
    }

    @Test func `ends with the cursor it had once that has ended`() async {
        let wait = wait()
        let wakes = open(wait)
        async let body = body(of: wait, wakes)
        await store.waitForLook(1)
        store.end()

        #expect(await body == "1:0")
        wait.close()
    }

    @Test func `ends after its time, and when the server stops`() {
        var body: [UInt8] = []
        #expect(wait(seconds: 0).next(into: &body, isStopping: false) == .end)
        #expect(wait().next(into: &body, isStopping: true) == .end)
        #expect(String(decoding: body, as: UTF8.self) == "1:01:0")
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
        var waiters: [(looks: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let signal = ChangeSignal()
    private let state = Mutex(State())

    func latest() async throws -> ChangePosition { ChangePosition(log: "a", number: 1) }

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

    func end() {
        state.withLock { $0.page = nil }
        signal.send()
    }
}
