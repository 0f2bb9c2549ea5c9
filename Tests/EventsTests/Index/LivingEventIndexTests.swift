import Rules
import Testing

@testable import Events

/// The states of an index that follows the log of a database.
///
/// The state with the number n has the version n, and the position n of the log.
@Suite struct LivingEventIndexTests {
    private let index = LivingEventIndex(contentBytes: 100_000, waitMilliseconds: 20)

    @Test func hasNoEventsBeforeTheyAreLoaded() {
        #expect(index.current { version(1) } == nil)
        #expect(index.position == nil)
        #expect(index.problem == "loading events: 0 %")
        #expect(index.byteCount == 0)
    }

    @Test func hasTheLoadedEvents() {
        load([1, 2])

        #expect(ids(at: 1) == [1, 2])
        #expect(ids(in: index.current(at: position(1))) == [1, 2])
        #expect(index.current(at: position(2)) == nil)
        #expect(index.problem == nil)
        #expect(index.byteCount > 0)
    }

    /// 2 changes are made in place, and 65 in a copy.
    @Test(arguments: [2, 65])
    func requestsApplyChanges(changeCount: Int) throws {
        load([1])
        let snapshot = try #require(index.current { version(1) })
        let changes = [removed(1)] + (100..<98 + Int64(changeCount)).map(stored) + [stored(2)]
        try #require(changes.count == changeCount)

        let events = follow(changes, from: 1, to: 9)

        #expect(ids(in: snapshot) == [1])
        #expect(ids(in: events) == [2])
        #expect(ids(at: 9) == [2])
        #expect(index.current { version(1) } == nil)
        #expect(index.position == position(9))
    }

    @Test func ignoresChangesThatItHas() {
        load([1])

        #expect(ids(in: follow([stored(2)], from: 1, to: 3)) == [1, 2])
        // Another request has read fewer changes, and a later one more.
        #expect(ids(in: follow([removed(1)], from: 1, to: 2)) == [1, 2])
        #expect(ids(in: follow([stored(2), stored(3)], from: 1, to: 5)) == [1, 2, 3])
        // The version of the earlier changes is not that of the events.
        #expect(ids(at: 5) == [1, 2, 3])
        #expect(follow([], from: 6, to: 7) == nil)
    }

    @Test func hasTheSameIdentityWithoutChanges() {
        load([1])
        let identity = index.current { version(1) }?.publicEvents.identity

        _ = follow([], from: 1, to: 1, version: 2)

        #expect(identity != nil)
        #expect(index.current { version(2) }?.publicEvents.identity == identity)
    }

    @Test func keepsEventsWhileTheVersionIsUnknown() {
        load([1])

        #expect(index.current { nil } == nil)

        #expect(ids(at: 1) == [1])
    }

    @Test func forgetsEventsWhoseChangesCanNotBeKnown() {
        load([1])
        let size = index.byteCount

        // Another request has caught up meanwhile.
        #expect(index.follow(nil, since: position(9), readAt: 0) == nil)
        #expect(ids(at: 1) == [1])
        #expect(index.follow(nil, since: position(1), readAt: 0) == nil)

        #expect(index.current { version(1) } == nil)
        #expect(index.nextNeed == .events)
        #expect(index.byteCount == size)
        index.freeForgottenEvents()
        #expect(index.byteCount == 0)
    }

    @Test func leavesManyChangesToTheLoader() {
        load([1])
        let many = LoggedEvents([stored(2)], at: position(2), areAll: false)

        #expect(index.follow(many, since: position(1), readAt: 1) == nil)

        #expect(index.nextNeed == .changes)
        #expect(index.position == nil)
        #expect(index.loadedPosition == position(1))
        index.catchUp(many, since: position(1), readAt: 1)
        #expect(index.nextNeed == .changes)
        let rest = LoggedEvents([stored(3)], at: position(3), areAll: true)
        index.catchUp(rest, since: position(2), readAt: 1)
        #expect(index.nextNeed == nil)
        #expect(ids(in: index.current(at: position(3))) == [1, 2, 3])
        index.catchUp(nil, since: position(3), readAt: 1)
        #expect(index.nextNeed == .events)
    }

    @Test func publishesTheChangesOfTheWriter() {
        load([1])

        #expect(index.beginCommit(version(1)) == position(1))
        // The writer has committed, but nobody knows yet.
        #expect(ids(at: 1) == [1])
        #expect(ids(at: 2) == [1])
        // Another program has committed after it.
        #expect(ids(at: 3) == nil)
        index.endCommit(
            (LoggedEvents([stored(2)], at: position(2), areAll: true), position(1)),
            version(2)
        )

        #expect(ids(at: 2) == [1, 2])
        #expect(ids(at: 3) == nil)
    }

