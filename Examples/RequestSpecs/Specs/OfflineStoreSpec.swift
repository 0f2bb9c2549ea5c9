import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The store of `docs/api/changes.md`, with a network that comes and goes.
final class OfflineStoreSpec: XCTestCase {
    private let file = URL.temporaryDirectory.appending(path: "offline-\(UUID())")
    private let network = Network()

    override func tearDown() {
        try? FileManager.default.removeItem(at: file)
    }

    func testStoresAWriteOnceAfterTheAppWasKilledAndAResponseWasLost() async throws {
        let user = try await signUp()
        let record = "event/\(UUID())"
        network.state = .away
        try await store(of: user).write("POST", record, concert(of: user))
        let shown = try await names(in: store(of: user))
        XCTAssertEqual(shown, [record: "Concert"])

        network.state = .losesResponses
        await fails(.tryAgainLater) { try await self.store(of: user).drain() }
        network.state = .here
        let store = try store(of: user)
        try await store.drain()
        let stored = try await client(of: user).ownEvents()

        XCTAssertEqual(stored.map(\.name), ["Concert"])
        let event = "event/\(stored[0].id)"
        let sent = try await names(in: store)
        XCTAssertEqual(sent, [event: "Concert"])
        try await store.refresh()
        let refreshed = try await names(in: self.store(of: user))
        XCTAssertEqual(refreshed, [event: "Concert"])
    }

