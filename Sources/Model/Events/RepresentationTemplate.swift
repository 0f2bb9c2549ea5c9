import Bytes

/// The text that is the same in the representations of all events, so that memory can omit it.
///
/// A representation is an opening, a body, an infix, a short tail and a closing. Only the body and
/// the tail are stored, which saves a twelfth of an event's memory. More parts would save more, but
/// each is copied on its own: with five, a nearest query with 20 results was a tenth slower.
package struct RepresentationTemplate: Sendable {
    private let opening: StaticString
    private let infix: StaticString
    private let closing: StaticString

    /// The length of the longest tail in bytes, enough for every 64-bit integer.
    private static let maximumTail = 20
    /// The first byte of an event that is stored whole, instead of the length of its tail.
    private static let whole = UInt8.max

    /// Creates a template; the texts may be empty.
    package init(opening: StaticString, infix: StaticString, closing: StaticString) {
        self.opening = opening
        self.infix = infix
        self.closing = closing
    }

    /// Returns what memory stores of a representation: all of it unless it fits the template; O(n).
    package func pack(_ text: Span<UInt8>) -> [UInt8] {
        guard let (body, tail) = bodyAndTail(of: text) else {
            return packed(Self.whole, text, text.extracting(0..<0))
        }
        return packed(
            UInt8(truncatingIfNeeded: tail.count),
            text.extracting(tail),
            text.extracting(body)
        )
    }

    /// Returns the number of bytes that `appendUnpacked` appends; O(1).
    package func unpackedCount(of packed: Span<UInt8>) -> Int {
        unpackedCount(of: packed.count, beginningWith: packed.count > 0 ? packed[0] : nil)
    }

    /// Returns the number of bytes that `appendUnpacked` appends for so many packed bytes; O(1).
    ///
    /// `first` is the first of them, or nil if there are none.
    package func unpackedCount(of packedCount: Int, beginningWith first: UInt8?) -> Int {
        guard let first else { return 0 }
        guard first != Self.whole else { return packedCount - 1 }
        return packedCount - 1 + opening.utf8CodeUnitCount + infix.utf8CodeUnitCount
            + closing.utf8CodeUnitCount
    }

    /// Returns the representation that `pack` has packed; O(n).
    package func unpack(_ packed: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.append(addingCapacity: unpackedCount(of: packed)) { output in
            appendUnpacked(packed, to: &output)
        }
        return text
    }

    /// Appends the representation that `pack` of the same template has packed; O(n).
    package func appendUnpacked(_ packed: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        guard packed.count > 0 else { return }
        guard packed[0] != Self.whole else {
            return output.append(copying: packed.extracting(1..<packed.count))
        }
        let tailCount = Int(packed[0])
        output.append(opening)
        output.append(copying: packed.extracting(1 + tailCount..<packed.count))
        output.append(infix)
        output.append(copying: packed.extracting(1..<1 + tailCount))
        output.append(closing)
    }

    private func packed(
        _ mark: UInt8,
        _ first: Span<UInt8>,
        _ second: Span<UInt8>
    ) -> [UInt8] {
        [UInt8](capacity: 1 + first.count + second.count) { output in
            output.append(mark)
            output.append(copying: first)
            output.append(copying: second)
        }
    }

    /// Returns where the body and the tail are, or nil if the text doesn't fit the template.
    private func bodyAndTail(of text: Span<UInt8>) -> (Range<Int>, Range<Int>)? {
        let start = opening.utf8CodeUnitCount
        let end = text.count - closing.utf8CodeUnitCount
        guard start <= end, text.contains(opening, at: 0), text.contains(closing, at: end) else {
            return nil
        }
        for tailStart in stride(from: end, through: max(start, end - Self.maximumTail), by: -1) {
            let bodyEnd = tailStart - infix.utf8CodeUnitCount
            guard bodyEnd >= start else { return nil }
            if text.contains(infix, at: bodyEnd) { return (start..<bodyEnd, tailStart..<end) }
        }
        return nil
    }
}
