/// A range of addresses with a common prefix, such as `10.0.0.0/8` (RFC 4632, section 3.1).
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    /// The number of leading bits in common, 0 to 128; IPv4 prefixes start at bit 96.
    private let prefixLength: Int

    /// Parses an address, or an address and a prefix length.
    ///
    /// Nil if the text is malformed, or if bits after the prefix are set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        var length = width
        if parts.count == 2 {
            let digits = parts[1]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(digits), number <= width
            else { return nil }
            length = number
        }
        self.address = address
        prefixLength = 128 - width + length
        guard address == masked(address) else { return nil }
    }

    /// Returns whether the network contains the address.
    package func contains(_ other: IPAddress) -> Bool {
        masked(other) == address
    }

    /// Whether it contains all of IPv4, all of IPv6, or both.
    package var holdsEveryAddress: Bool {
        prefixLength == (address.isIPv4 ? 96 : 0)
    }

    private func masked(_ address: IPAddress) -> IPAddress {
        IPAddress(
            high: address.high & Self.mask(prefixLength),
            low: address.low & Self.mask(prefixLength - 64)
        )
    }

    /// Returns a mask with this many leading ones; counts beyond 0 and 64 are clamped.
    private static func mask(_ ones: Int) -> UInt64 {
        ones <= 0 ? 0 : UInt64.max << UInt64(max(0, 64 - ones))
    }
}

extension IPNetwork: CustomStringConvertible {
    package var description: String {
        let width = address.isIPv4 ? 32 : 128
        let length = prefixLength - (128 - width)
        return length == width ? "\(address)" : "\(address)/\(length)"
    }
}
