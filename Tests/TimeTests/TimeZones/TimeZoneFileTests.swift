import System
import Randomness
import Testing
@testable import Time

@Suite struct TimeZoneFileTests {
    private static let directory = "/usr/share/zoneinfo"
    /// The offset is 1 h from 1000 s to 2000 s; then the rule applies.
    private static let file = ZoneFile(
        instants: [1000, 2000],
        types: [1, 0],
        offsets: [0, 3600],
        footer: "AAA0BBB,M3.5.0/1,M10.5.0"
    )

    @Test func `reads transitions and the rule after them`() throws {
        let zone = try #require(TimeZone(file: Self.file.bytes))

        let offsets = [-1000, 999, 1000, 1999, 2000, 10_000_000, 260_000_000_000].map { second in
            zone.offset(at: Timestamp(milliseconds: second * 1000))
        }
        #expect(offsets == [0, 0, 3600, 3600, 0, 3600, 0])
    }

    @Test func `uses the last offset if there is no rule`() throws {
        var file = Self.file
        file.types = [0, 1]
        file.footer = ""
        let zone = try #require(TimeZone(file: file.bytes))

        #expect(zone.offset(at: .latest) == 3600)
    }

    @Test func `finds local times after a last transition that contradicts the rule`() throws {
        let file = ZoneFile(instants: [-254], types: [1], offsets: [0, 4096], footer: "AAA-2")
        let zone = try #require(TimeZone(file: file.bytes))

        for (second, offset) in [(-255, 0), (-254, 4096), (-253, 7200), (-1, 7200)]
            as [(Int64, Int)]
        {
            let instant = Timestamp(milliseconds: second * 1000)
            #expect(zone.offset(at: instant) == offset)
            #expect(zone.instant(ofLocal: zone.local(at: instant)) == instant, "\(second)")
        }
    }

    @Test func `uses the rule if there are no transitions`() throws {
        let zone = try #require(
            TimeZone(file: ZoneFile(offsets: [60], footer: "AAA-1").bytes)
        )

        #expect([.earliest, .latest].map { zone.offset(at: $0) } == [3600, 3600])
    }

    @Test func `uses the first type if there are no transitions and no rule`() throws {
        let zone = try #require(TimeZone(file: ZoneFile(offsets: [60, 120]).bytes))

        #expect(zone == TimeZone(offset: 60))
    }

    @Test func `accepts the largest offsets and later versions`() throws {
        let file = ZoneFile(version: "4", offsets: [-89_999, 93_599])

        #expect(TimeZone(file: file.bytes) == TimeZone(offset: -89_999))
    }

    @Test func `finds a local time that exists only after a gap`() throws {
        // Ten hours ahead for a minute, then ten hours behind.
        let file = ZoneFile(
            instants: [100_000, 100_060],
            types: [1, 2],
            offsets: [0, 36_000, -36_000]
        )
        let zone = try #require(TimeZone(file: file.bytes))

        // The second and third transitions are in the gap at 100,000 s, but occur later.
        let locals: [Int64] = [64_060, 100_000, 135_999, 136_000, 136_059, 136_060]
        let instants = locals.map { local in
            zone.instant(ofLocal: Timestamp(milliseconds: local * 1000)).milliseconds / 1000
        }
        #expect(instants == [64_060, 136_000, 171_999, 100_000, 100_059, 172_060])
    }

    @Test(
        arguments: [
            ZoneFile(version: "\0"), ZoneFile(magic: "TZIF"),
            ZoneFile(leapSeconds: 1),
            ZoneFile(offsets: []), ZoneFile(offsets: [93_600]), ZoneFile(offsets: [-90_000]),
            ZoneFile(offsets: [.min]), ZoneFile(name: 4), ZoneFile(isDaylightTime: 2),
            ZoneFile(instants: [1], types: [1]), ZoneFile(instants: [1, 1], types: [0, 0]),
            ZoneFile(instants: [2, 1], types: [0, 0]),
            ZoneFile(footer: "AAA"), ZoneFile(footer: "AAA0", footerEnd: ""),
            ZoneFile(footer: "AAA0\0"),
            ZoneFile(standardIndicators: [2]), ZoneFile(standardIndicators: [0, 0]),
            ZoneFile(universalIndicators: [2]), ZoneFile(universalIndicators: [0, 0]),
        ]
    )
    func `rejects invalid files`(file: ZoneFile) {
        #expect(TimeZone(file: file.bytes) == nil)
    }

    @Test func `rejects files that are too large`() {
        var bytes = Self.file.bytes
        bytes += [UInt8](repeating: 0, count: TimeZone.maximumFileBytes - bytes.count)
        #expect(TimeZone(file: bytes) != nil)

        #expect(TimeZone(file: bytes + [0]) == nil)
    }

    @Test func `rejects truncated files`() {
        let bytes = Self.file.bytes

        for count in 0..<bytes.count {
            #expect(TimeZone(file: Array(bytes.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test func `never traps on a changed file`() throws {
        var generator = SeededGenerator(seed: 18)
        let files = try [Self.file.bytes] + Self.names.prefix(8).map { try Self.bytes(of: $0) }
        for file in files {
            for _ in 0..<60 {
                var bytes = file
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                }
                TimeZone(file: bytes).map(Self.checkInstants)
            }
            for count in stride(from: 0, to: file.count, by: 41) {
                TimeZone(file: Array(file.prefix(count))).map(Self.checkInstants)
            }
        }
    }

    @Test func `never traps on numbers of any size`() {
        var file = Self.file
        let extremes: [[Int64]] = [
            [.min, .max], [.min, .min + 1], [.max - 1, .max], [-1, .max],
        ]
        for instants in extremes {
            file.instants = instants
            TimeZone(file: file.bytes).map(Self.checkInstants)
        }
        let bytes = Self.file.bytes
        for start in 0..<(bytes.count - 4) {
            let changed = bytes[..<start] + [0xFF, 0xFF, 0xFF, 0xFF] + bytes[(start + 4)...]
            TimeZone(file: Array(changed)).map(Self.checkInstants)
        }
    }

    @Test func `reads every zone of the system`() throws {
        let names = Self.names
        let failures = try names.filter { name in
            guard let zone = try TimeZone(file: Self.bytes(of: name)) else { return true }
            Self.checkInstants(of: zone)
            return false
        }

        #expect(failures == [])
        #expect(names.count > 300, "install tzdata")
    }

    /// Checks every 250 years that local times are near their instants.
    private static func checkInstants(of zone: TimeZone) {
        let wrong = stride(from: -719_528, to: 2_932_896, by: 91_310).filter { day in
            let local = Timestamp(milliseconds: Int64(day) * 86_400_000)
            let instant = zone.instant(ofLocal: local)
            return abs(instant.milliseconds - local.milliseconds) > 93_599_000
        }
        #expect(wrong == [])
    }

    /// The zones of the continents and oceans, and `UTC`.
    private static let names: [String] = {
        var names: [String] = ["UTC"]
        var folders = [
            "Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Etc", "Europe",
            "Indian", "Pacific",
        ]
        while let folder = folders.popLast() {
            for name in LocalFile.names(in: directory + "/" + folder).sorted() {
                let path = folder + "/" + name
                let isFolder = LocalFile.names(in: directory + "/" + path).isEmpty == false
                if isFolder { folders.append(path) } else { names.append(path) }
            }
        }
        return names
    }()

    private static func bytes(of name: String) throws -> [UInt8] {
        let file = try InputFile(path: directory + "/" + name, chunkBytes: 4096)
        return try file.bytes(at: 0, count: 40_000)
    }
}
