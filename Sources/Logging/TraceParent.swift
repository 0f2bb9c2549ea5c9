/// The ids in a `traceparent` header, with which a client or a proxy finds its request in the log.
///
/// See W3C Trace Context. The server makes no ids and no spans of its own.
package struct TraceParent: Sendable, Equatable {
    /// The length of the header in version 00; a later version may add to it.
    private static let length = 55
    private static let version = 0..<2
    private static let trace = 3..<35
    private static let parent = 36..<52
    private static let flags = 53..<55

    /// The valid header, of which the ids are parts, so that a request's line needs no copies.
    private let header: String

    /// Parses the values of all `traceparent` headers of a request, joined by commas.
    ///
    /// Returns nil unless there is one, it has the form of its version, and no id is all zeros.
    package init?(_ header: String) {
        // The elements of `String.UTF8View` took 9,500 instructions, a quarter of a request's. The
        // buffer stays inside the closure.
        let isValid = unsafe header.utf8.withContiguousStorageIfAvailable { bytes in
            Self.isValid(unsafe bytes.span)
        }
        guard isValid == true else { return nil }
        self.header = header
    }

    private static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= length, bytes[2].isHyphen, bytes[35].isHyphen, bytes[52].isHyphen,
            bytes.extracting(version).isHex, bytes.extracting(flags).isHex,
            bytes.extracting(trace).isHex, !bytes.extracting(trace).isZero,
            bytes.extracting(parent).isHex, !bytes.extracting(parent).isZero
        else { return false }
        if bytes[0] == UInt8(ascii: "f"), bytes[1] == UInt8(ascii: "f") { return false }
        if bytes.count == length { return true }
        guard !bytes.extracting(version).isZero, bytes[length].isHyphen else { return false }
        for index in length..<bytes.count where bytes[index] == UInt8(ascii: ",") { return false }
        return true
    }

    /// Calls `body` with the 32 hexadecimal digits of the trace and the 16 of the caller's span.
    func withIDs(_ body: (_ trace: Span<UInt8>, _ parent: Span<UInt8>) -> Void) {
        // The buffer stays inside the closure, which is called: others were invalid above.
        unsafe header.utf8.withContiguousStorageIfAvailable { bytes in
            let bytes = unsafe bytes.span
            body(bytes.extracting(Self.trace), bytes.extracting(Self.parent))
        }
    }
}

extension UInt8 {
    fileprivate var isHyphen: Bool { self == UInt8(ascii: "-") }

    fileprivate var isHex: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}

extension Span<UInt8> {
    /// Whether all bytes are lower-case hexadecimal digits.
    fileprivate var isHex: Bool {
        // Without an early exit, the compiler checks many bytes at once.
        var isHex = true
        for index in indices { isHex = self[index].isHex && isHex }
        return isHex
    }

    /// Whether all bytes are the digit zero.
    fileprivate var isZero: Bool {
        for index in indices where self[index] != UInt8(ascii: "0") { return false }
        return true
    }
}
