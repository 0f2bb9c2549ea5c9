import HTTP
import Sodium
import Synchronization

/// A source of ids for requests, so that a client's report can be found in the log.
final class RequestIDSource: Sendable {
    /// The maximum length of a client's own id.
    private static let maximumLength = 128
    private static let digitCount = 12

    private let last: Atomic<UInt64>

    /// Starts at a random number, so that the ids of two runs don't collide.
    init() {
        let start = RandomBytes.make(count: 8).reduce(UInt64(0)) { number, byte in
            number << 8 | UInt64(byte)
        }
        last = Atomic(start)
    }

    /// Returns the client's `X-Request-Id` if it is safe for headers and logs, otherwise a new id.
    func id(for request: Request) -> String {
        if let id = request.headers["x-request-id"], Self.isValid(id) { return id }
        return next()
    }

    /// Returns a new id: 12 hexadecimal digits.
    func next() -> String {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let digits = String(number & 0xFFFF_FFFF_FFFF, radix: 16)
        return String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
    }

    /// Allows letters, digits and `-_.:/+=@`, which are safe in headers, shells and terminals.
    private static func isValid(_ id: String) -> Bool {
        (1...maximumLength).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                byte != UInt8(ascii: "~") && (byte.isUnreserved || ":/+=@".utf8.contains(byte))
            }
    }
}
