import HTTP
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: ["0.0.0.0", "127.0.0.1", "203.0.113.255", "::1", "2001:db8::1:0:0:2"])
    func `reads an address and writes it again`(text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "::1%lo", "1.2.3.4:80", "a"])
    func `takes nothing else for an address`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `holds both spellings of an IPv4 address for equal`() {
        #expect(IPAddress("::ffff:203.0.113.9") == IPAddress("203.0.113.9"))
        #expect(IPAddress("::cb00:7109") != IPAddress("203.0.113.9"))
    }

    @Test func `takes the first half of an IPv6 address for one client's`() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.client == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("203.0.113.9")?.client == IPAddress("203.0.113.9"))
    }
}

@Suite struct IPNetworkTests {
    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"), ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
            ("192.0.2.128/25", "192.0.2.128", "192.0.2.127"), ("::1", "::1", "127.0.0.1"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
            ("2001:db8::8/125", "2001:db8::f", "2001:db8::10"), ("::/0", "2001:db8::1", ""),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
        ]
    )
    func `knows its own`(text: String, own: String, other: String) throws {
        let network = try #require(IPNetwork(text))

        #expect(network.description == text)
        #expect(network.contains(try #require(IPAddress(own))))
        if let other = IPAddress(other) { #expect(!network.contains(other)) }
    }

    @Test(
        arguments: [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "::/129", "::1/64", "10.0.0.0/+8",
            "10.0.0.0/8/8", "10/8", "10.0.0.0/99999999999999999999", "localhost",
        ]
    )
    func `takes nothing else for a network`(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        arguments: [
            ("0.0.0.0/0", true), ("::/0", true), ("0.0.0.0/1", false), ("::/1", false),
            ("10.0.0.0/8", false), ("127.0.0.1", false),
        ]
    )
    func `knows whether it holds every address`(text: String, holds: Bool) throws {
        #expect(try #require(IPNetwork(text)).holdsEveryAddress == holds)
    }
}
