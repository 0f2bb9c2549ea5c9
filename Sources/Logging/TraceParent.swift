/// The ids in a `traceparent` header, with which a client or a proxy finds its request in the log.
///
/// See W3C Trace Context. The server makes no ids and no spans of its own.
package struct TraceParent: Sendable, Equatable {
    /// The length of the header in version 00; a later version may add to it.
    private static let length = 55

    /// The valid header, of which the ids are parts, so that a request's line needs no copies.
    private let header: String

    /// Parses the values of all `traceparent` headers of a request, joined by commas.
    ///
    /// Returns nil unless there is one, it has the form of its version, and no id is all zeros.
    package init?(_ header: String) {
        let bytes = header.utf8
        guard bytes.count >= Self.length, !bytes.contains(UInt8(ascii: ",")) else { return nil }
        for (index, byte) in bytes.prefix(Self.length).enumerated() {
            let isHyphen = index == 2 || index == 35 || index == 52
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHex else { return nil }
        }
        let version = bytes.prefix(2)
        let rest = bytes.dropFirst(Self.length)
        guard rest.isEmpty || !version.isZero && rest.first == UInt8(ascii: "-"),
            !version.elementsEqual("ff".utf8)
        else { return nil }
        self.header = header
        guard !trace.isZero, !parent.isZero else { return nil }
    }

    /// The 32 hexadecimal digits of the trace.
    var trace: Substring.UTF8View { header.utf8.dropFirst(3).prefix(32) }
    /// The 16 hexadecimal digits of the caller's span.
    var parent: Substring.UTF8View { header.utf8.dropFirst(36).prefix(16) }
}

extension UInt8 {
    fileprivate var isHex: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

extension Substring.UTF8View {
    fileprivate var isZero: Bool { allSatisfy { $0 == UInt8(ascii: "0") } }
}
