import Testing

@testable import SignIn

@Suite struct IssuerTests {
    @Test func `parses entries between semicolons and line ends`() throws {
        let issuers = try Issuer.list(
            """
            https://a.example app-1,app-2 https://a.example/keys?v=@1 nonce; https://b.example x k
            ;
            """
        )

        #expect(issuers.map(\.name) == ["https://a.example", "https://b.example"])
        #expect(issuers.map(\.audiences) == [["app-1", "app-2"], ["x"]])
        #expect(issuers.map(\.keys) == ["https://a.example/keys?v=@1", "k"])
        #expect(issuers.map(\.needsNonce) == [true, false])
        #expect(issuers.map(\.hasURL) == [true, false])
        #expect(try Issuer.list(issuers.map(\.text).joined(separator: ";")) == issuers)
        #expect(try Issuer.list("OFF") == [])
    }

    @Test(
        arguments: [
            ("https://a.example app", "entry 1: it must be ISSUER"),
            ("https://a.example app k.json nonce x", "entry 1: it must be ISSUER"),
            ("https://a.example app k.json Nonce", "entry 1: after KEYS"),
            ("http://a.example app k.json", "entry 1: ISSUER"),
            ("https:// app k.json", "entry 1: ISSUER"),
            ("https://a\".example app k.json", "entry 1: ISSUER"),
            ("https://ä.example app k.json", "entry 1: ISSUER"),
            ("https://\(String(repeating: "a", count: 248)) app k.json", "entry 1: ISSUER"),
            ("https://u:p@a.example app k.json", "entry 1: ISSUER must be a URL without"),
            (
                "https://a.example app https://u:p@a.example/k",
                "entry 1: KEYS must be a URL without"
            ),
            ("https://a.example * k.json", "entry 1: AUDIENCES"),
            ("https://a.example app,,x k.json", "entry 1: AUDIENCES"),
            ("https://a.example 1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,h k", "entry 1: AUDIENCES"),
            ("https://a.example app http://a.example", "entry 1: KEYS"),
            ("https://a.example app k; https://b.example app ftp://x", "entry 2: KEYS"),
            ("https://a.example app k\nhttps://a.example x k", "entry 2: ISSUER is also"),
            ("", "it has 0 entries"),
        ]
    )
    func `names the entry and the part that is wrong`(text: String, reason: String) {
        let error = #expect(throws: KeyError.self) { try Issuer.list(text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `accepts 16 entries at most`() throws {
        let entries = (1...17).map { "https://\($0).example app k.json" }

        #expect(try Issuer.list(entries.prefix(16).joined(separator: ";")).count == 16)
        #expect(throws: KeyError.self) { try Issuer.list(entries.joined(separator: ";")) }
    }
}
