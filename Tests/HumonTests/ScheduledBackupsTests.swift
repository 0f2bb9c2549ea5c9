import Foundation
import Glibc
import Humon
import Logging
import Model
import SQLite
import struct Synchronization.Atomic
import System
import Testing
import Time

@testable import Operations
@testable import Settings

@Suite struct ScheduledBackupsTests {
    private let program: Program
    private let log: LogFile
    private let configuration: Configuration

    init() throws {
        program = try Program()
        log = try LogFile(path: program.path("schedule.log"))
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        configuration.databasePath = program.path("humon.sqlite3")
        configuration.backupSchedule = .every(minutes: 1)
        self.configuration = configuration
        try Databases.open(configuration).close()
    }

    private var folder: String { program.path("backups") }

    private func series(at now: Timestamp) throws -> BackupSeries {
        BackupSeries(folder: folder, try Databases.engine(for: configuration).files, now: now)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func write(_ names: String...) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        for name in names { try program.write("old", to: "backups/" + name) }
    }

    /// Begins to wait by a clock that is the test's alone, so that nothing passes by waiting long.
    private func start(
        _ configuration: Configuration,
        now: @escaping @Sendable () -> Timestamp
    ) throws -> ScheduledBackups {
        try ScheduledBackups(
            configuration,
            of: Databases.engine(for: configuration),
            logger: log.logger,
            glanceMilliseconds: 1,
            now: now
        )
    }

    /// Lets so many backups be made or fail by a clock that begins at `start` ms, and stops.
    private func run(
        _ count: Int,
        keeping kept: Int = 7,
        from start: Int64 = 1_800_000_000_000
    ) throws -> ScheduledBackups.Totals {
        var configuration = configuration
        configuration.keptBackups = kept
        let clock = LeapingClock(start)
        let backups = try self.start(configuration) { clock.now() }
        while backups.totals.backups + backups.totals.failures < count { sched_yield() }
        backups.stop()
        return backups.totals
    }

    @Test func `makes backups when they are due, and keeps the latest`() throws {
        let totals = try run(4, keeping: 2)

        #expect(totals.failures == 0)
        let names = try names()
        #expect(names.count == 2)
        let latest = try #require(names.last.flatMap(BackupName.instant(of:)))
        #expect(latest.milliseconds / 1000 == (totals.lastSuccess?.milliseconds ?? 0) / 1000)
        for name in names { #expect(try program.run("restore backups/\(name)").status == 0) }
        let log = try log.text()
        #expect(log.contains(#""level":"info","message":"backup made and verified","#))
        #expect(log.contains(/"bytes":"[0-9]+","rows":"[0-9]+","duration_ms":"[0-9]+"/))
    }

    @Test func `deletes nothing but its own`() throws {
        let others = [
            "humon-20200101T000000Z.sqlite3.bak", "humon-backup.sqlite3", "humon.sqlite3",
            "notes.txt",
        ]
        for name in others { try write(name) }
        try write("humon-20200101T000000Z.sqlite3", "humon-20200102T000000Z.sqlite3")

        _ = try run(1, keeping: 1)

        let names = try names()
        #expect(names.filter { BackupName.instant(of: $0) == nil } == others)
        #expect(names.count == others.count + 1)
    }

    @Test(arguments: ["-wal", "-shm", "-lock", "-journal"])
    func `keeps one that is served where it lies`(companion: String) throws {
        let served = "humon-20200101T000000Z.sqlite3"
        try write(served, served + companion)

        _ = try run(2, keeping: 1)

        let names = try names()
        #expect(names.contains(served))
        #expect(names.count == 3)
        #expect(try !series(at: .latest).names.contains(served))
    }

    @Test func `keeps the newest, though older ones are dated in the future`() throws {
        // The clock was a year ahead for a while.
        _ = try run(3, from: 1_831_536_000_000)
        let ahead = try names()
        #expect(ahead.count == 3)

        let totals = try run(4, keeping: 3)

        let kept = try names()
        #expect(kept.count == 3)
        #expect(Set(kept).isDisjoint(with: ahead))
        #expect(totals.lastSuccess.map { $0.milliseconds < 1_831_536_000_000 } == true)
        #expect(try series(at: .latest).names == kept)
    }

    @Test func `lets the oldest go, and first those without a number`() throws {
        // As earlier versions made them; one while the clock was wrong.
        try write(
            "humon-20260101T000000Z.sqlite3",
            "humon-20260102T000000Z.sqlite3",
            "humon-20990101T000000Z.sqlite3"
        )
        _ = try run(3)
        let series = try series(at: Timestamp(milliseconds: 1_800_000_900_000))
        let names = series.names

        #expect(
            names.prefix(3) == [
                "humon-20990101T000000Z.sqlite3", "humon-20260101T000000Z.sqlite3",
                "humon-20260102T000000Z.sqlite3",
            ]
        )
        #expect(names.suffix(3) == names.suffix(3).sorted()[...])
        #expect(names.count == 6)
        #expect(series.nextNumber == 4)
        #expect(series.futureCount == 1)
        #expect(series.superfluous(keeping: 4, latest: names[5]) == Array(names[..<2]))
        #expect(series.superfluous(keeping: 1, latest: names[0]) == Array(names[1...]))
        #expect(series.superfluous(keeping: 6, latest: names[5]) == [])
        #expect(series.superfluous(keeping: 10_000, latest: names[5]) == [])
    }