    func testSendsTheWritesOfANewRecordInOrder() async throws {
        let user = try await signUp()
        let record = "event/\(UUID())"
        network.state = .away
        let store = try store(of: user)
        try await store.write("POST", record, concert(of: user))
        try await store.write("PATCH", record, Data(#"{"name":"Late concert"}"#.utf8))
        try await store.write("PATCH", record, Data(#"{"name":"Last concert"}"#.utf8))

        network.state = .here
        try await self.store(of: user).drain()

        let stored = try await client(of: user).ownEvents()
        XCTAssertEqual(stored.map(\.name), ["Last concert"])
    }

    func testKeepsARejectedWriteUntilThePersonDecides() async throws {
        let user = try await signUp()
        let store = try store(of: user)
        let record = "event/\(UUID())"
        network.state = .away
        try await store.write("POST", record, Data(#"{"name":"Nowhere"}"#.utf8))
        try await store.write("POST", "event/\(UUID())", concert(of: user))

        network.state = .here
        let other = try self.store(of: user)
        try await other.drain()

        let failed = await other.failed
        XCTAssertEqual(
            failed.map(\.error),
            ["Lat can't be blank, Lon can't be blank, Started at can't be blank"]
        )
        let stored = try await client(of: user).ownEvents()
        XCTAssertEqual(stored.map(\.name), ["Concert"])
        try await other.discard(record)
        let rest = await other.failed
        XCTAssert(rest.isEmpty)
    }

    func testDoesNotOverwriteTheChangeOfAnotherDevice() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let store = try store(of: user)
        try await store.refresh()
        _ = try await patch("/v1/events/\(event.id)", ["name": "Opera"], as: user)

        network.state = .away
        try await store.write("PATCH", "event/\(event.id)", Data(#"{"name":"Play"}"#.utf8))
        network.state = .here
        let later = try self.store(of: user)
        try await later.drain()

        let failed = await later.failed
        XCTAssertEqual(failed.map(\.error), ["Precondition Failed"])
        try await later.discard("event/\(event.id)")
        try await later.refresh()
        let shown = try await names(in: later)
        XCTAssertEqual(shown, ["event/\(event.id)": "Opera"])
    }

    func testAsksThePersonBeforeItRepeatsAnOldWrite() async throws {
        let user = try await signUp()
        network.state = .losesResponses
        let store = try store(of: user)
        try await store.write("POST", "event/\(UUID())", concert(of: user))
        await fails(.tryAgainLater) { try await self.store(of: user).drain() }
        let text = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: file),
            options: [],
            format: nil
        )
        var state = try XCTUnwrap(text as? [String: Any])
        var outbox = try XCTUnwrap(state["outbox"] as? [[String: Any]])
        outbox[0]["firstSent"] = Date(timeIntervalSinceNow: -7 * 86400)
        state["outbox"] = outbox
        // The first store can still write to the first file.
        let copy = file.appendingPathExtension("copy")
        defer { try? FileManager.default.removeItem(at: copy) }
        try PropertyListSerialization.data(fromPropertyList: state, format: .binary, options: 0)
            .write(to: copy)

        network.state = .here
        let later = try self.store(of: user, at: copy)
        try await later.drain()

        let failed = await later.failed
        XCTAssertEqual(failed.map(\.error), ["It is not known whether this was stored."])
    }

    func testStopsWhenTheTokenHasEnded() async throws {
        let store = try store(of: .unknown)
        await fails(.signedOut) { try await store.refresh() }
        try await store.write("POST", "event/\(UUID())", concert(of: .unknown))
        let later = try self.store(of: .unknown)
        await fails(.signedOut) { try await later.drain() }
        let failed = await later.failed
        XCTAssert(failed.isEmpty)
    }

    func testForgetsWhatLeaves() async throws {
        let (user, host) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: host)
        let store = try store(of: user)
        let body = try JSONEncoder.api.encode(NewAttendance(event: Identified(id: event.id)))
        try await store.write("POST", "attendance/\(UUID())", body)
        try await store.drain()
        try await store.refresh()
        let before = await store.records.keys.sorted()
        let list = try await attendances(of: event).decode(Attendances.self).attendances
        XCTAssertEqual(before, ["attendance/\(list[0].id)", "event/\(event.id)"])

        _ = try await delete("/v1/events/\(event.id)", as: host)
        try await store.refresh()

        let after = await store.records
        XCTAssert(after.isEmpty)
    }

    func testStartsAnewAfterABlock() async throws {
        let (user, host) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: host)
        let home = host.home
        let place = ["lat": "\(home.lat)", "lon": "\(home.lon)", "radius": "5"]
        let store = try store(of: user, place)
        try await store.refresh()
        let before = try await names(in: store)
        XCTAssertEqual(before, ["event/\(event.id)": "Concert"])

        _ = try await post("/v1/users/me/blocks", ["user": ["id": host.id]], as: user)
        try await store.refresh()

        let after = await store.records
        XCTAssert(after.isEmpty)
    }

    func testWaitsForAChange() async throws {
        let user = try await signUp()
        let store = try store(of: user)
        try await store.refresh()
        async let refreshed: Void = store.refresh(wait: 30)

        let event = try await createEvent(by: user)
        try await refreshed

        let shown = try await names(in: store)
        XCTAssertEqual(shown, ["event/\(event.id)": "Concert"])
    }

    func testFollowsInTheForeground() async throws {
        let user = try await signUp()
        let connection = try Connection(TestServer.shared.get().url, token: user.token)
        let folder = file.deletingLastPathComponent()
        let store = try OfflineStore.mine(connection, in: folder)
        let (refreshes, continuation) = AsyncStream.makeStream(of: Void.self)
        let following = Task { try await store.follow { continuation.yield() } }

        try await store.createEvent("Jam", lat: 1, lon: 1, startedAt: .now)
        for await _ in refreshes where try await names(in: store).values.first == "Jam" { break }

        following.cancel()
        let stored = try await client(of: user).ownEvents()
        XCTAssertEqual(stored.map(\.name), ["Jam"])
        try FileManager.default.removeItem(at: folder.appending(path: "mine.plist"))
    }

    private func store(
        of user: User,
        _ filter: [String: String] = ["mine": "1"],
        at copy: URL? = nil
    ) throws -> OfflineStore {
        let server = try TestServer.shared.get().url
        return try OfflineStore(
            Connection(server, token: user.token, transport: network.send),
            filter: filter,
            file: copy ?? file
        )
    }

    private func concert(of user: User) throws -> Data {
        try JSONEncoder.api.encode(EventAttributes.concert(of: user))
    }

    private func names(in store: OfflineStore) async throws -> [String: String] {
        struct Named: Decodable {
            let name: String
        }

        return try await store.records.mapValues {
            try JSONDecoder().decode(Named.self, from: $0).name
        }
    }

    private func fails(
        _ expected: Connection.Problem,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("It does not fail.")
        } catch {
            XCTAssertEqual(error as? Connection.Problem, expected)
        }
    }
}

/// A network that can be away, or lose the responses.
private final class Network: @unchecked Sendable {
    enum State {
        case here, away, losesResponses
    }

    var state = State.here

    @Sendable func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        if state == .away { throw URLError(.notConnectedToInternet) }
        let result = try await URLSession.shared.data(for: request)
        if state == .losesResponses { throw URLError(.networkConnectionLost) }
        return result
    }
}
