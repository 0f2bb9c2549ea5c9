import HTTP
import Model
import Rules
import System
import Testing

@testable import Web

/// A stream reads pages until it has caught up, and then sends live changes at once.
@Suite final class ChangeStreamTests: Sendable {
    private let store = WaitedStore()
    private let places: StreamPlaces = {
        var limits = StreamLimits()
        (limits.address, limits.token) = (3, 2)
        return StreamPlaces(limits)
    }()
    private let clock = Mutex<Int64>(0)

    private func stream(
        since number: Int64?,
        token: [UInt8]? = nil,
        checksToken: Bool = false
    ) throws -> ChangeStream {
        ChangeStream(
            store,
            store,
            ChangeGroup("a", .tasks(accountID: 1)) { changes in
                ChangeView.blocks(changes, digits: "dc76")
            },
            digits: "dc76",
            number.map { ChangePosition(log: "a", number: $0) },
            place: try places.take(for: nil, token: token),
            heartbeatSeconds: 20,
            milliseconds: { [self] in clock.withLock { $0 } },
            reasonToEnd: checksToken
                ? { @Sendable [store] in store.isValid ? nil : .unauthorized } : nil
        )
    }

    /// A client that reads whenever the stream is woken.
    private final class Client {
        private let stream: ChangeStream
        private var wakes: AsyncStream<Void>.Iterator
        private(set) var body = ""
        private(set) var progress = BodyProgress.more

        init(_ stream: ChangeStream) {
            let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
            self.stream = stream
            self.wakes = wakes.makeAsyncIterator()
            stream.open { continuation.yield() }
        }

        deinit { stream.close() }

        /// Reads without waiting, and returns what was new.
        @discardableResult
        func read(isStopping: Bool = false) -> String {
            var new = ""
            repeat {
                var piece: [UInt8] = []
                progress = stream.next(into: &piece, isStopping: isStopping)
                #expect(piece.count <= BodyProgress.pieceBytes)
                new += String(decoding: piece, as: UTF8.self)
            } while progress == .more
            body += new
            return new
        }

        /// Reads until the body ends with a text.
        func read(until end: String, isolation: isolated (any Actor)? = #isolation) async {
            read()
            while !body.hasSuffix(end), await wakes.next(isolation: isolation) != nil { read() }
        }
    }

    private static func ready(_ number: Int) -> String {
        "event: ready\nid: a-\(number)-dc76\ndata: {\"cursor\":\"a-\(number)-dc76\"}\n\n"
    }

    private static func leave(_ cursor: String) -> String {
        "event: change\nid: a-\(cursor)-dc76\n"
            + "data: {\"op\":\"leave\",\"type\":\"task\",\"id\":1}\n\n"
    }

    private static let beginning = "retry: 3000\n\n"
    private static let reset =
        "event: reset\nid: a-1.1.0-dc76\ndata: {\"cursor\":\"a-1.1.0-dc76\"}\n\n"

    @Test func `begins with all records without a cursor`() async throws {
        let client = Client(try stream(since: nil))
        #expect(client.read() == Self.beginning)
        await client.read(until: Self.ready(1))
        #expect(client.body == Self.beginning + Self.reset + Self.ready(1))
        #expect(store.asked == [nil])
    }

    @Test func `begins again if the cursor has ended, and says so`() async throws {
        let first = ChangePosition(log: "a", number: 1)
        let change = RecordChange(.leave, .task(1, nil), at: first)
        store.prepare([nil, ChangePage([change], at: first, hasMore: true)])
        let client = Client(try stream(since: 7))
        await client.read(until: Self.ready(1))
        #expect(client.body == Self.beginning + Self.reset + Self.leave("1") + Self.ready(1))
        #expect(store.asked == [ChangePosition(log: "a", number: 7), nil, first])
    }

