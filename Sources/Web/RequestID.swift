import HTTP
import Sodium
import Synchronization

/// Names requests, so that a client's report and the log can be brought together.
final class RequestIDSource: Sendable {
    /// A client's own id is taken over up to this length.
    private static let maximumLength = 128
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private let last: Atomic<UInt64>

    /// Starts at a random number, so that the ids of two runs don't meet.
    init() {
        let start = RandomBytes.make(count: 8).reduce(UInt64(0)) { number, byte in
            number << 8 | UInt64(byte)
        }
        last = Atomic(start)
    }

    /// The client's `X-Request-Id` if it is fit for headers and logs, else a new id.
    func id(for request: Request) -> String {
        if let id = request.headers["x-request-id"], Self.isValid(id) { return id }
        return next()
    }

    /// A new id: 16 hexadecimal digits.
    func next() -> String {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return unsafe String(unsafeUninitializedCapacity: 16) { buffer in
            for index in 0..<16 {
                let digit = Int(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 0xF
                unsafe buffer[index] = Self.hexDigits[digit]
            }
            return 16
        }
    }

    /// Letters, digits and `-_.:/+=@`: nothing that means anything to a header, a shell or a
    /// terminal.
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
