import Testing

@testable import Events

@Suite struct LoadPausesTests {
    private static let seconds: Int64 = 1000

    @Test func theFirstLoadIsNotDelayed() {
        var pauses = LoadPauses()
        #expect(pauses.wait(now: 5) == 0)
    }

    @Test func eachPauseIsTwiceAsLongAsTheOneBefore() {
        var pauses = LoadPauses()
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 1...10 {
            waits.append(pauses.wait(now: now))
            now += 3 * Self.seconds
            pauses.noteEnd(now: now)
        }
        #expect(waits == [0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    }

    /// As with a job that commits with another program every five seconds.
    @Test func loadsBecomeRareIfTheDatabaseOftenChanges() {
        var pauses = LoadPauses()
        var now: Int64 = 0
        var loads = 0
        while now < 3600 * Self.seconds {
            now += pauses.wait(now: now)
            loads += 1
            now += 3 * Self.seconds
            pauses.noteEnd(now: now)
            now += 5 * Self.seconds - now % (5 * Self.seconds)
        }
        #expect(loads < 120, "\(loads)")
    }

    @Test func theTimeInMemoryIsPartOfThePause() {
        var pauses = LoadPauses()
        _ = pauses.wait(now: 0)
        pauses.noteEnd(now: 0)
        #expect(pauses.wait(now: 100) == 400)
        pauses.noteEnd(now: 1000)
        #expect(pauses.wait(now: 3000) == 0)
        pauses.noteEnd(now: 3000)
        #expect(pauses.wait(now: 3500) == 1500)
    }

    @Test func pausesAreShortAgainAfterAQuietTime() {
        var pauses = LoadPauses()
        for _ in 1...9 {
            _ = pauses.wait(now: 0)
            pauses.noteEnd(now: 0)
        }
        #expect(pauses.wait(now: 29_999) == 1)
        pauses.noteEnd(now: 0)
        #expect(pauses.wait(now: 30_000) == 0)
        pauses.noteEnd(now: 30_000)
        #expect(pauses.wait(now: 30_000) == 500)
    }
}