    @Test func `goes on after a cursor, and sends live changes at once`() async throws {
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(1))
        store.send(Array("event: x\n\n".utf8), upTo: 2)
        store.send(Array("event: y\n\n".utf8), upTo: 3)
        #expect(client.read() == "event: x\n\nevent: y\n\n")
        #expect(client.body == "\(Self.beginning)\(Self.ready(1))event: x\n\nevent: y\n\n")
        #expect(store.asked.count == 1)
    }

    @Test func `sends live changes longer than a piece in parts`() async throws {
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(1))
        let long = String(repeating: "x", count: 50_000)
        store.send(Array(long.utf8), upTo: 2)
        #expect(client.read() == long)
    }

    @Test func `reads pages again after a client was too slow`() async throws {
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(1))
        for number in 2...40 {
            store.send([UInt8](repeating: 0x78, count: 1000), upTo: Int64(number))
        }
        let missed = ChangePosition(log: "a", number: 40)
        let change = RecordChange(.leave, .task(1, nil), at: missed)
        store.prepare([ChangePage([change], at: missed, hasMore: false)])
        await client.read(until: Self.leave("40"))
        #expect(client.body == Self.beginning + Self.ready(1) + Self.leave("40"))
        #expect(store.asked.last == ChangePosition(log: "a", number: 1))
        store.send(Array("event: z\n\n".utf8), upTo: 41)
        #expect(client.read() == "event: z\n\n")
    }

    @Test func `sends nothing again that the last page had`() async throws {
        store.send([], upTo: 5)
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(5))
        store.send(Array("event: x\n\n".utf8), after: 1, upTo: 5)
        #expect(client.read() == "")
        let later = ChangePosition(log: "a", number: 7)
        let change = RecordChange(.leave, .task(1, nil), at: later)
        store.prepare([ChangePage([change], at: later, hasMore: false)])
        // The page has one of these changes.
        store.send(Array("event: y\n\n".utf8), after: 4, upTo: 7)
        await client.read(until: Self.leave("7"))
        #expect(client.body == Self.beginning + Self.ready(5) + Self.leave("7"))
        #expect(store.asked.last == ChangePosition(log: "a", number: 5))
    }

    @Test func `ends a stream that was replaced before it began`() async throws {
        let first = try stream(since: 1, token: [1])
        let others = [try stream(since: 1, token: [1]), try stream(since: 1, token: [1])]
        let client = Client(first)
        let end = "event: end\ndata: {\"message\":\"Replaced by a newer stream\"}\n\n"
        #expect(client.read() == Self.beginning + end)
        withExtendedLifetime(others) {}
    }

    @Test func `sends its position after silence alone`() async throws {
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(1))
        clock.withLock { $0 = 19_999 }
        #expect(client.read() == "")
        #expect(client.progress == .wait(milliseconds: 1))
        // The log has changes that are not the client's.
        store.send([], upTo: 5)
        #expect(client.read() == "")
        clock.withLock { $0 = 20_000 }
        #expect(client.read() == "id: a-5-dc76\n\n")
        #expect(client.progress == .wait(milliseconds: 20_000))
    }

    @Test func `ends once the token has ended`() async throws {
        let client = Client(try stream(since: 1, token: [1], checksToken: true))
        await client.read(until: Self.ready(1))
        store.forbid()
        clock.withLock { $0 = 20_000 }
        let end = "event: end\ndata: {\"message\":\"Unauthorized\"}\n\n"
        await client.read(until: end)
        #expect(client.progress == .end)
    }

    @Test func `makes room for a newer stream of its token`() async throws {
        let first = Client(try stream(since: 1, token: [1]))
        await first.read(until: Self.ready(1))
        let others = [try stream(since: 1, token: [1]), try stream(since: 1, token: [2])]
        #expect(first.read() == "")
        let newest = try stream(since: 1, token: [1])
        #expect(
            first.read() == "event: end\ndata: {\"message\":\"Replaced by a newer stream\"}\n\n"
        )
        #expect(first.progress == .end)
        #expect(places.count == 4)
        withExtendedLifetime((others, newest)) {}
    }

    @Test func `gives a newer stream the place of the oldest of its token`() throws {
        let address = IPAddress("192.0.2.1")
        let taken = try (1...2).map { _ in try places.take(for: address, token: [1]) }
        let other = try places.take(for: address)
        #expect(throws: RequestError.tooManyStreams) { try places.take(for: address) }
        let newest = try places.take(for: address, token: [1])
        #expect(places.count == 4)
        withExtendedLifetime((taken, other, newest)) {}
    }

    @Test func `gives each address its places, and takes them back`() throws {
        let address = IPAddress("192.0.2.1")
        do {
            let taken = try (1...3).map { _ in try places.take(for: address) }
            #expect(throws: RequestError.tooManyStreams) { try places.take(for: address) }
            #expect(try places.take(for: IPAddress("192.0.2.2")) !== taken[0])
        }
        #expect(places.count == 0)
        _ = try places.take(for: address)
    }

    @Test func `tells clients when to come back when the server stops`() async throws {
        let client = Client(try stream(since: 1))
        await client.read(until: Self.ready(1))
        let end = client.read(isStopping: true)
        let milliseconds = Int(end.dropFirst("retry: ".count).dropLast(2)) ?? 0
        #expect(end == "retry: \(milliseconds)\n\n" && 1000...10_000 ~= milliseconds)
        #expect(client.progress == .end)
    }

    @Test func `is no reader any more once it is closed`() async throws {
        do {
            let client = Client(try stream(since: 1))
            await client.read(until: Self.ready(1))
            #expect(store.readerCount == 1)
        }
        #expect(store.readerCount == 0 && places.count == 0)
    }
}
