import Foundation
import Testing
@testable import Time

/// Not Foundation's `TimeZone`.
private typealias TimeZone = Time.TimeZone

@Suite struct TimeZoneCatalogTests {
    private let catalog = TimeZoneCatalog()

    @Test(arguments: [
        ("Z", 0), ("z", 0), ("UTC", 0), ("utc", 0), ("+02:00", 7200), ("+0200", 7200),
        ("+02", 7200), ("-09:30", -34_200), ("+23:59", 86_340), ("-23:59", -86_340),
        ("-00:00", 0),
        // Decoding a query turns a plus into a space.
        (" 02:00", 7200), (" 0200", 7200),
    ])
    func `finds UTC and offsets`(name: String, offset: Int) {
        // The zones below need no files.
        let catalog = TimeZoneCatalog(directory: "/missing")

        #expect(catalog.zone(named: name) == TimeZone(offset: offset))
    }

    @Test(arguments: [
        ("Europe/Berlin", 3600), ("America/Argentina/Buenos_Aires", -10_800), ("Japan", 32_400),
        ("Etc/GMT+5", -18_000), ("Etc/GMT 5", -18_000), ("Etc/GMT-5", 18_000), ("Etc/UTC", 0),
    ])
    func `finds IANA zones`(name: String, offset: Int) throws {
        // The second lookup uses the cache.
        for _ in 0..<2 {
            let zone = try #require(catalog.zone(named: name), "install tzdata")
            let winter = Timestamp(milliseconds: 1_768_000_000_000)
            #expect(zone.offset(at: winter) == offset)
        }
    }

    @Test(arguments: [
        "", " ", "+", "Berlin", "europe/berlin", "Europe", "Europe/", "/Europe/Berlin",
        "Europe//Berlin", "Europe/Berlin/", "+24:00", "+02:60", "+2", "+02:00:00", "++02:00",
        "  02:00", "UTC+1", "UTC ", " UTC", "Z ",
        // Not zone names, although some are files in the directory.
        ".", "..", "../zoneinfo/UTC", "Europe/../UTC", "./UTC", "zone.tab", "tzdata.zi",
        "leapseconds", "localtime", "posixrules", "right/UTC", "right/Europe/Berlin",
        "posix/America/Argentina/Buenos_Aires", "Europe/Berl\u{ED}n", "Europe/Berlin\0",
        "Europe/Berlin\n", "Europe\\Berlin", "%45urope/Berlin",
        String(repeating: "A", count: 65),
    ])
    func `rejects unknown names`(name: String) {
        for _ in 0..<2 { #expect(catalog.zone(named: name) == nil) }
    }

    @Test func `reads a file once`() throws {
        let folder = try ZoneFolder()
        let catalog = TimeZoneCatalog(directory: folder.path)
        try folder.write(ZoneFile(offsets: [60]).bytes, at: "Here")

        let first = catalog.zone(named: "Here")
        try folder.write(ZoneFile(offsets: [120]).bytes, at: "Here")

        #expect(first == TimeZone(offset: 60))
        #expect(catalog.zone(named: "Here") == TimeZone(offset: 60))
    }

    @Test func `caches a limited number of zones, and finds the others, too`() throws {
        let folder = try ZoneFolder()
        let catalog = TimeZoneCatalog(directory: folder.path)
        for number in 0...1024 {
            try folder.write(ZoneFile(offsets: [60]).bytes, at: "Zone\(number)")
            #expect(catalog.zone(named: "Zone\(number)") == TimeZone(offset: 60))
        }

        for number in [1023, 1024] {
            try folder.write(ZoneFile(offsets: [120]).bytes, at: "Zone\(number)")
        }

        #expect(catalog.zone(named: "Zone1023") == TimeZone(offset: 60))
        #expect(catalog.zone(named: "Zone1024") == TimeZone(offset: 120))
    }

    @Test func `reads regular files of limited size only`() throws {
        let folder = try ZoneFolder()
        let catalog = TimeZoneCatalog(directory: folder.path)
        let bytes = ZoneFile(offsets: [60]).bytes
        let rest = TimeZone.maximumFileBytes - bytes.count
        try folder.write(bytes + [UInt8](repeating: 0, count: rest), at: "Largest")
        try folder.write(bytes + [UInt8](repeating: 0, count: rest + 1), at: "Larger")
        try folder.write([], at: "Empty")
        #expect(unsafe mkfifo(folder.path + "/Pipe", 0o600) == 0)
        #expect(unsafe mkdir(folder.path + "/Folder", 0o700) == 0)
        #expect(unsafe symlink("Largest", folder.path + "/Link") == 0)

        let names = ["Largest", "Larger", "Empty", "Pipe", "Folder", "Link"]
        let known = TimeZone(offset: 60)
        #expect(
            names.map { catalog.zone(named: $0) } == [known, nil, nil, nil, nil, known]
        )
    }
}

/// A temporary folder, deleted when the value is released.
private final class ZoneFolder {
    let path = NSTemporaryDirectory() + "humon-zones-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func write(_ bytes: [UInt8], at name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
