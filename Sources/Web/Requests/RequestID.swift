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

    /// Returns a new id: 12 hexadecimal digits, which a Swift string stores without an allocation.
    func next() -> String {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return unsafe String(unsafeUninitializedCapacity: Self.digitCount) { buffer in
            for index in 0..<Self.digitCount {
                let shift = UInt64(4 * (Self.digitCount - 1 - index))
                let digit = UInt8(truncatingIfNeeded: number >> shift) & 0xF
                unsafe buffer[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return Self.digitCount
        }
    }

    /// Allows letters, digits and `-_.:/+=@`, which are safe in headers, shells and terminals.
    private static func isValid(_ id: String) -> Bool {
        (1...maximumLength).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "+"),
                    UInt8(ascii: "="), UInt8(ascii: "@"):
                    true
                default: false
                }
            }
    }
}
