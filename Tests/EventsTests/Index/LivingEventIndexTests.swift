import Rules
import Testing

@testable import Events

/// The states of an index that follows a database.
@Suite struct LivingEventIndexTests {
    private let index = LivingEventIndex(contentBytes: 100_000, waitMilliseconds: 20)

    @Test func hasNoEventsBeforeTheyAreLoaded() {
        #expect(index.current { version(1) } == nil)
        #expect(index.loadingPercentage != nil)
        #expect(index.byteCount == 0)
    }

    @Test func hasTheLoadedEvents() {
        load([1, 2])

        #expect(ids(at: 1) == [1, 2])
        #expect(index.loadingPercentage == nil)
        #expect(index.byteCount > 0)
    }

    @Test func readersSeeAChangeOnceItIsPublished() {
        load([1])

        index.willChange(version(1), commits: 1)
        // The writer has committed, but the change is not published yet.
        #expect(ids(at: 2) == [1])
        index.didChange([stored(2)], version(2))

        #expect(ids(at: 2) == [1, 2])
    }

    @Test(arguments: [2, 65])
    func snapshotsDoNotChange(changeCount: Int) throws {
        load([1])
        let changes =
            [removed(1)] + (100..<99 + Int64(changeCount - 1)).map(stored) + [stored(2)]
        try #require(changes.count == changeCount)
        let snapshot = try #require(index.current { version(1) })

        index.willChange(version(1), commits: 1)
        index.didChange(changes, version(2))

        #expect(ids(in: snapshot) == [1])
        #expect(ids(at: 2) == [2])
    }

    /// 2 changes are made in place, and 65 in a copy.
    @Test(arguments: [2, 65])
    func publishesChangesWithoutReaders(changeCount: Int) throws {
        load([1])
        let ids = 100..<100 + Int64(changeCount)

        index.willChange(version(1), commits: 1)
        index.didChange(ids.map(stored), version(2))

        let snapshot = try #require(index.current { version(2) })
        #expect(ids.allSatisfy { snapshot.content(of: $0) == [7] })
        #expect(snapshot.content(of: 1) == [7])
        #expect(index.current { version(1) } == nil)
    }

