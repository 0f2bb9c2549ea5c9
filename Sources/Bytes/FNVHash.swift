/// A 64-bit FNV-1a hash (<http://www.isthe.com/chongo/tech/comp/fnv/>).
///
/// Equal bytes have equal hashes in every process. The hash detects accidental changes, but not
/// deliberate ones.
package struct FNVHash {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Adds the UTF-8 of a text; O(n).
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }

    /// Adds a byte.
    package mutating func add(_ byte: UInt8) {
        value ^= UInt64(byte)
        value &*= 0x0000_0100_0000_01b3
    }

    /// The value as 16 hexadecimal digits.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
