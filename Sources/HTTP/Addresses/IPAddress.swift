package import Glibc

/// An IPv4 or IPv6 address.
///
/// IPv4 addresses are stored as `::ffff:a.b.c.d` (RFC 4291, section 2.5.5.2), so that both
/// notations of an address are equal.
package struct IPAddress: Hashable, Sendable {
    /// The first and second half of the 128 bits.
    let high: UInt64
    let low: UInt64

    /// The bits before the 32 bits of an IPv4 address.
    private static let mappedPrefix: UInt64 = 0xFFFF << 32

    /// The unspecified address (RFC 4291, section 2.5.2).
    package static let unknown = IPAddress(high: 0, low: 0)

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses an address without brackets, zone and port; nil if it is malformed (inet_pton(3)).
    package init?(_ text: String) {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self.init(four)
            return
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(six)
    }

    /// Reads the address of a socket; nil for other address families.
    package init?(_ socketAddress: sockaddr_in6) {
        switch Int32(socketAddress.sin6_family) {
        case AF_INET:
            // `sin_addr` is at the position of `sin6_flowinfo`.
            self.init(in_addr(s_addr: socketAddress.sin6_flowinfo))
        case AF_INET6:
            self.init(socketAddress.sin6_addr)
        default:
            return nil
        }
    }

    private init(_ address: in_addr) {
        let number = UInt64(UInt32(bigEndian: address.s_addr))
        self.init(high: 0, low: Self.mappedPrefix | number)
    }

    private init(_ address: in6_addr) {
        let halves = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    /// Whether it is an IPv4 address.
    package var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix >> 32 }

    /// The part that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address.
    ///
    /// A client can choose the other bits freely (RFC 4291, section 2.5.1).
    package var client: IPAddress {
        isIPv4 ? self : IPAddress(high: high, low: 0)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (inet_ntop(3)).
    package var description: String {
        if isIPv4 {
            return stride(from: UInt64(24), through: 0, by: -8)
                .map { String(low >> $0 & 0xFF) }.joined(separator: ".")
        }
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
            unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
        else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
