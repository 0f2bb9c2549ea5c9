import Testing
import Time

@testable import System
@testable import Operations
@testable import Settings

@Suite struct BackupScheduleTests {
    @Test(
        arguments: [
            ("off", BackupSchedule.off), ("OFF", .off), ("00:00", .daily(minute: 0)),
            ("03:05", .daily(minute: 185)), ("23:59", .daily(minute: 1439)),
            ("1m", .every(minutes: 1)), ("30m", .every(minutes: 30)), ("6h", .every(minutes: 360)),
            ("720H", .every(minutes: 43_200)),
        ]
    )
    func `reads a schedule`(text: String, schedule: BackupSchedule) {
        #expect(BackupSchedule(text) == schedule)
    }

    @Test(
        arguments: [
            "", "on", "3:00", "24:00", "12:60", "03:00:00", "-3:00", "0m", "721h", "43201m", "1d",
            "m", "1.5h", "-1h", "99999999999999999999h", "999999999999999999h",
        ]
    )
    func `reads nothing else`(text: String) {
        #expect(BackupSchedule(text) == nil)
    }

    @Test(arguments: ["off", "00:00", "03:05", "30m", "90m", "6h"])
    func `shows what was read`(text: String) {
        #expect(BackupSchedule(text)?.text == text)
    }

    @Test(
        arguments: [
            ("03:00", "2026-11-21T02:59:59.999Z", "2026-11-21T03:00:00.000Z"),
            ("03:00", "2026-11-21T03:00:00.000Z", "2026-11-22T03:00:00.000Z"),
            ("03:00", "2026-12-31T23:00:00.000Z", "2027-01-01T03:00:00.000Z"),
            ("00:00", "2026-02-28T12:00:00.000Z", "2026-03-01T00:00:00.000Z"),
            ("23:59", "2026-11-21T00:00:00.000Z", "2026-11-21T23:59:00.000Z"),
            ("30m", "2026-11-21T10:10:00.000Z", "2026-11-21T10:30:00.000Z"),
            ("30m", "2026-11-21T10:30:00.000Z", "2026-11-21T11:00:00.000Z"),
            ("6h", "2026-11-21T17:59:59.999Z", "2026-11-21T18:00:00.000Z"),
            ("1m", "1969-12-31T23:59:30.000Z", "1970-01-01T00:00:00.000Z"),
            ("03:00", "1969-12-31T23:59:30.000Z", "1970-01-01T03:00:00.000Z"),
            ("03:00", "1960-01-01T04:00:00.000Z", "1960-01-02T03:00:00.000Z"),
        ]
    )
    func `tells when the next one is due`(text: String, now: String, next: String) throws {
        let schedule = try #require(BackupSchedule(text))
        let now = try #require(Timestamp(parsing: now))

        #expect(schedule.next(after: now)?.text == next)
    }

    @Test func `is never due when it is off`() {
        #expect(BackupSchedule.off.next(after: .earliest) == nil)
    }

    @Test func `does not trap at the ends of time`() throws {
        for milliseconds in [Int64.min, Int64.max] {
            let instant = Timestamp(milliseconds: milliseconds)
            for text in ["03:00", "720h"] {
                let schedule = try #require(BackupSchedule(text))
                #expect(schedule.next(after: instant) != nil)
            }
        }
    }
}

@Suite struct BackupNameTests {
    @Test func `names a backup by its time`() throws {
        let instant = try #require(Timestamp(parsing: "2026-11-21T03:00:00.999Z"))

        let name = BackupName.name(at: instant)

        #expect(name == "humon-20261121T030000Z.sqlite3")
        #expect(BackupName.instant(of: name)?.text == "2026-11-21T03:00:00.000Z")
    }

    @Test(
        arguments: [
            "", "humon.sqlite3", "humon-.sqlite3", "humon-20261121T030000Z.sqlite3-wal",
            "humon-20261121T030000Z.sqlite3.x.part", "humon-20261121T030000.sqlite3",
            "humon-20261321T030000Z.sqlite3", "humon-20261121T250000Z.sqlite3",
            "humon-2026112 T030000Z.sqlite3", "my-humon-20261121T030000Z.sqlite3",
            "humon-20261121T030000Z.sqlite3 ", "humon-20261121t030000Z.sqlite3",
            "humon-20261121T030000Z.SQLITE3", "humon-2026é121T030000Z.sqlite3",
        ]
    )
    func `takes no other file for one`(name: String) {
        #expect(BackupName.instant(of: name) == nil)
    }
}

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
            (155_648, "156 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (-1, "0 B"),
            (12_345_678_901, "12 GB"), (.max, "9223372 TB"),
        ]
    )
    func `tells a number of bytes in few digits`(bytes: Int, text: String) {
        #expect(ByteCount.text(bytes) == text)
    }
}
