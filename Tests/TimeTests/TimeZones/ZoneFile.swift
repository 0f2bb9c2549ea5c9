import Testing

/// A TZif file, which is valid unless a test makes a part invalid.
struct ZoneFile: CustomTestStringConvertible {
    var magic = "TZif"
    var version: Unicode.Scalar = "2"
    var instants: [Int64] = []
    var types: [UInt8] = []
    var offsets: [Int32] = [0]
    var isDaylightTime: UInt8 = 0
    /// The index of each type's name within the four characters.
    var name: UInt8 = 0
    var leapSeconds = 0
    var standardIndicators: [UInt8] = []
    var universalIndicators: [UInt8] = []
    var footer = ""
    var footerEnd = "\n"

    var bytes: [UInt8] {
        // The first block has no times, as in current files.
        var bytes = header(counts: [0, 0, 0, 0, 1, 1]) + [0, 0, 0, 0, 0, 0, 0]
        bytes += header(
            counts: [
                universalIndicators.count, standardIndicators.count, leapSeconds, instants.count,
                offsets.count, 4,
            ]
        )
        for instant in instants { bytes += Self.bigEndian(UInt64(bitPattern: instant), 8) }
        bytes += types
        for offset in offsets {
            bytes += Self.bigEndian(UInt64(UInt32(bitPattern: offset)), 4) + [isDaylightTime, name]
        }
        bytes += Array("AAA\0".utf8) + [UInt8](repeating: 0, count: leapSeconds * 12)
        return bytes + standardIndicators + universalIndicators
            + Array("\n\(footer)\(footerEnd)".utf8)
    }

    var testDescription: String { "\(bytes.count) bytes, \(footer)" }

    private func header(counts: [Int]) -> [UInt8] {
        Array(magic.utf8) + [UInt8(truncatingIfNeeded: version.value)]
            + [UInt8](repeating: 0, count: 15) + counts.flatMap { Self.bigEndian(UInt64($0), 4) }
    }

    private static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
