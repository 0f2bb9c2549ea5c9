import Bytes

/// The text that is the same in the representations of all events, so that memory can omit it.
///
/// Copying a few pieces more made a nearest query with 20 results 4 % slower, and saves a fifth of
/// the memory of an event.
package struct RepresentationTemplate: Equatable, Sendable {
    /// The parts of the text, one after the other.
    private let bytes: [UInt8]
    /// Where each part ends in `bytes`.
    private let ends: [Int]

    /// The first byte of an event that is not packed.
    private static let whole: UInt8 = 0
    /// The first byte of a packed event.
    private static let packed: UInt8 = 1

    /// Creates a template.
    ///
    /// - Parameter parts: What a representation begins with, what is between its values, and what
    ///   it ends with. No value may contain what follows it.
    package init(_ parts: [StaticString]) {
        var (bytes, ends): ([UInt8], [Int]) = ([], [])
        for part in parts {
            bytes.append(part)
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// Returns the values of a representation, or all of it if it has other parts; O(n).
    package func pack(_ text: Span<UInt8>) -> [UInt8] {
        if let values = values(of: text) { return values }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 1)
        result.append(Self.whole)
        result.append(copying: text)
        return result
    }

    /// The number of bytes that `appendUnpacked` appends at most for this number of packed ones.
    package func unpackedByteCount(of packedByteCount: Int) -> Int {
        packedByteCount + bytes.count
    }

    /// Returns the representation of which these are the values; O(n).
    package func unpack(_ values: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.append(addingCapacity: unpackedByteCount(of: values.count)) { output in
            appendUnpacked(values, to: &output)
        }
        return result
    }

    /// Appends the representation of which these are the values, as `pack` has returned them; O(n).
    package func appendUnpacked(_ values: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        guard values.count > 0 else { return }
        var start = 1
        guard values[0] == Self.packed else {
            return output.append(copying: values.extracting(start..<values.count))
        }
        let (bytes, ends) = (bytes.span, ends.span)
        var partStart = 0
        for number in ends.indices {
            output.append(copying: bytes.extracting(partStart..<ends[number]))
            partStart = ends[number]
            guard number + 1 < ends.count else { return }
            // The last value has no length.
            let end =
                number + 2 < ends.count
                ? Self.length(in: values, at: &start) + start : values.count
            output.append(copying: values.extracting(start..<end))
            start = end
        }
    }

    /// Returns the values of a representation, or nil if it has other parts.
    private func values(of text: Span<UInt8>) -> [UInt8]? {
        guard ends.count > 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(max(0, text.count - bytes.count + 2 * ends.count))
        result.append(Self.packed)
        let (bytes, ends) = (bytes.span, ends.span)
        guard text.hasPrefix(bytes.extracting(0..<ends[0])) else { return nil }
        var start = ends[0]
        for number in ends.indices.dropFirst() {
            let part = bytes.extracting(ends[number - 1]..<ends[number])
            let isLast = number + 1 == ends.count
            let found = isLast ? text.count - part.count : text.firstIndex(of: part, from: start)
            guard let end = found, end >= start,
                text.extracting(end..<text.count).hasPrefix(part)
            else { return nil }
            if !isLast { Self.append(length: end - start, to: &result) }
            result.append(copying: text.extracting(start..<end))
            start = end + part.count
        }
        return result
    }

    /// Appends a length, 7 bits in each byte, of which only the last one is below 128.
    private static func append(length: Int, to bytes: inout [UInt8]) {
        var rest = length
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a length, and moves `index` behind it.
    @inline(__always)
    private static func length(in bytes: Span<UInt8>, at index: inout Int) -> Int {
        var (length, shift) = (0, 0)
        while true {
            let byte = bytes[index]
            index += 1
            length |= Int(byte & 127) << shift
            if byte < 128 { return length }
            shift += 7
        }
    }
}
