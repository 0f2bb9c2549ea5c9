import HTTP
import HTTPClient
import Testing

@Suite struct AddressRuleTests {
    @Test(
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "223.255.255.255",
            "2000::1", "2606:4700::1", "2a00::1", "3ffe::1",
        ]
    )
    func `permits addresses of the whole internet`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressRule.permits(address, allowsPrivate: false))
        #expect(AddressRule.permits(address, allowsPrivate: true))
    }

    @Test(
        arguments: [
            "10.0.0.1", "127.0.0.1", "127.255.255.255", "172.16.0.1", "172.31.255.255",
            "192.168.1.1", "100.64.0.1", "100.127.255.255", "::1", "fc00::1", "fdff::1",
        ]
    )
    func `permits private addresses only if allowed`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressRule.permits(address, allowsPrivate: false))
        #expect(AddressRule.permits(address, allowsPrivate: true))
    }

    @Test(
        arguments: [
            "0.0.0.0", "0.1.2.3", "169.254.169.254", "192.0.0.1", "192.0.2.1", "192.88.99.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "fe80::1", "ff02::1",
            "64:ff9b::a00:1", "64:ff9b:1::1", "2001::1", "2001:2::1", "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1", "4000::1", "100::1", "fec0::1", "::7f00:1",
        ]
    )
    func `never permits other addresses`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressRule.permits(address, allowsPrivate: false))
        #expect(!AddressRule.permits(address, allowsPrivate: true))
    }

    @Test func `reads the addresses of sockets, and never permits IPv4 within IPv6`() {
        func permits(_ bytes: [UInt8]) -> Bool {
            unsafe bytes.withUnsafeBytes { unsafe AddressRule.permits($0, allowsPrivate: true) }
        }
        // The family is in the byte order of the machine.
        let four: [UInt8] = [2, 0, 0x01, 0xBB, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
        let loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]
        func six(_ address: [UInt8]) -> [UInt8] {
            [10, 0, 0x01, 0xBB, 0, 0, 0, 0] + address + [0, 0, 0, 0]
        }
        #expect(permits(four))
        #expect(permits(six(loopback)))
        #expect(!permits(six(mapped)))
        #expect(!permits([1, 0, 0x2F, 0x61]))
        #expect(!permits([]))
    }
}
