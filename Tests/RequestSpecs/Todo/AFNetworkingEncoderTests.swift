import Testing

@Suite struct AFNetworkingEncoderTests {
    @Test func `sorts keys and nests them with brackets`() {
        let encoded = AFNetworkingEncoder.encode([
            "user": .dictionary(["password": .text("p"), "email": .text("e")]), "a": .number(1),
        ])

        #expect(encoded == "a=1&user[email]=e&user[password]=p")
    }

    @Test func `writes arrays with empty brackets and null without a value`() {
        let encoded = AFNetworkingEncoder.encode([
            "a": .array([.number(1), .text("b")]), "n": .null,
        ])

        #expect(encoded == "a[]=1&a[]=b&n")
    }

    @Test(
        arguments: [
            ("ana+1@example.com", "ana%2B1%40example.com"), ("Ana Sá", "Ana%20S%C3%A1"),
            ("pa ss[w]%rd", "pa%20ss%5Bw%5D%25rd"),
            ("Buy milk & eggs, 2x", "Buy%20milk%20%26%20eggs%2C%202x"),
            (":/?&=;+!@#$()',*", "%3A%2F%3F%26%3D%3B%2B%21%40%23%24%28%29%27%2C%2A"),
            ("A-z_0.9~", "A-z_0.9~"), ("\"<>\\^`{|}\n", "%22%3C%3E%5C%5E%60%7B%7C%7D%0A"),
            ("😀", "%F0%9F%98%80"),
        ]
    )
    func `escapes what a value may not hold`(value: String, escaped: String) {
        #expect(AFNetworkingEncoder.escaped(value: value) == escaped)
    }

    @Test func `leaves the brackets of a key`() {
        #expect(AFNetworkingEncoder.escaped(key: "user[full name].x") == "user[full%20name].x")
    }
}
