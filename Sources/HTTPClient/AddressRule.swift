import Glibc
package import HTTP

/// The rule for the addresses to which requests of webhooks may connect.
///
/// A receiver's name can resolve to any address, so each address is checked directly before use.
package enum AddressRule {
    /// Networks of IPv4 that are not global unicast, besides the private ones.
    private static let special = networks(
        "0.0.0.0/8",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3"
    )
    /// The private and loopback networks.
    private static let inner = networks(
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1",
        "fc00::/7"
    )
    /// Services for programs on machines in a cloud, some of which give them credentials.
    private static let metadata = networks(
        "100.100.100.200",
        "168.63.129.16",
        "fd00:ec2::254"
    )
    private static let global = networks("2000::/3")
    /// Networks in `global` that are for protocols and documentation, or contain IPv4 addresses.
    private static let exceptions = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    private static func networks(_ texts: String...) -> [IPNetwork] {
        texts.compactMap(IPNetwork.init)
    }

    /// Returns whether requests may connect to a socket address, given as its bytes.
    package static func permits(_ bytes: UnsafeRawBufferPointer, allowsPrivate: Bool) -> Bool {
        var socketAddress = sockaddr_in6()
        let size = min(bytes.count, MemoryLayout<sockaddr_in6>.size)
        unsafe withUnsafeMutableBytes(of: &socketAddress) { target in
            unsafe target.copyBytes(from: bytes.prefix(size))
        }
        guard let address = IPAddress(socketAddress) else { return false }
        // An IPv4 address in the notation of IPv6 could reach what the system doesn't expect.
        if Int32(socketAddress.sin6_family) == AF_INET6, address.isIPv4 { return false }
        return permits(address, allowsPrivate: allowsPrivate)
    }

    /// Returns whether requests may connect to an address.
    package static func permits(_ address: IPAddress, allowsPrivate: Bool) -> Bool {
        func isIn(_ networks: [IPNetwork]) -> Bool { networks.contains { $0.contains(address) } }
        if isIn(metadata) { return false }
        if isIn(inner) { return allowsPrivate }
        return address.isIPv4 ? !isIn(special) : isIn(global) && !isIn(exceptions)
    }
}
