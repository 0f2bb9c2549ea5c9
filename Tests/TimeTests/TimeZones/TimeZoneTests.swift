import Testing
import Time

@Suite struct TimeZoneTests {
    private let catalog = TimeZoneCatalog()

    @Test func `returns offsets in the past and in the future`() throws {
        for row in Self.rows(of: offsetTable) {
            let zone = try #require(catalog.zone(named: row[0]), "install tzdata")
            let instant = try #require(Timestamp(parsing: row[1]))
            let offset = try #require(Int(row[2]))

            #expect(zone.offset(at: instant) == offset, "\(row)")
            let local = Timestamp(milliseconds: instant.milliseconds + offset.wide * 1000)
            #expect(zone.local(at: instant) == local)
        }
    }

    @Test func `returns the instants of local times, also in gaps and overlaps`() throws {
        for row in Self.rows(of: localTimeTable) {
            let zone = try #require(catalog.zone(named: row[0]), "install tzdata")
            let local = try #require(Timestamp(parsing: row[1]))
            let instant = try #require(Timestamp(parsing: row[2]))

            #expect(zone.instant(ofLocal: local) == instant, "\(row)")
            #expect(Timestamp(parsing: row[1], in: zone) == instant, "\(row)")
        }
    }

    @Test(arguments: [
        (0, 0), (7200, 7200), (-34_200, -34_200), (93_599, 93_599), (93_600, 93_599),
        (-90_000, -89_999), (.max, 93_599), (.min, -89_999),
    ])
    func `has one offset if it is fixed`(seconds: Int, offset: Int) {
        let zone = TimeZone(offset: seconds)

        #expect(zone.offset(at: .earliest) == offset)
        #expect(zone.offset(at: .latest) == offset)
        let noon = Timestamp(milliseconds: 43_200_999)
        #expect(zone.local(at: noon).milliseconds == 43_200_999 + offset.wide * 1000)
        #expect(zone.instant(ofLocal: noon).milliseconds == 43_200_999 - offset.wide * 1000)
    }

    @Test func `is UTC without an offset`() {
        #expect(TimeZone.utc == TimeZone(offset: 0))
    }

    @Test(arguments: ["Europe/Berlin", "America/Santiago", "Asia/Kathmandu", "UTC"])
    func `accepts any instant`(name: String) throws {
        let zone = try #require(catalog.zone(named: name))
        for milliseconds in [Int64.min, .min + 1, -1, .max - 1, .max] {
            let instant = Timestamp(milliseconds: milliseconds)
            let nearest = min(max(instant, .earliest), Timestamp(milliseconds: Self.end))

            #expect(zone.offset(at: instant) == zone.offset(at: nearest))
            #expect(zone.local(at: instant) == zone.local(at: nearest))
            #expect(zone.instant(ofLocal: instant) == zone.instant(ofLocal: nearest))
        }
    }

    @Test func `rounds milliseconds before 1970 down to a second`() throws {
        let zone = try #require(catalog.zone(named: "Europe/Berlin"))
        let transition = try #require(Timestamp(parsing: "1948-04-18T01:00:00Z"))

        let before = Timestamp(milliseconds: transition.milliseconds - 1)
        #expect([before, transition].map { zone.offset(at: $0) } == [3600, 7200])
        #expect(zone.instant(ofLocal: zone.local(at: before)) == before)
    }

    @Test func `finds each instant from its local time unless that occurs twice`() throws {
        for name in ["Europe/Dublin", "Australia/Lord_Howe", "America/Godthab", "Pacific/Apia"] {
            let zone = try #require(catalog.zone(named: name))
            // Every 45 hours and 10 minutes up to 2021, to cover all times of the day.
            let wrong = (0..<10_000).filter { number in
                let instant = Timestamp(milliseconds: Int64(number) * 162_600_000)
                let local = zone.local(at: instant)
                let found = zone.instant(ofLocal: local)
                // An earlier instant has the same local time.
                return found > instant || zone.local(at: found) != local
            }
            #expect(wrong == [], "\(name)")
        }
    }

    /// The end of 1 February 10000, the latest end of a window.
    private static let end = Timestamp.latest.milliseconds + 32 * 86_400_000

    private static func rows(of table: String) -> [[String]] {
        table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}

extension Int {
    fileprivate var wide: Int64 { Int64(self) }
}