    @Test func isUniqueUntilItIsCopied() {
        var snapshot = EventSnapshot()
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

    @Test func hasTheSameIdentityAfterATransactionWithoutChanges() {
        load([1])
        let identity = index.current { version(1) }?.identity

        index.willChange(version(1), commits: 1)
        index.didChange([], version(2))

        #expect(identity != nil)
        #expect(index.current { version(2) }?.identity == identity)
    }

    @Test func forgetsAllWhenAReaderSeesAnotherVersion() {
        load([1])

        #expect(index.current { version(9) } == nil)

        #expect(index.loadingPercentage != nil)
        // Even if the version comes back, changes in between would be missing.
        #expect(index.current { version(1) } == nil)
        load([1, 3], at: 9)
        #expect(ids(at: 9) == [1, 3])
    }

    @Test func keepsEventsWhileTheVersionIsUnknown() {
        load([1])

        #expect(index.current { nil } == nil)

        #expect(ids(at: 1) == [1])
    }

    @Test func forgetsAllWhenTheWriterSeesAnotherVersion() {
        load([1])

        index.willChange(version(9), commits: 1)
        index.didChange([stored(2)], version(10))

        #expect(index.loadingPercentage != nil)
        #expect(index.current { version(10) } == nil)
    }

    @Test func forgetsAllWhenTheChangeIsUnknown() {
        load([1])

        index.willChange(version(1), commits: 1)
        index.didChangeInAnUnknownWay()

        #expect(index.loadingPercentage != nil)
        #expect(index.current { version(1) } == nil)
    }

    @Test func appliesWhatLoadingMissed() {
        index.beginLoading { version(1) }
        var loaded = EventSnapshot()
        loaded.apply([stored(1), stored(2)])
        // Loading may have read event 2 before or after these changes.
        index.willChange(version(1), commits: 1)
        index.didChange([removed(2), stored(3)], version(2))
        #expect(index.current { version(2) } == nil)

        #expect(index.finishLoading(loaded) { version(2) })

        #expect(ids(at: 2) == [1, 3])
    }

    @Test func loadsAgainIfAnotherProcessHasWrittenMeanwhile() {
        index.beginLoading { version(1) }
        #expect(!index.finishLoading(EventSnapshot()) { version(2) })
        #expect(index.loadingPercentage != nil)

        index.beginLoading { version(2) }
        #expect(index.isLoading { version(2) })
        #expect(!index.isLoading { version(3) })
        index.willChange(version(3), commits: 1)
        #expect(!index.isLoading { version(3) })
        index.didChange([], version(4))
        #expect(!index.finishLoading(EventSnapshot()) { version(4) })
        #expect(index.loadingPercentage != nil)
    }

    @Test func canFinishLoadingDuringAChange() {
        index.beginLoading { version(1) }
        index.willChange(version(1), commits: 1)

        #expect(index.finishLoading(EventSnapshot()) { version(2) })
        index.didChange([stored(5)], version(2))

        #expect(ids(at: 2) == [5])
    }

    @Test func noticesCommitsOfOtherProcessesDuringAChange() {
        load([1])
        index.willChange(version(1), commits: 1)

        #expect(ids(at: 1) == [1])
        #expect(ids(at: 2) == [1])
        #expect(ids(at: 3) == nil)
    }

    /// A truncation of the WAL needs no lock, so other processes can still commit.
    @Test func noticesCommitsOfOtherProcessesDuringATruncation() {
        load([1])
        index.willChange(version(1), commits: 0)

        #expect(ids(at: 1) == [1])
        #expect(ids(in: index.current { truncated(1) }) == [1])
        #expect(ids(at: 2) == nil)

        index.didChange([], truncated(1))
        #expect(ids(in: index.current { truncated(1) }) == [1])
        #expect(!index.waitForNeed(atMostMilliseconds: 0))
    }

    @Test func doesNotFinishLoadingAfterACommitDuringATruncation() {
        index.beginLoading { version(1) }
        index.willChange(version(1), commits: 0)

        #expect(index.isLoading { version(1) })
        #expect(!index.isLoading { version(2) })
        #expect(!index.finishLoading(EventSnapshot()) { version(2) })
    }

    @Test func givesUpContentsThatGrowBeyondTheMemory() throws {
        load([1])

        index.willChange(version(1), commits: 1)
        index.didChange([tooLong(2)], version(2))

        // Searches use the contents until others have taken their place.
        #expect(ids(at: 2) == [1, 2])
        #expect(index.waitForNeed(atMostMilliseconds: 0))
        #expect(index.nextNeed == .events)
        index.beginLoading { version(2) }
        var loaded = EventSnapshot(keepsContents: false)
        loaded.apply([stored(1), stored(2)])
        #expect(index.finishLoading(loaded) { version(2) })
        #expect(index.nextNeed == nil)
        #expect(try #require(index.current { version(2) }).content(of: 1) == nil)
        index.freeForgottenEvents()
        #expect(index.byteCount < 10_000)
    }

    @Test func loadsContentsAfterTheEvents() {
        #expect(index.nextNeed == .events)
        index.beginLoading { version(1) }
        #expect(index.finishLoading(EventSnapshot(keepsContents: false)) { version(1) })
        #expect(index.nextNeed == .contents)
        load([1])
        #expect(index.nextNeed == nil)
        #expect(ids(at: 1) == [1])
    }

    @Test func requestsWaitForTheEvents() async throws {
        let index = LivingEventIndex(contentBytes: 0, waitMilliseconds: 60_000)
        let request = Task { try await index.loaded { index.current { Self.version(1) } } }
        await Task.yield()
        index.beginLoading { Self.version(1) }
        index.noteProgress(200)
        #expect(index.loadingPercentage == 99)
        #expect(index.finishLoading(EventSnapshot()) { Self.version(1) })
        #expect(try await request.value.keepsContents)
        index.stop()
    }

    @Test func requestsWaitForALimitedTime() async {
        let error = ModelError.unavailable(
            reason: "The events are being loaded. Try again in a moment."
        )
        await #expect(throws: error) {
            try await index.loaded { index.current { Self.version(1) } }
        }
        index.stop()
        await #expect(throws: error) {
            try await index.loaded { index.current { Self.version(1) } }
        }
    }

    @Test func freesForgottenEvents() {
        load([1])
        let size = index.byteCount

        index.willChange(version(1), commits: 1)
        index.didChangeInAnUnknownWay()

        #expect(index.byteCount == size)
        #expect(index.waitForNeed(atMostMilliseconds: 0))
        #expect(index.nextNeed == .events)
        index.freeForgottenEvents()
        #expect(index.byteCount == 0)
        load([1], at: 2)
        #expect(!index.waitForNeed(atMostMilliseconds: 0))
        #expect(index.nextNeed == nil)
    }

    @Test func stopsLoadingThatMissesTooManyChanges() {
        index.beginLoading { version(1) }
        index.willChange(version(1), commits: 1)
        index.didChange((1...70).map { tooLong($0, bytes: 1_000_000) }, version(2))

        #expect(!index.isLoading { version(2) })
        #expect(!index.finishLoading(EventSnapshot()) { version(2) })
        #expect(index.nextNeed == .events)
        load([1], at: 2)
        #expect(ids(at: 2) == [1])
    }

    @Test func aCanceledLoadCanBeginAgain() {
        index.beginLoading { version(1) }
        index.cancelLoading()

        #expect(!index.isLoading { version(1) })
        #expect(index.nextNeed == .events)
        load([1])
        #expect(ids(at: 1) == [1])
    }

    private func tooLong(_ id: Int64, bytes: Int = 100_000) -> EventChange {
        let json = [UInt8](repeating: 0, count: bytes)
        return EventChange(id: id, content: .init(point: (1, 0, 0), json: json))
    }

    /// The version of the same content after the WAL was truncated.
    private func truncated(_ number: UInt64) -> LivingEventIndex.Version {
        LivingEventIndex.Version((number, 0, 0, 1), commitCount: UInt32(number))
    }

    private func version(_ number: UInt64) -> LivingEventIndex.Version { Self.version(number) }

    private static func version(_ number: UInt64) -> LivingEventIndex.Version {
        LivingEventIndex.Version((number, 0, 0, 0), commitCount: UInt32(number))
    }

    private func load(_ ids: [Int64], at number: UInt64 = 1) {
        index.beginLoading { version(number) }
        var loaded = EventSnapshot()
        loaded.apply(ids.map(stored))
        #expect(index.finishLoading(loaded) { version(number) })
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

    private func ids(in snapshot: EventSnapshot?) -> [Int64]? {
        snapshot.map { snapshot in (1...9).filter { snapshot.content(of: $0) != nil } }
    }
}
