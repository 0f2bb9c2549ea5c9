/// Bytes of each event of a leaf, in one array; empty if no event has any.
struct PackedBytes: Sendable {
    /// Where the bytes of each event end.
    private var ends: [UInt32] = []
    /// The bytes, one after the other.
    private(set) var bytes: [UInt8] = []

    /// The number of events.
    var count: Int { ends.count }

    /// The memory of the bytes and their ends.
    var byteCount: Int { bytes.count + ends.count * MemoryLayout<UInt32>.stride }

    mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        ends.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
    }

    /// Appends the bytes of an event.
    mutating func append(_ added: [UInt8]) {
        bytes += added
        ends.append(UInt32(clamping: bytes.count))
    }

    /// Appends the bytes of successive events.
    mutating func append(_ indices: Range<Int>, of other: PackedBytes) {
        let range = other.range(of: indices)
        let (start, distance) = (ends.count, bytes.count - range.lowerBound)
        ends += other.ends[indices]
        bytes += other.bytes[range]
        guard distance != 0 else { return }
        for index in start..<ends.count {
            ends[index] = UInt32(clamping: Int(ends[index]) + distance)
        }
    }

    /// Appends the terms of successive events; `other` is empty if none has any.
    mutating func append(_ indices: Range<Int>, ofTerms other: PackedBytes) {
        guard other.count == 0 else { return append(indices, of: other) }
        for _ in indices { append([]) }
    }

    /// Returns the bytes of an event.
    func bytes(at index: Int) -> [UInt8] { Array(bytes[range(of: index..<index + 1)]) }

    /// Returns where the bytes of successive events are.
    @inline(__always)
    func range(of indices: Range<Int>) -> Range<Int> {
        guard !indices.isEmpty, !ends.isEmpty else { return 0..<0 }
        let start = indices.lowerBound > 0 ? Int(ends[indices.lowerBound - 1]) : 0
        return start..<Int(ends[indices.upperBound - 1])
    }
}
