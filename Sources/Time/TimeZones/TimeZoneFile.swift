extension TimeZone {
    /// The maximum size of a file in bytes, several times the size of the largest existing file.
    package static let maximumFileBytes = 32 * 1024

    /// Parses a file in the format TZif (RFC 9636), version 2 or later.
    ///
    /// Returns nil if the file is invalid, or if it counts leap seconds, which timestamps don't.
    package init?(file bytes: [UInt8]) {
        guard bytes.count <= Self.maximumFileBytes else { return nil }
        var decoder = TimeZoneFileDecoder(bytes: bytes)
        guard let zone = decoder.decode() else { return nil }
        self = zone
    }
}

/// Reads a file from its start.
private struct TimeZoneFileDecoder {
    /// The item counts of a data block.
    private struct Counts {
        let universalIndicators: Int
        let standardIndicators: Int
        let leapSeconds: Int
        let transitions: Int
        let types: Int
        let characters: Int

        /// Returns the size of the data block in bytes if each time has `timeBytes` bytes.
        func blockBytes(timeBytes: Int) -> Int {
            transitions * (timeBytes + 1) + types * 6 + characters + leapSeconds * (timeBytes + 4)
                + standardIndicators + universalIndicators
        }
    }

    private let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func decode() -> TimeZone? {
        // The first block has 32-bit times, for programs that can't read the second one.
        guard let oldCounts = header(), skip(oldCounts.blockBytes(timeBytes: 4)),
            let counts = header(), bytes.count - index >= counts.blockBytes(timeBytes: 8),
            counts.leapSeconds == 0
        else { return nil }
        guard let instants = instants(counts.transitions),
            let types = take(counts.transitions), let offsets = offsets(counts),
            skip(counts.characters),
            indicators(counts.standardIndicators), indicators(counts.universalIndicators),
            let footer = footer(), let firstOffset = offsets.first
        else { return nil }
        var transitions: [Transition] = []
        for (instant, type) in zip(instants, types) {
            guard Int(type) < offsets.count else { return nil }
            transitions.append(Transition(instant: instant, offset: offsets[Int(type)]))
        }
        var rule: TimeZoneRule?
        if !footer.isEmpty {
            rule = TimeZoneRule(Array(footer))
            guard rule != nil else { return nil }
        }
        return TimeZone(firstOffset: firstOffset, transitions: transitions, rule: rule)
    }

    private mutating func header() -> Counts? {
        guard take(4)?.elementsEqual("TZif".utf8) == true, let version = take(1)?.first,
            version >= UInt8(ascii: "2"), skip(15),
            let universalIndicators = count(), let standardIndicators = count(),
            let leapSeconds = count(), let transitions = count(), let types = count(),
            let characters = count(),
            types > 0, characters > 0, [0, types].contains(universalIndicators),
            [0, types].contains(standardIndicators)
        else { return nil }
        return Counts(
            universalIndicators: universalIndicators,
            standardIndicators: standardIndicators,
            leapSeconds: leapSeconds,
            transitions: transitions,
            types: types,
            characters: characters
        )
    }

    /// Reads an item count; each item has at least one byte, so the count is at most the file's
    /// size.
    private mutating func count() -> Int? {
        guard let bits = bits(4), bits <= UInt64(bytes.count) else { return nil }
        return Int(bits)
    }

    private mutating func instants(_ count: Int) -> [Int]? {
        var instants: [Int] = []
        for _ in 0..<count {
            guard let bits = bits(8) else { return nil }
            let instant = Int(Int64(bitPattern: bits))
            if let last = instants.last, last >= instant { return nil }
            instants.append(instant)
        }
        return instants
    }

    /// Reads the offset of each type of local time.
    private mutating func offsets(_ counts: Counts) -> [Int]? {
        var offsets: [Int] = []
        for _ in 0..<counts.types {
            guard let bits = bits(4), let isDaylightTime = take(1)?.first, isDaylightTime <= 1,
                let name = take(1)?.first, Int(name) < counts.characters
            else { return nil }
            let offset = Int(Int32(truncatingIfNeeded: bits))
            guard TimeZone.offsets.contains(offset) else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    private mutating func indicators(_ count: Int) -> Bool {
        take(count)?.allSatisfy { $0 <= 1 } ?? false
    }

    /// Reads the line after the data blocks, without its line feeds.
    private mutating func footer() -> ArraySlice<UInt8>? {
        let lineFeed = UInt8(ascii: "\n")
        guard take(1)?.first == lineFeed else { return nil }
        let rest = bytes[index...]
        return rest.firstIndex(of: lineFeed).map { rest[..<$0] }
    }

    /// Reads a big-endian number of up to eight bytes.
    private mutating func bits(_ count: Int) -> UInt64? {
        take(count)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func skip(_ count: Int) -> Bool {
        take(count) != nil
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - index else { return nil }
        defer { index += count }
        return bytes[index..<(index + count)]
    }
}
