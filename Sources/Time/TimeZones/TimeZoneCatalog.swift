import System

/// The time zones that clients can request: UTC, offsets, and the zones of the IANA database.
///
/// A zone's file is read at its first use, and cached until the program ends. An update of the
/// files needs a restart.
package final class TimeZoneCatalog: Sendable {
    /// The maximum number of cached zones; the IANA database has fewer.
    private static let maximumZones = 1024
    private static let maximumNameBytes = 64
    /// The names of files in the database whose zones depend on the machine.
    private static let localNames: Set = ["localtime", "posixrules"]

    private let directory: String
    private let zones = Mutex<[String: TimeZone]>([:])

    /// Creates a catalog that reads the IANA zones from a directory of TZif files.
    package init(directory: String = "/usr/share/zoneinfo") {
        self.directory = directory
    }

    /// Returns the zone with a name, or nil if the name is unknown.
    ///
    /// The name is `Z`, `UTC`, an offset such as `+02:00`, or an IANA name such as `Europe/Berlin`.
    /// A space counts as `+`, because decoding a query turns a `+` into a space.
    package func zone(named parameter: String) -> TimeZone? {
        let bytes = parameter.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
        guard bytes.count <= Self.maximumNameBytes else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        if let offset = TimeText.offset(parsing: name) { return TimeZone(offset: offset) }
        if Self.isUTC(bytes) { return .utc }
        guard Self.isName(bytes), !Self.localNames.contains(name) else { return nil }
        return zones.withLock { $0[name] } ?? read(name)
    }

    private static func isUTC(_ name: [UInt8]) -> Bool {
        // This bit turns ASCII letters into lower case.
        name.map { $0 | 0x20 }.elementsEqual("utc".utf8)
    }

    /// Whether the text has 1 to 3 parts of `[A-Za-z0-9_+-]`, so no path can leave the directory.
    private static func isName(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count <= 3 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isInName) }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Reads a zone and caches it; other threads don't wait for the file.
    private func read(_ name: String) -> TimeZone? {
        guard let zone = Self.bytes(at: directory + "/" + name).flatMap({ TimeZone(file: $0) })
        else { return nil }
        zones.withLock { if $0.count < Self.maximumZones { $0[name] = zone } }
        return zone
    }

    /// Returns the content of a regular file that is not too large.
    private static func bytes(at path: String) -> [UInt8]? {
        let limit = TimeZone.maximumFileBytes
        guard let file = try? InputFile(path: path, chunkBytes: limit, mustBeRegular: true),
            let size = file.size, size <= limit
        else { return nil }
        return try? file.bytes(at: 0, count: size)
    }
}
