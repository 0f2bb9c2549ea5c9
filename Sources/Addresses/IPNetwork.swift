/// All addresses that begin with the same bits, such as `10.0.0.0/8` (RFC 4632, section 3.1).
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    /// How many leading bits are shared, 0 to 128; IPv4's count from bit 96.
    private let prefixLength: Int

    /// Reads an address, which is a network of its own, or an address and a prefix length; nil if
    /// the text is neither, or if bits behind the prefix are set.
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

    /// Whether the address is one of the network's.
    package func contains(_ other: IPAddress) -> Bool {
        masked(other) == address
    }

    /// Whether it is all of IPv4, all of IPv6, or both.
    package var holdsEveryAddress: Bool {
        prefixLength == (address.isIPv4 ? 96 : 0)
    }

    private func masked(_ address: IPAddress) -> IPAddress {
        IPAddress(
            high: address.high & Self.mask(prefixLength),
            low: address.low & Self.mask(prefixLength - 64)
        )
    }

    /// So many leading ones; shifts by 64 or more, or by less than none, leave what one expects.
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