    @Test func knowsNoVersionAfterACommitNextToThatOfTheWriter() {
        load([1])

        #expect(index.beginCommit(version(8)) == position(1))
        #expect(ids(at: 8) == nil)
        index.endCommit(
            (LoggedEvents([stored(2)], at: position(9), areAll: true), position(1)),
            nil
        )

        #expect(ids(at: 9) == nil)
        #expect(ids(in: index.current(at: position(9))) == [1, 2])
    }

    @Test func publishesNothingOfAFailedTransaction() {
        load([1])

        _ = index.beginCommit(version(1))
        index.endCommit(nil, nil)

        #expect(ids(at: 1) == [1])
        #expect(ids(at: 2) == nil)
    }

    @Test func isUniqueUntilItIsCopied() {
        var snapshot = AllEvents()
        snapshot.apply([stored(1)])
        let isUnique = snapshot.isUnique()
        let copy = snapshot
        let isUniqueWithCopy = snapshot.isUnique()
        // A change makes it a value of its own again.
        snapshot.apply([stored(2)])
        let isUniqueAgain = snapshot.isUnique()

        #expect([isUnique, isUniqueWithCopy, isUniqueAgain] == [true, false, true])
        #expect(ids(in: copy) == [1])
        #expect(ids(in: snapshot) == [1, 2])
    }

    @Test func givesUpContentsThatGrowBeyondTheMemory() throws {
        load([1])

        let json = [UInt8](repeating: 0, count: 100_000)
        let long = EventChange(id: 2, content: .init(point: (1, 0, 0), json: json))
        _ = follow([long], from: 1, to: 2)

        // Searches use the contents until others have taken their place.
        #expect(ids(at: 2) == [1, 2])
        #expect(index.nextNeed == .events)
        #expect(index.keepsContents)
        load([1, 2], at: 2, keepsContents: false)
        #expect(index.nextNeed == nil)
        #expect(!index.keepsContents)
        #expect(try #require(index.current { version(2) }).publicEvents.content(of: 1) == nil)
        index.freeForgottenEvents()
        #expect(index.byteCount < 10_000)
    }

    @Test func loadsContentsAfterTheEvents() {
        #expect(index.nextNeed == .events)
        load([1], keepsContents: false)
        #expect(index.nextNeed == .contents)
        load([1])
        #expect(index.nextNeed == nil)
        #expect(ids(at: 1) == [1])
    }

    @Test func requestsWaitForTheEvents() async throws {
        let index = LivingEventIndex(contentBytes: 0, waitMilliseconds: 60_000)
        let request = Task { try await index.loaded { index.current(at: Self.position(1)) } }
        await Task.yield()
        index.noteProgress(200)
        #expect(index.loadingPercentage == 99)
        index.publish(AllEvents(), at: Self.position(1))
        #expect(try await request.value.keepsContents)
    }

    /// They may have been read after the request began, but it can't tell by their position.
    @Test func requestsTakeEventsThatWereReadLater() async throws {
        load([1])
        let events = try await index.loaded {
            _ = follow([stored(2)], from: 1, to: 2, readAt: .max)
            return nil
        }
        #expect(ids(in: events) == [1, 2])
    }

    @Test func requestsWaitForALimitedTime() async {
        let error = ModelError.unavailable(
            reason: "The events are being loaded. Try again in a moment."
        )
        await #expect(throws: error) { try await index.loaded { nil } }
        let patient = LivingEventIndex(contentBytes: 0, waitMilliseconds: 60_000)
        patient.stop()
        await #expect(throws: error) { try await patient.loaded { nil } }
    }

    private func version(_ number: UInt64) -> LivingEventIndex.Version {
        LivingEventIndex.Version((number, 0, 0, 0), commitCount: UInt32(number))
    }

    private func position(_ number: Int64) -> LogPosition { Self.position(number) }

    private static func position(_ number: Int64) -> LogPosition {
        LogPosition(log: "log", number: number, floor: 0)
    }

    private func load(_ ids: [Int64], at number: Int64 = 1, keepsContents: Bool = true) {
        var loaded = AllEvents(keepsContents: keepsContents)
        loaded.apply(ids.map(stored))
        index.publish(loaded, at: position(number))
        _ = follow([], from: number, to: number)
    }

    private func follow(
        _ changes: [EventChange],
        from former: Int64,
        to number: Int64,
        version: UInt64? = nil,
        readAt time: Int64 = 1
    ) -> AllEvents? {
        index.follow(
            LoggedEvents(changes, at: position(number), areAll: true),
            since: position(former),
            self.version(version ?? UInt64(number)),
            readAt: time
        )
    }

    private func stored(_ id: Int64) -> EventChange {
        EventChange(id: id, content: .init(point: (1, 0, 0), json: [7]))
    }

    private func removed(_ id: Int64) -> EventChange {
        EventChange(id: id, content: nil)
    }

    private func ids(at number: UInt64) -> [Int64]? {
        ids(in: index.current { version(number) })
    }

    private func ids(in snapshot: AllEvents?) -> [Int64]? {
        snapshot.map { all in (1...9).filter { all.publicEvents.content(of: $0) != nil } }
    }
}