    /// The clock may have been wrong when the server was started.
    @Test func `does not take a time in the future for that of the latest`() throws {
        try write("humon-20200101T000000Z.sqlite3", "humon-20990101T000000Z.sqlite3")

        let backups = try start(configuration) {
            Timestamp(milliseconds: 1_800_000_000_001)
        }
        backups.stop()

        #expect(backups.totals.lastSuccess?.text == "2020-01-01T00:00:00.000Z")
    }

    @Test func `deletes nothing where it fails, and says what to do`() throws {
        try write("humon-20200101T000000Z.sqlite3", "humon-20200102T000000Z.sqlite3")
        try program.overwrite("humon.sqlite3", from: 8192)

        let totals = try run(2, keeping: 1)

        #expect(totals.backups == 0)
        #expect(totals.lastSuccess?.text == "2020-01-02T00:00:00.000Z")
        #expect(
            try names() == ["humon-20200101T000000Z.sqlite3", "humon-20200102T000000Z.sqlite3"]
        )
        let log = try log.text()
        #expect(log.contains(#""level":"error","message":"backup failed: check that BACKUP_"#))
    }

    @Test func `makes none that a restore would refuse, and deletes nothing`() throws {
        try write("humon-20200101T000000Z.sqlite3", "humon-20200102T000000Z.sqlite3")
        let database = DatabaseConfiguration(path: configuration.databasePath)
        try Connection(database, .readWrite).execute(script: "DROP TABLE checkins")

        let totals = try run(2, keeping: 1)

        #expect(totals.backups == 0)
        #expect(
            try names() == ["humon-20200101T000000Z.sqlite3", "humon-20200102T000000Z.sqlite3"]
        )
        let log = try log.text()
        #expect(
            log.contains(
                #""level":"error","message":"backup failed: a restore would reject it; do "#
                    + #"what the cause says","file":""#
            )
        )
        #expect(
            log.contains(
                #"has changed the tables of \"\#(configuration.databasePath)\": index "#
                    + "checkins_category is missing or was changed; table checkins is missing or "
                    + "was changed. Undo that, or restore an earlier backup with `humon "
                    + "restore FILE`."
            )
        )
    }

    @Test func `says at the start that its folder is none`() throws {
        try program.write("", to: "backups")

        let backups = try start(configuration) {
            Timestamp(milliseconds: 1_800_000_000_001)
        }
        while try log.text().isEmpty { sched_yield() }
        backups.stop()

        #expect(
            try log.text().hasSuffix(
                #""message":"backups can't be made: fix BACKUP_DIRECTORY before the first one is "#
                    + #"due","cause":"\#(folder) is not a folder"}"# + "\n"
            )
        )
    }

    @Test func `removes the draft of a process that was killed`() throws {
        try write("humon-20200101T000000Z.sqlite3.1a2b.part", "mine.1a2b.part")

        _ = try run(1)

        #expect(try names().filter { $0.hasSuffix(".part") } == ["mine.1a2b.part"])
    }

    @Test func `leaves nothing of a backup that it is stopped in`() throws {
        let clock = LeapingClock(1_800_000_000_000)
        let backups = try start(configuration) { clock.now() }
        while try !FileManager.default.fileExists(atPath: folder) || names().isEmpty {
            sched_yield()
        }

        backups.stop()

        #expect(try names().filter { BackupName.instant(of: $0) == nil } == [])
    }

    @Test func `waits until one is due`() throws {
        let looks = Looks()
        let backups = try start(configuration) {
            looks.count.wrappingAdd(1, ordering: .relaxed)
            return Timestamp(milliseconds: 1_800_000_000_001)
        }
        // Once for the time that it waits for, and once to see whether that has come.
        while looks.count.load(ordering: .relaxed) < 2 { sched_yield() }
        backups.stop()

        #expect(backups.totals.backups == 0)
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try log.text().isEmpty)
    }
}

private final class Looks: Sendable {
    let count = Atomic(0)
}

/// A clock that goes on by 30 s whenever it is looked at.
private final class LeapingClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ start: Int64) {
        milliseconds = Mutex(start)
    }

    func now() -> Timestamp {
        milliseconds.withLock { milliseconds in
            milliseconds += 30_000
            return Timestamp(milliseconds: milliseconds)
        }
    }
}

/// A log that is read when everything is written.
private final class LogFile {
    let logger: Logger
    private let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        logger = try Logger(level: .info, format: .json, descriptor: descriptor)
    }

    deinit {
        logger.close()
        close(descriptor)
    }

    func text() throws -> String {
        logger.flush()
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
