import HTTP
import Model
import Rules
import System
import Testing

@testable import Web

/// A response that waits ends with the first change.
@Suite final class ChangeWaitTests: Sendable {
    private let store = WaitedStore()
    private let places: StreamPlaces = {
        var limits = StreamLimits()
        limits.all = 5
        return StreamPlaces(limits)
    }()

    private let clock = Mutex<Int64>(0)

    private func wait(seconds: Int = 60) throws -> ChangeWait {
        ChangeWait(
            store,
            store,
            ChangeGroup("a", .tasks(accountID: 1)) { _ in [] },
            ChangePosition(log: "a", number: 1),
            place: try places.take(for: nil),
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

    @Test func `ends with the first change, however often it looks`() async throws {
        let wait = try wait()
        let wakes = open(wait)
        async let body = body(of: wait, wakes)
        await store.waitForLook(1)
        store.position(2)
        await store.waitForLook(2)
        store.position(3, changes: 1)

        #expect(await body == "3:1")
        wait.close()
    }

    @Test func `lets the client request a long page itself`() async throws {
        store.position(3, changes: 900)
        let wait = try wait()
        #expect(await body(of: wait, open(wait)) == "1:0+")
    }

    @Test func `shows nothing to a client that may not see it any more`() async throws {
        store.position(3, changes: 1)
        store.forbid()
        let wait = try wait()
        #expect(await body(of: wait, open(wait)) == "1:0")
    }

    @Test func `ends with the cursor it had once that has ended`() async throws {
        store.end()
        let wait = try wait()
        #expect(await body(of: wait, open(wait)) == "1:0")
        wait.close()
    }

    @Test func `ends after its time, and when the server stops, and returns its place`() throws {
        var body: [UInt8] = []
        do {
            #expect(try wait(seconds: 0).next(into: &body, isStopping: false) == .end)
            let other = try wait()
            #expect(places.count == 1)
            #expect(other.next(into: &body, isStopping: true) == .end)
        }
        #expect(String(decoding: body, as: UTF8.self) == "1:01:0")
        #expect(places.count == 0)
        let taken = try (1...5).map { _ in try places.take(for: nil) }
        #expect(throws: RequestError.tooManyStreams) { try places.take(for: nil) }
        #expect(taken.count == 5)
    }

    @Test func `sends white space now and then`() throws {
        let wait = try wait()
        var body: [UInt8] = []
        for _ in 1...12 {
            clock.withLock { $0 += 1000 }
            guard case .wait(let pause) = wait.next(into: &body, isStopping: false) else { break }
            #expect(pause > 0)
        }
        #expect(body == [0x20])
    }
}
